import {
  type ApplicationProperties,
  type ApplicationPropertyValue,
  applicationProperties,
  changedProperties,
} from "./application-properties.ts";
import { checkBag, invalid } from "./bag.ts";
import { type BrokerProperties, type BrokerPropertiesInit, brokerProperties } from "./broker-properties.ts";
import { checkHeaderSize } from "./limits.ts";
import { anEnvelope, checkNames, checkOption } from "../options/option-checks.ts";

/**
 * The AMQP body section of the payload: opaque `data`, or `value` or `sequence`, where the payload is the encoded AMQP
 * value without the section descriptor.
 */
export type BodyKind = "data" | "value" | "sequence";

/** The sections of a message as received from the network; engines carry it and never read it. */
export type Origin = object;

/**
 * A message as written by its sender: an opaque payload and its properties. Immutable; {@link amend} makes a changed
 * copy.
 */
export interface Envelope {
  readonly payload: Uint8Array;
  readonly bodyKind: BodyKind;
  readonly brokerProperties: BrokerProperties;
  readonly applicationProperties: ApplicationProperties;
  readonly origin?: Origin;
}

/** The parts of an envelope for {@link createEnvelope}; only the payload is required. */
export interface EnvelopeInit {
  readonly payload: Uint8Array;
  /** Default: `data`. */
  readonly bodyKind?: BodyKind | undefined;
  readonly brokerProperties?: BrokerPropertiesInit | undefined;
  readonly applicationProperties?: Readonly<Record<string, ApplicationPropertyValue | undefined>> | undefined;
  readonly origin?: Origin | undefined;
}

/** Changes for {@link amend}; members of the property objects that are `undefined` are removed. */
export type EnvelopeChanges = Partial<EnvelopeInit>;

/**
 * Creates an envelope after checking all its parts. The payload and Dates are kept by reference: changing them changes
 * the envelope. Binary application properties are copied.
 *
 * @throws SobreError `InvalidArgument` naming the property, or `MessageSizeExceeded` when the properties exceed 64 KiB.
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

/** {@link createEnvelope} for untyped input. */
export function checkEnvelope(init: UncheckedEnvelope): Envelope {
  checkNames(init, parts, { owner: "createEnvelope: " });
  return checkParts(init);
}

/** {@link checkEnvelope} for an object that is known to have no other members. */
export function checkParts(init: UncheckedEnvelope): Envelope {
  return assemble(
    checkPayload(init.payload),
    init.bodyKind === undefined ? "data" : checkBodyKind(init.bodyKind),
    brokerProperties(init.brokerProperties),
    applicationProperties(init.applicationProperties),
    init.origin,
  );
}

/**
 * Returns a new envelope with the changes; unchanged parts stay the same objects, so their AMQP sections are forwarded
 * byte for byte.
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
      : changedProperties(envelope.applicationProperties, changes.applicationProperties),
    changes.origin ?? envelope.origin,
  );
}

/** The envelope with other parts, which are known to be valid. */
export function withParts(
  { bodyKind, origin }: Pick<Envelope, "bodyKind" | "origin">,
  payload: Uint8Array,
  broker: BrokerProperties,
  application: ApplicationProperties,
): Envelope {
  const changed = { payload, bodyKind, brokerProperties: broker, applicationProperties: application };
  return Object.freeze(origin === undefined ? changed : { ...changed, origin });
}

/** The envelope of parts that have been checked separately. @throws SobreError `MessageSizeExceeded`. */
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
  throw invalid("$.payload", "must be a Uint8Array; use a serializer to encode a value");
}

export function checkBodyKind(bodyKind: unknown): BodyKind {
  if (bodyKind === "data" || bodyKind === "value" || bodyKind === "sequence") return bodyKind;
  throw invalid("$.bodyKind", 'must be "data", "value" or "sequence"');
}
