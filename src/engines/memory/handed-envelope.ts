import type { ApplicationProperties, ApplicationPropertyValue } from "../../envelope/application-properties.ts";
import { emptyBag } from "../../envelope/bag.ts";
import type { BrokerProperties } from "../../envelope/broker-properties.ts";
import { type BodyKind, type Envelope, type Origin, ownIds, withParts } from "../../envelope/envelope.ts";

/** A connection. */
export interface Holder {
  /** Whether bytes are handed over to it without a copy. */
  readonly sharesBytes: boolean;
}

/**
 * An envelope as a receiver gets it: no byte of it is shared with the broker or with another receiver.
 *
 * The payload is copied when it is first read, since a message may be settled unread.
 */
class HandedEnvelope implements Envelope {
  readonly bodyKind: BodyKind;
  readonly brokerProperties: BrokerProperties;
  readonly applicationProperties: ApplicationProperties;
  declare readonly origin?: Origin;
  readonly #stored: Envelope;
  #payload: Uint8Array | undefined;

  constructor(stored: Envelope) {
    this.bodyKind = stored.bodyKind;
    this.brokerProperties = ownIds(stored.brokerProperties);
    this.applicationProperties = ownValues(stored.applicationProperties);
    if (stored.origin !== undefined) this.origin = stored.origin;
    this.#stored = stored;
  }

  get payload(): Uint8Array {
    this.#payload ??= new Uint8Array(this.#stored.payload);
    return this.#payload;
  }

  /** The envelope to store when it is sent again. */
  get sent(): Envelope {
    if (this.#payload === undefined) return this.#stored;
    return withParts(this, new Uint8Array(this.#payload), this.brokerProperties, this.applicationProperties);
  }
}

/** The envelope that a connection is handed. */
export const handedTo = ({ sharesBytes }: Holder, stored: Envelope): Envelope =>
  sharesBytes ? stored : new HandedEnvelope(stored);

/** The envelope to store for one that is sent. */
export const stored = (envelope: Envelope): Envelope => (envelope instanceof HandedEnvelope ? envelope.sent : envelope);

function ownValues(properties: ApplicationProperties): ApplicationProperties {
  let isOwn = true;
  for (const name in properties) isOwn &&= !(properties[name] instanceof Uint8Array);
  if (isOwn) return properties;
  const own = emptyBag<ApplicationPropertyValue>();
  for (const [name, value] of Object.entries(properties))
    own[name] = value instanceof Uint8Array ? new Uint8Array(value) : value;
  return Object.freeze(own);
}
