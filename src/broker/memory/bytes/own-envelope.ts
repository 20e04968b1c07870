import type { ApplicationProperties } from "../../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";
import { type BodyKind, type Envelope, withParts } from "../../../core/envelope/envelope.ts";
import type { ByteKeep, KeptBytes, StoredOrigin } from "../../../core/engine/stored-origin.ts";
import { messageKeep } from "./message-keep.ts";
import { ownIds, ownValues } from "./own-values.ts";
import { storedOriginOf } from "./stored-envelope.ts";

/** The largest payload that shares a buffer with others: a buffer for each would cost as much as the rest of a send. */
const maxSharedBytes = 8 * 1024;

/** A sent envelope as the broker stores it, with its own copy of the bytes. Envelopes amended from it have it as their origin. */
export class OwnEnvelope implements StoredOrigin, KeptBytes {
  place = -1;
  slab: object | undefined = undefined;
  readonly bodyKind: BodyKind;
  readonly brokerProperties: BrokerProperties;
  readonly applicationProperties: ApplicationProperties;
  /** Whether a property is binary, so that a receiver could modify its bytes. */
  readonly hasBinaries: boolean;
  /** The number of application properties. */
  readonly propertyCount: number;
  #source: Uint8Array;
  #start = 0;
  readonly #length: number;
  #payload: Uint8Array | undefined;
  /** The number of queues that store it. */
  #stores = 0;

  constructor({ payload, bodyKind, brokerProperties, applicationProperties }: Envelope) {
    this.bodyKind = bodyKind;
    this.brokerProperties = ownIds(brokerProperties);
    this.applicationProperties = ownValues(applicationProperties);
    this.hasBinaries =
      this.brokerProperties !== brokerProperties || this.applicationProperties !== applicationProperties;
    let propertyCount = 0;
    for (const _ in this.applicationProperties) propertyCount++;
    this.propertyCount = propertyCount;
    this.#length = payload.byteLength;
    if (payload.byteLength <= maxSharedBytes) {
      this.#source = payload;
      messageKeep.copy(this, payload);
    } else this.#source = new Uint8Array(payload);
  }

  get origin(): this {
    return this;
  }

  get payload(): Uint8Array {
    return (this.#payload ??= this.bytes);
  }

  get bytes(): Uint8Array {
    return this.#source.subarray(this.#start, this.#start + this.#length);
  }

  /** A copy of the payload for a receiver, which may modify it. */
  copyOfPayload(): Uint8Array {
    return this.#source.slice(this.#start, this.#start + this.#length);
  }

  owned(): this {
    return this;
  }

  stored(keep: ByteKeep): void {
    if (this.#stores++ === 0) keep.add(this, this.#length, this.#source);
  }

  unstored(keep: ByteKeep): void {
    if (--this.#stores === 0) keep.remove(this, this.#length);
  }

  moved(source: Uint8Array, start: number): void {
    this.#source = source;
    this.#start = start;
    this.#payload = undefined;
  }
}

/** The envelope with bytes that its sender can no longer modify. */
export function owned(envelope: Envelope): Envelope {
  const origin = storedOriginOf(envelope);
  if (origin !== undefined) return ofOwnedOrigin(envelope, origin, origin.owned());
  if (envelope.origin === undefined) return new OwnEnvelope(envelope);
  const { payload, brokerProperties, applicationProperties } = envelope;
  return withParts(envelope, new Uint8Array(payload), ownIds(brokerProperties), ownValues(applicationProperties));
}

/** An origin, or an envelope amended from it, rebased on a copy of the origin: parts of the origin become those of the copy. */
function ofOwnedOrigin(envelope: Envelope, origin: StoredOrigin, own: StoredOrigin): Envelope {
  if (own === origin) return envelope;
  if (envelope === origin) return own;
  const { payload, bodyKind, brokerProperties, applicationProperties } = envelope;
  return withParts(
    { bodyKind, origin: own },
    payload === origin.payload ? own.payload : new Uint8Array(payload),
    brokerProperties === origin.brokerProperties ? own.brokerProperties : ownIds(brokerProperties),
    applicationProperties === origin.applicationProperties
      ? own.applicationProperties
      : ownValues(applicationProperties),
  );
}
