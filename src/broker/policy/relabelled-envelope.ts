import type { RelabelledEnvelope } from "../../core/engine/stored-origin.ts";
import type { ApplicationProperties } from "../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../core/envelope/broker-properties.ts";
import { type BodyKind, type Envelope, type Origin, withParts } from "../../core/envelope/envelope.ts";

/** A received envelope with changed properties; its other parts are read lazily. */
export class Relabelled implements RelabelledEnvelope {
  readonly brokerProperties: BrokerProperties;
  readonly #received: Envelope;
  /** `undefined`: those that were received. */
  readonly #application: ApplicationProperties | undefined;

  constructor(received: Envelope, broker: BrokerProperties, application?: ApplicationProperties) {
    this.#received = received;
    this.brokerProperties = broker;
    this.#application = application;
  }

  get bodySource(): Envelope {
    return this.#application === undefined ? this.#received : this;
  }

  get origin(): Origin {
    return this.#received;
  }

  get payload(): Uint8Array {
    return this.#received.payload;
  }

  get bodyKind(): BodyKind {
    return this.#received.bodyKind;
  }

  get applicationProperties(): ApplicationProperties {
    return this.#application ?? this.#received.applicationProperties;
  }
}

/** The maximum number of bytes that {@link withMessageId} adds: a section with a string of 32 digits. */
export const assignedIdSize = 40;

/** Gives the envelope a message id of 32 hexadecimal digits, unless it has one. */
export function withMessageId(envelope: Envelope): Envelope {
  if (envelope.brokerProperties.messageId !== undefined) return envelope;
  return withProperties(envelope, { messageId: crypto.randomUUID().replaceAll("-", "") });
}

/** The envelope with changed broker properties, which are known to be valid and not checked again. */
export function withProperties(envelope: Envelope, changes: BrokerProperties): Envelope {
  const { brokerProperties: before, origin } = envelope;
  const broker = Object.freeze({ ...before, ...changes });
  if (origin === envelope) return new Relabelled(envelope, broker);
  return withParts(envelope, envelope.payload, broker, envelope.applicationProperties);
}
