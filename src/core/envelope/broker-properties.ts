import type { SobreError } from "../errors/sobre-error.ts";
import { checkBag, invalid, isOwn, isText, isTime } from "./bag.ts";
import { Typed } from "../values/typed.ts";

/**
 * A message id or correlation id: a string, or another AMQP form (AMQP 1.0 part 3.2.11 to 3.2.14); numbers are ulong.
 */
export type MessageId = string | number | bigint | Uint8Array | Typed<"uuid">;

/**
 * The broker properties that a sender may set, named as in `@azure/service-bus`.
 *
 * Ids have at most 128 characters. On session entities the session id is the partition key: a different key is
 * replaced. On partitioned entities without sessions, the two must be equal if both are set. Strings with lone
 * surrogates are refused.
 */
export interface BrokerProperties {
  /** The RFC 2045 content type of the payload; it selects the codec. */
  readonly contentType?: string;
  /** Compression of the payload, as in HTTP: `gzip`, `deflate`, `br`, `zstd`. */
  readonly contentEncoding?: string;
  readonly correlationId?: MessageId;
  readonly messageId?: MessageId;
  readonly partitionKey?: string;
  readonly viaPartitionKey?: string;
  readonly replyTo?: string;
  readonly replyToSessionId?: string;
  /** When the scheduled message becomes available. */
  readonly scheduledEnqueueTimeUtc?: Date;
  readonly sessionId?: string;
  /** The application's label for the message, which rules can match ("label" in older SDKs). */
  readonly subject?: string;
  /** Whole milliseconds from enqueueing until the message expires, or `Infinity`. Default: the entity's. */
  readonly timeToLive?: number;
  readonly to?: string;
}

/** The properties that only the broker sets. */
export const readOnlyProperties = [
  "deadLetterSource",
  "deadLetterReason",
  "deadLetterErrorDescription",
  "deliveryCount",
  "enqueuedSequenceNumber",
  "enqueuedTimeUtc",
  "expiresAtUtc",
  "lockedUntilUtc",
  "lockToken",
  "sequenceNumber",
  "state",
] as const;

/** The name of a property that only the broker sets. */
export type ReadOnlyProperty = (typeof readOnlyProperties)[number];

/** Broker properties to set; `undefined` omits one; read-only ones are compile errors. */
export type BrokerPropertiesInit = { readonly [K in keyof BrokerProperties]: BrokerProperties[K] | undefined } & {
  readonly [K in ReadOnlyProperty]?: never;
};

/** Maximum length of an id, session id or partition key, in characters. */
export const maxIdLength = 128;

/** Broker properties while they are collected. */
export type BrokerPropertiesDraft = { -readonly [K in keyof BrokerProperties]?: NonNullable<BrokerProperties[K]> };

const noBrokerProperties: BrokerProperties = Object.freeze({});

/**
 * A frozen copy with every member checked; `undefined` members are omitted.
 *
 * @throws SobreError `InvalidArgument` naming the property: unknown, read-only, of the wrong type, too long or not
 * well-formed.
 */
export function brokerProperties(init: unknown): BrokerProperties {
  if (init === undefined) return noBrokerProperties;
  const given = checkBag(init, "$.brokerProperties");
  const checked: BrokerPropertiesDraft = {};
  for (const name in given) if (isOwn(given, name)) set(checked, name, given[name]);
  return Object.freeze(checked);
}

/** Checks and sets a property; `undefined` sets nothing. @throws SobreError as {@link brokerProperties} does. */
export function set(checked: BrokerPropertiesDraft, name: string, value: unknown): void {
  if (value === undefined) return;
  switch (name) {
    case "contentType":
    case "contentEncoding":
    case "replyTo":
    case "subject":
    case "to":
      checked[name] = text(name, value);
      return;
    case "correlationId":
    case "messageId":
      checked[name] = id(name, value);
      return;
    case "partitionKey":
    case "viaPartitionKey":
    case "replyToSessionId":
    case "sessionId":
      checked[name] = key(name, value);
      return;
    case "scheduledEnqueueTimeUtc":
      checked[name] = time(name, value);
      return;
    case "timeToLive":
      checked[name] = span(name, value);
      return;
    default:
      throw refused(name, "is unknown or only set by the broker; put your own properties into applicationProperties");
  }
}

// The checks return the value if it is valid for the property.

const idText = `a well-formed string of at most ${maxIdLength} characters`;

export function text(name: string, value: unknown): string {
  if (isText(value)) return value;
  throw refused(name, "must be a well-formed string");
}

export function key(name: string, value: unknown): string {
  if (isKey(value)) return value;
  throw refused(name, `must be ${idText}`);
}

function isKey(value: unknown): value is string {
  return isText(value) && value.length <= maxIdLength;
}

export function id(name: string, value: unknown): MessageId {
  if (isKey(value) || isNumericId(value) || isBinaryId(value)) return value;
  throw refused(name, `must be ${idText}, an unsigned 64-bit integer, bytes or a typed uuid`);
}

function isNumericId(value: unknown): value is number | bigint {
  if (typeof value === "bigint") return value >= 0n && value < 2n ** 64n;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isBinaryId(value: unknown): value is Uint8Array | Typed<"uuid"> {
  if (value instanceof Uint8Array) return value.byteLength <= maxIdLength;
  return value instanceof Typed && value.type === "uuid";
}

function time(name: string, value: unknown): Date {
  if (isTime(value)) return value;
  throw refused(name, "must be a valid Date");
}

export function span(name: string, value: unknown): number {
  if (typeof value === "number" && value > 0 && (Number.isInteger(value) || value === Infinity)) return value;
  throw refused(name, "must be a whole number of milliseconds above 0");
}

function refused(name: string, what: string): SobreError {
  return invalid(`$.brokerProperties.${name}`, what);
}
