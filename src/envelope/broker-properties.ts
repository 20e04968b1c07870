import type { SobreError } from "../errors/index.ts";
import { checkBag, emptyBag, invalid, memberOf } from "./bag.ts";
import { Typed } from "./typed.ts";

/** A message id or correlation id: text, or one of the other AMQP forms (AMQP 1.0 part 3.2.11 to 3.2.14); numbers are ulong. */
export type MessageId = string | number | bigint | Uint8Array | Typed<"uuid">;

/**
 * The broker properties a sender may set, with the names of `@azure/service-bus`.
 *
 * Ids are at most 128 characters; `sessionId` and `partitionKey` are equal when both are set.
 */
export interface BrokerProperties {
  /** RFC 2045 content type of the payload; it chooses the codec. */
  readonly contentType?: string;
  /** Compression of the payload, as in HTTP: `gzip`, `deflate`, `br`, `zstd`. */
  readonly contentEncoding?: string;
  readonly correlationId?: MessageId;
  readonly messageId?: MessageId;
  readonly partitionKey?: string;
  readonly viaPartitionKey?: string;
  readonly replyTo?: string;
  readonly replyToSessionId?: string;
  /** When the message becomes available; accepted now, delivered then. */
  readonly scheduledEnqueueTimeUtc?: Date;
  readonly sessionId?: string;
  /** The application's own label, which rules match on ("label" of older SDKs). */
  readonly subject?: string;
  /** Whole milliseconds from enqueueing until the message expires, or `Infinity`; default: the entity's. */
  readonly timeToLive?: number;
  readonly to?: string;
}

/** What the broker says about a message; a sender never writes these. */
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

type ReadOnlyProperty = (typeof readOnlyProperties)[number];

/** Broker properties as a caller gives them: `undefined` leaves one out; read-only ones are compile errors. */
export type BrokerPropertiesInit = { readonly [K in keyof BrokerProperties]: BrokerProperties[K] | undefined } & {
  readonly [K in ReadOnlyProperty]?: never;
};

/** The longest id, session id and partition key, in characters. */
export const maxIdLength = 128;

/** What a property must be, as a test and in words. */
interface Rule<T> {
  readonly holds: (value: unknown) => value is T;
  readonly wanted: string;
}
type Key = keyof BrokerProperties;
type Values = { readonly [K in keyof Required<BrokerProperties>]: NonNullable<BrokerProperties[K]> };

const text: Rule<string> = { holds: (value): value is string => typeof value === "string", wanted: "a string" };
const key: Rule<string> = {
  holds: (value): value is string => typeof value === "string" && value.length <= maxIdLength,
  wanted: `a string of at most ${maxIdLength} characters`,
};
const id: Rule<MessageId> = {
  holds: (value): value is MessageId => key.holds(value) || isNumericId(value) || isBinaryId(value),
  wanted: `${key.wanted}, an unsigned 64-bit integer, bytes or a typed uuid`,
};
const time: Rule<Date> = {
  holds: (value): value is Date => value instanceof Date && !Number.isNaN(value.getTime()),
  wanted: "a valid Date",
};
const span: Rule<number> = {
  holds: (value): value is number =>
    typeof value === "number" && value > 0 && (Number.isInteger(value) || value === Infinity),
  wanted: "a whole number of milliseconds above 0",
};
const table: { readonly [K in Key]: Rule<Values[K]> } = {
  contentType: text,
  contentEncoding: text,
  correlationId: id,
  messageId: id,
  partitionKey: key,
  viaPartitionKey: key,
  replyTo: text,
  replyToSessionId: key,
  scheduledEnqueueTimeUtc: time,
  sessionId: key,
  subject: text,
  timeToLive: span,
  to: text,
};
const rules: typeof table = Object.assign(emptyBag(), table);

function isNumericId(value: unknown): boolean {
  if (typeof value === "bigint") return value >= 0n && value < 2n ** 64n;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isBinaryId(value: unknown): boolean {
  if (value instanceof Uint8Array) return value.byteLength <= maxIdLength;
  return value instanceof Typed && value.type === "uuid";
}

const none: BrokerProperties = Object.freeze({});

/**
 * A frozen copy with every member checked; `undefined` members are left out.
 *
 * @throws SobreError `InvalidArgument` naming the property: unknown, read-only, of the wrong type, too long,
 *   or a session id that differs from the partition key.
 */
export function brokerProperties(init: unknown): BrokerProperties {
  if (init === undefined) return none;
  const given = checkBag(init, "$.brokerProperties");
  const checked: Draft = {};
  // Every message passes here: a list of names is cheaper than asking of each whether it is the object's own.
  for (const name of Object.keys(given)) {
    const value = memberOf(given, name);
    if (value === undefined) continue;
    if (!isSettable(name)) {
      throw refused(name, "is set by the broker or unknown; put your own into applicationProperties");
    }
    set(checked, name, value);
  }
  if (
    checked.sessionId !== undefined &&
    checked.partitionKey !== undefined &&
    checked.sessionId !== checked.partitionKey
  ) {
    throw refused("partitionKey", "must equal sessionId when both are set");
  }
  return Object.freeze(checked);
}

type Draft = { -readonly [K in Key]?: Values[K] };

function set<K extends Key>(target: Pick<Draft, K>, name: K, value: unknown): void {
  const rule: Rule<Values[K]> = rules[name];
  if (!rule.holds(value)) throw refused(name, `must be ${rule.wanted}`);
  target[name] = value;
}

function isSettable(name: string): name is Key {
  return name in rules;
}

function refused(name: string, what: string): SobreError {
  return invalid(`$.brokerProperties.${name}`, what);
}
