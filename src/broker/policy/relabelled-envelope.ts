import type { RelabelledEnvelope } from "../../core/engine/stored-origin.ts";
import type { Modification } from "../../core/engine/delivery.ts";
import { type ApplicationProperties, changedProperties } from "../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../core/envelope/broker-properties.ts";
import { type BodyKind, type Envelope, withParts } from "../../core/envelope/envelope.ts";
import { checkHeaderSize } from "../../core/envelope/limits.ts";

/** A received envelope with changed properties; its other parts are read lazily. */
export class Relabelled implements RelabelledEnvelope {
  readonly brokerProperties: BrokerProperties;
  /** The received envelope. */
  readonly origin: Envelope;
  /** The application properties, unless they are those that were received. */
  readonly changed: ApplicationProperties | undefined;

  constructor(received: Envelope, broker: BrokerProperties, application?: ApplicationProperties) {
    this.origin = received;
    this.brokerProperties = broker;
    this.changed = application;
  }

  withApplicationProperties(application: ApplicationProperties): Relabelled {
    return new Relabelled(this.origin, this.brokerProperties, application);
  }

  withBrokerProperties(broker: BrokerProperties): Relabelled {
    return new Relabelled(this.origin, broker, this.changed);
  }

  get bodySource(): Envelope {
    return this.changed === undefined ? this.origin : this;
  }

  get payload(): Uint8Array {
    return this.origin.payload;
  }

  get bodyKind(): BodyKind {
    return this.origin.bodyKind;
  }

  get applicationProperties(): ApplicationProperties {
    return this.changed ?? this.origin.applicationProperties;
  }
}

/** The envelope with other application properties, which are known to be valid. */
export function withApplicationProperties(envelope: Envelope, application: ApplicationProperties): Envelope {
  const { brokerProperties: broker, origin } = envelope;
  if (envelope instanceof Relabelled) return envelope.withApplicationProperties(application);
  if (origin === envelope) return new Relabelled(envelope, broker, application);
  return withParts(envelope, envelope.payload, broker, application);
}

/** The envelope with changed application properties; `undefined` removes one. @throws SobreError as `createEnvelope` does. */
export function withModification(envelope: Envelope, modification: Modification): Envelope {
  const application = changedProperties(envelope.applicationProperties, modification);
  checkHeaderSize(envelope.brokerProperties, application);
  return withApplicationProperties(envelope, application);
}

/** The maximum number of bytes that {@link withMessageId} adds: a section with a string of 32 digits. */
export const assignedIdSize = 40;

/** Gives the envelope a message id of 32 hexadecimal digits, unless it has one. */
export function withMessageId(envelope: Envelope): Envelope {
  const { brokerProperties } = envelope;
  if (brokerProperties.messageId !== undefined) return envelope;
  return withProperties(envelope, { messageId: crypto.randomUUID().replaceAll("-", "") }, brokerProperties);
}

/** The envelope with changed broker properties, which are known to be valid and not checked again. */
export function withProperties(
  envelope: Envelope,
  changes: BrokerProperties,
  before: BrokerProperties = envelope.brokerProperties,
): Envelope {
  const { origin } = envelope;
  const broker = Object.freeze({ ...before, ...changes });
  if (origin === envelope) return new Relabelled(envelope, broker);
  return withParts(envelope, envelope.payload, broker, envelope.applicationProperties);
}
