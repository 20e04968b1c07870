import type { ApplicationProperties } from "../../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";
import { type BodyKind, type Envelope, type Origin, withParts } from "../../../core/envelope/envelope.ts";
import { OwnEnvelope, owned } from "./own-envelope.ts";
import { ownIds, ownValues } from "./own-values.ts";

/** Whoever holds locks. */
export interface Labelled {
  /** A name for people. */
  readonly label?: string | undefined;
}

/** A connection. */
export interface HoldingConnection extends Labelled {
  /** Whether bytes are passed from and to it without copying. */
  readonly sharesBytes: boolean;
}

const noPayload = new Uint8Array();

/**
 * An envelope as a receiver gets it, without bytes shared with the broker or another receiver.
 *
 * The payload is copied when it is first read, since a message may be settled unread.
 */
class HandedEnvelope implements Envelope {
  readonly bodyKind: BodyKind;
  readonly brokerProperties: BrokerProperties;
  readonly applicationProperties: ApplicationProperties;
  declare readonly origin?: Origin;
  /** `undefined` once the payload has been copied. */
  #stored: Envelope | undefined;
  #payload: Uint8Array = noPayload;

  constructor(stored: Envelope) {
    this.bodyKind = stored.bodyKind;
    this.#stored = stored;
    if (stored instanceof OwnEnvelope && !stored.hasBinaries) {
      this.brokerProperties = stored.brokerProperties;
      this.applicationProperties = stored.applicationProperties;
      return;
    }
    this.brokerProperties = ownIds(stored.brokerProperties);
    this.applicationProperties = ownValues(stored.applicationProperties);
    if (stored.origin !== undefined && !(stored.origin instanceof OwnEnvelope)) this.origin = stored.origin;
  }

  get payload(): Uint8Array {
    if (this.#stored !== undefined) this.#payload = copyOfPayload(this.#stored);
    this.#stored = undefined;
    return this.#payload;
  }

  /** The envelope to store when this one is sent again. */
  get sent(): Envelope {
    if (this.#stored !== undefined) return this.#stored;
    if (this.origin === undefined) return new OwnEnvelope(this);
    const { brokerProperties, applicationProperties } = this;
    return withParts(this, new Uint8Array(this.payload), ownIds(brokerProperties), ownValues(applicationProperties));
  }
}

/** The envelope to deliver to a connection. */
export const handedTo = ({ sharesBytes }: HoldingConnection, stored: Envelope): Envelope =>
  sharesBytes ? stored : new HandedEnvelope(stored);

const copyOfPayload = (envelope: Envelope): Uint8Array =>
  envelope instanceof OwnEnvelope ? envelope.copyOfPayload() : new Uint8Array(envelope.payload);

/** The envelope to store for one that a connection sends. */
export function takenFrom({ sharesBytes }: HoldingConnection, envelope: Envelope): Envelope {
  if (envelope instanceof HandedEnvelope) return envelope.sent;
  return sharesBytes ? envelope : owned(envelope);
}
