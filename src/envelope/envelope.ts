import {
  type ApplicationProperties,
  type ApplicationPropertyValue,
  applicationProperties,
} from "./application-properties.ts";
import { checkBag, invalid } from "./bag.ts";
import { type BrokerProperties, type BrokerPropertiesInit, brokerProperties } from "./broker-properties.ts";
import { checkHeaderSize } from "./limits.ts";
import { anEnvelope, checkNames, checkOption } from "../options/option-checks.ts";

/**
 * How the payload travels over AMQP: as opaque `data`, or as an AMQP `value` or `sequence`,
 * in which case it holds the encoded value without its section descriptor.
 */
export type BodyKind = "data" | "value" | "sequence";

/** The sections of a message as a border received them; engines carry it and never read it. */
export type Origin = object;

/** A message as its sender wrote it: an opaque payload and its properties. Immutable; {@link amend} makes a changed one. */
export interface Envelope {
  readonly payload: Uint8Array;
  readonly bodyKind: BodyKind;
  readonly brokerProperties: BrokerProperties;
  readonly applicationProperties: ApplicationProperties;
  readonly origin?: Origin;
}

/** The parts of an envelope for {@link createEnvelope}; all but the payload are optional. */
export interface EnvelopeInit {
  readonly payload: Uint8Array;
  /** Default: `data`. */
  readonly bodyKind?: BodyKind | undefined;
  readonly brokerProperties?: BrokerPropertiesInit | undefined;
  readonly applicationProperties?: Readonly<Record<string, ApplicationPropertyValue | undefined>> | undefined;
  readonly origin?: Origin | undefined;
}

/** The changes {@link amend} makes; members of the property objects that are `undefined` are removed. */
export type EnvelopeChanges = Partial<EnvelopeInit>;

/**
 * Makes an envelope after checking all of it. The payload and Dates are taken by reference: who changes them afterwards
 * changes the envelope. Binary application properties are copied.
 *
 * @throws SobreError `InvalidArgument` naming the property, or `MessageSizeExceeded` when the properties
 *   are larger than 64 KiB.
 * @example
 * ```ts
 * const envelope = createEnvelope({
 *   payload: new TextEncoder().encode('{"id":7}'),
 *   brokerProperties: { contentType: "application/json", messageId: "order-7" },
 *   applicationProperties: { tenant: "acme" },
 * });
 * console.log(envelope.brokerProperties.messageId); // order-7
 * ```
 */
export const createEnvelope: (init: EnvelopeInit) => Envelope = checkEnvelope;

const parts: { readonly [Part in keyof Envelope]-?: true } = {
  payload: true,
  bodyKind: true,
  brokerProperties: true,
  applicationProperties: true,
  origin: true,
};

/** An unvalidated {@link EnvelopeInit}. */
export interface UncheckedEnvelope {
  readonly payload: unknown;
  readonly bodyKind?: unknown;
  readonly brokerProperties?: unknown;
  readonly applicationProperties?: unknown;
  readonly origin?: Origin | undefined;
}

/** {@link createEnvelope} for what came from outside. */
export function checkEnvelope(init: UncheckedEnvelope): Envelope {
  checkNames(init, parts, { owner: "createEnvelope: " });
  return assemble(
    checkPayload(init.payload),
    init.bodyKind === undefined ? "data" : checkBodyKind(init.bodyKind),
    brokerProperties(init.brokerProperties),
    applicationProperties(init.applicationProperties),
    init.origin,
  );
}

/**
 * A new envelope with the changes; the parts that did not change are the same objects,
 * so that a border sends their sections on byte for byte.
 *
 * @throws SobreError as {@link createEnvelope} does.
 * @example
 * ```ts
 * const renamed = amend(envelope, { brokerProperties: { subject: "order" } });
 * console.log(renamed.brokerProperties.subject, renamed.payload === envelope.payload); // order true
 * ```
 */
export function amend(envelope: Envelope, changes: EnvelopeChanges): Envelope {
  checkOption("envelope", envelope, anEnvelope);
  checkNames(changes, parts, { owner: "amend: " });
  return assemble(
    changes.payload === undefined ? envelope.payload : checkPayload(changes.payload),
    checkBodyKind(changes.bodyKind ?? envelope.bodyKind),
    changes.brokerProperties === undefined
      ? envelope.brokerProperties
      : brokerProperties({ ...envelope.brokerProperties, ...checkBag(changes.brokerProperties, "$.brokerProperties") }),
    changes.applicationProperties === undefined
      ? envelope.applicationProperties
      : applicationProperties({
          ...envelope.applicationProperties,
          ...checkBag(changes.applicationProperties, "$.applicationProperties"),
        }),
    changes.origin ?? envelope.origin,
  );
}

/** The most bytes by which {@link withMessageId} makes an envelope larger: a section with one text of 32 digits. */
export const assignedIdSize = 40;

/** The envelope under a message id of 32 hexadecimal digits, unless it has one. */
export function withMessageId(envelope: Envelope): Envelope {
  if (envelope.brokerProperties.messageId !== undefined) return envelope;
  return withProperties(envelope, { messageId: crypto.randomUUID().replaceAll("-", "") });
}

/** The envelope with broker properties whose values are known to be legal; nothing is checked again. */
export function withProperties(envelope: Envelope, changes: BrokerProperties): Envelope {
  const broker = Object.freeze({ ...envelope.brokerProperties, ...changes });
  if (envelope.origin === envelope) return new Relabelled(envelope, broker);
  return withParts(envelope, envelope.payload, broker, envelope.applicationProperties);
}

/** A received envelope with other properties; its other parts are read when they are asked for. */
class Relabelled implements Envelope {
  readonly brokerProperties: BrokerProperties;
  readonly received: Envelope;
  /** None: those that were received. */
  readonly #application: ApplicationProperties | undefined;

  constructor(received: Envelope, broker: BrokerProperties, application?: ApplicationProperties) {
    this.received = received;
    this.brokerProperties = broker;
    this.#application = application;
  }

  get hasOwnApplication(): boolean {
    return this.#application !== undefined;
  }

  get origin(): Origin {
    return this.received;
  }

  get payload(): Uint8Array {
    return this.received.payload;
  }

  get bodyKind(): BodyKind {
    return this.received.bodyKind;
  }

  get applicationProperties(): ApplicationProperties {
    return this.#application ?? this.received.applicationProperties;
  }
}

/** The received envelope whose payload and application properties an envelope has for sure; itself otherwise. */
export const bodySourceOf = (envelope: Envelope): Envelope =>
  envelope instanceof Relabelled && !envelope.hasOwnApplication ? envelope.received : envelope;

/** An origin that learns when it is stored, so that it takes no more room than it must. */
export interface StoredOrigin extends Envelope {
  /** A queue stores an envelope that has it. */
  stored(): void;
  /** It stores that envelope no more. */
  unstored(): void;
}

/** The origin of an envelope, if it is to know that the envelope is stored. */
export const storedOriginOf = ({ origin }: Envelope): StoredOrigin | undefined =>
  origin !== undefined && isStored(origin) ? origin : undefined;

const isStored = (origin: object): origin is StoredOrigin => "unstored" in origin;

/**
 * An amended envelope whose payload is still the one that was received, for a queue to store: the payload is read when it is
 * asked for. Held, it would keep alive what the origin lay in before it moved. Any other envelope is returned as it is.
 */
export function withoutHeldPayload(envelope: Envelope): Envelope {
  const origin = storedOriginOf(envelope);
  if (origin === undefined || envelope === origin || envelope instanceof Relabelled) return envelope;
  const { payload, bodyKind, brokerProperties: broker, applicationProperties: application } = envelope;
  if (payload !== origin.payload || bodyKind !== origin.bodyKind) return envelope;
  return new Relabelled(origin, ownIds(broker), application === origin.applicationProperties ? undefined : application);
}

/** Broker properties whose ids share no bytes with others. */
export function ownIds(broker: BrokerProperties): BrokerProperties {
  const { messageId, correlationId } = broker;
  if (!(messageId instanceof Uint8Array || correlationId instanceof Uint8Array)) return broker;
  return Object.freeze({
    ...broker,
    ...(messageId instanceof Uint8Array && { messageId: new Uint8Array(messageId) }),
    ...(correlationId instanceof Uint8Array && { correlationId: new Uint8Array(correlationId) }),
  });
}

/** The envelope with other parts that are known to be legal. */
export function withParts(
  { bodyKind, origin }: Envelope,
  payload: Uint8Array,
  broker: BrokerProperties,
  application: ApplicationProperties,
): Envelope {
  const changed = { payload, bodyKind, brokerProperties: broker, applicationProperties: application };
  return Object.freeze(origin === undefined ? changed : { ...changed, origin });
}

/** The envelope of parts that have been checked one by one. @throws SobreError `MessageSizeExceeded`. */
export function assemble(
  payload: Uint8Array,
  bodyKind: BodyKind,
  broker: BrokerProperties,
  application: ApplicationProperties,
  origin: Origin | undefined,
): Envelope {
  checkHeaderSize(broker, application);
  const envelope = { payload, bodyKind, brokerProperties: broker, applicationProperties: application };
  return Object.freeze(origin === undefined ? envelope : { ...envelope, origin });
}

export function checkPayload(payload: unknown): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  throw invalid("$.payload", "must be a Uint8Array; let a serializer turn a value into bytes");
}

export function checkBodyKind(bodyKind: unknown): BodyKind {
  if (bodyKind === "data" || bodyKind === "value" || bodyKind === "sequence") return bodyKind;
  throw invalid("$.bodyKind", 'must be "data", "value" or "sequence"');
}
