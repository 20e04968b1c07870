import { type AmqpMap, type AmqpValue, Typed } from "../../../core/values/typed.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import type { BodyKind, Envelope } from "../../../core/envelope/envelope.ts";
import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";
import { emptyBag } from "../../../core/envelope/bag.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { AmqpMessage, type MessageReadOptions } from "./amqp-message.ts";
import { annotated } from "./annotation-name.ts";
import type { ByteKeep, KeptBytes, StoredOrigin } from "../../../core/engine/stored-origin.ts";
import { isSimple } from "./simple-value.ts";
import { sizeOfAmended } from "./size-of-amended.ts";
import { receivedTimeToLive } from "./time-to-live.ts";

/**
 * A received message as an envelope, whose parts are decoded when they are first read.
 *
 * It is the origin of itself and of the envelopes amended from it. While such an envelope holds the same parts, the
 * sections they came from are sent on byte for byte.
 */
export class MessageOrigin implements StoredOrigin, KeptBytes {
  place = -1;
  slab: object | undefined = undefined;
  #source: Uint8Array;
  /** Where it begins and ends in a source that it shares; -1: the source is the message. */
  #start = -1;
  #length: number;
  readonly #options: MessageReadOptions | undefined;
  #message: AmqpMessage | undefined;
  #brokerProperties: BrokerProperties | undefined;
  #applicationProperties: ApplicationProperties | undefined;
  #payload: Uint8Array | undefined;
  #expires: boolean | undefined;
  /** How many queues store it. */
  #stores = 0;

  constructor(bytes: Uint8Array, options?: MessageReadOptions) {
    // Section boundaries are checked immediately.
    this.#message = new AmqpMessage(bytes, options);
    this.#source = bytes;
    this.#length = bytes.byteLength;
    this.#options = options;
  }

  get bytes(): Uint8Array {
    return this.#start === -1 ? this.#source : this.#source.subarray(this.#start, this.#start + this.#length);
  }

  get message(): AmqpMessage {
    return (this.#message ??= new AmqpMessage(this.bytes, this.#options));
  }

  /** Whether its sender has set an absolute expiry time. */
  get expires(): boolean {
    return (this.#expires ??= this.message.properties?.absoluteExpiryTime !== undefined);
  }

  owned(): MessageOrigin {
    return new MessageOrigin(new Uint8Array(this.bytes), this.#options);
  }

  /** A queue stores it. */
  stored(keep: ByteKeep): void {
    if (this.#stores++ === 0) keep.add(this, this.#length, this.#source);
  }

  /** A queue stores it no more. */
  unstored(keep: ByteKeep): void {
    if (--this.#stores === 0) keep.remove(this, this.#length);
  }

  /** It stays: its bytes are elsewhere from now on, and nothing is kept that can be read from them again. */
  moved(source: Uint8Array, start: number, length: number): void {
    void this.expires;
    this.#source = source;
    this.#start = source.byteLength === length ? -1 : start;
    this.#message = undefined;
    this.#brokerProperties = undefined;
    this.#applicationProperties = undefined;
    this.#payload = undefined;
  }

  get origin(): this {
    return this;
  }

  get bodyKind(): BodyKind {
    return this.message.bodyKind ?? "value";
  }

  get payload(): Uint8Array {
    return (this.#payload ??= this.message.payload());
  }

  get brokerProperties(): BrokerProperties {
    return (this.#brokerProperties ??= brokerPropertiesOf(this.message));
  }

  get applicationProperties(): ApplicationProperties {
    return (this.#applicationProperties ??= applicationPropertiesOf(this.message.applicationProperties));
  }

  /** The encoded size of an envelope that has this origin; `sizeOf` asks for it. */
  sizeOf(envelope: Envelope): number {
    return envelope === this ? this.#length : sizeOfAmended(envelope, this);
  }

  /** Whether the envelope would be written as the bytes that were received. */
  isUntouched(envelope: Envelope): boolean {
    // Comparing with itself must not decode anything.
    return (
      envelope === this ||
      (envelope.payload === this.payload &&
        envelope.bodyKind === this.bodyKind &&
        envelope.brokerProperties === this.brokerProperties &&
        envelope.applicationProperties === this.applicationProperties)
    );
  }
}

type OriginPropertiesDraft = { -readonly [K in keyof BrokerProperties]: BrokerProperties[K] };

function brokerPropertiesOf({ header, messageAnnotations, properties }: AmqpMessage): BrokerProperties {
  const draft: OriginPropertiesDraft = {};
  if (properties !== undefined) {
    const { messageId, correlationId, contentType, contentEncoding, groupId, replyToGroupId, to, replyTo, subject } =
      properties;
    if (messageId !== undefined) draft.messageId = messageId;
    if (correlationId !== undefined) draft.correlationId = correlationId;
    if (contentType !== undefined) draft.contentType = contentType;
    if (contentEncoding !== undefined) draft.contentEncoding = contentEncoding;
    if (groupId !== undefined) draft.sessionId = groupId;
    if (replyToGroupId !== undefined) draft.replyToSessionId = replyToGroupId;
    if (to !== undefined) draft.to = to;
    if (replyTo !== undefined) draft.replyTo = replyTo;
    if (subject !== undefined) draft.subject = subject;
  }
  const timeToLive = receivedTimeToLive(header?.ttl, properties);
  if (timeToLive !== undefined) draft.timeToLive = timeToLive;
  if (messageAnnotations !== undefined) readAnnotations(draft, messageAnnotations);
  return Object.freeze(draft);
}

/** In one pass: brokers add several annotations that are not looked for here. */
function readAnnotations(draft: OriginPropertiesDraft, annotations: AmqpMap): void {
  const keys = annotations.keys();
  const values = annotations.values();
  for (let index = 0; index < keys.length; index++) {
    const value = values[index] ?? undefined;
    if (value === undefined) continue;
    const key = keys[index];
    const name = key instanceof Typed && key.type === "symbol" ? key.value : key;
    if (typeof name !== "string") continue;
    const property = annotated.get(name);
    switch (property) {
      case "partitionKey":
      case "viaPartitionKey":
        draft[property] = textAnnotation(value, name);
        break;
      case "scheduledEnqueueTimeUtc":
        if (!(value instanceof Date)) throw mistyped(name, "a timestamp");
        draft.scheduledEnqueueTimeUtc = value;
        break;
      default:
    }
  }
}

function textAnnotation(value: AmqpValue, name: string): string {
  const text = value instanceof Typed && value.type === "symbol" ? value.value : value;
  if (typeof text === "string") return text;
  throw mistyped(name, "a string");
}

const noOriginProperties: ApplicationProperties = Object.freeze(emptyBag<ApplicationPropertyValue>());

function applicationPropertiesOf(map: AmqpMap | undefined): ApplicationProperties {
  if (map === undefined || map.size === 0) return noOriginProperties;
  const keys = map.keys();
  const values = map.values();
  const bag = emptyBag<ApplicationPropertyValue>();
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (typeof key !== "string") throw broken(`{${index}}`, "a name that is not a string");
    const value = values[index] ?? null;
    if (!isSimple(value)) throw broken(`.${key}`, "a value that is not of a simple type");
    bag[key] = value;
  }
  return Object.freeze(bag);
}

function broken(step: string, what: string): SobreError {
  return new SobreError(
    "DecodeFailed",
    `An application property has ${what} (AMQP 1.0 part 3.2.5). The message itself can be read with parseMessage.`,
    { path: `$.applicationProperties${step}` },
  );
}

function mistyped(name: string, wanted: string): SobreError {
  return new SobreError(
    "DecodeFailed",
    `The message annotation ${name} is not ${wanted}. The message itself can be read with parseMessage.`,
    { path: `$.messageAnnotations.${name}` },
  );
}
