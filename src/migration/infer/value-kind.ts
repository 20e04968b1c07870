import { isPlainPrototype } from "../../core/values/plain-object.ts";
import { AmqpMap, Typed } from "../../core/values/typed.ts";
import { Instant } from "../../core/values/instant.ts";
import { BigInteger } from "../../core/values/big-integer.ts";
import { ClassName, Uri, Version } from "../../core/values/named-text.ts";
import { ContentStream, MultiArray } from "../../core/values/multi-array.ts";
import { DateTime } from "../../core/values/date-time.ts";
import { DateTimeOffset } from "../../core/values/date-time-offset.ts";
import { Decimal } from "../../core/values/decimal.ts";
import { Duration } from "../../core/values/duration.ts";
import { EnumValue } from "../../core/values/enum-value.ts";
import { IsoTime } from "../../core/values/iso-time.ts";
import { LocalDate, LocalTime } from "../../core/values/local-time.ts";
import { QName } from "../../core/values/q-name.ts";

/** A count of 0 for every kind of value. */
export const noCounts = {
  null: 0,
  boolean: 0,
  integer: 0,
  number: 0,
  "not-finite": 0,
  int64: 0,
  "big-integer": 0,
  decimal: 0,
  text: 0,
  "empty-text": 0,
  bytes: 0,
  "time-utc": 0,
  "time-local": 0,
  "time-unspecified": 0,
  "time-offset": 0,
  date: 0,
  "clock-time": 0,
  duration: 0,
  guid: 0,
  uri: 0,
  version: 0,
  class: 0,
  qname: 0,
  char: 0,
  symbol: 0,
  enum: 0,
  object: 0,
  list: 0,
  map: 0,
  array: 0,
  stream: 0,
  other: 0,
};

/** A kind of value that has its own form in at least one format. */
export type ValueKind = keyof typeof noCounts;

/** All kinds of values. */
export const valueKinds: readonly ValueKind[] = Object.keys(noCounts).filter(isValueKind);

function isValueKind(name: string): name is ValueKind {
  return Object.hasOwn(noCounts, name);
}

/** The kind of a value. */
export function kindOf(value: unknown): ValueKind {
  switch (typeof value) {
    case "string":
      return value === "" ? "empty-text" : "text";
    case "number":
      // No integer has the sign of -0.
      if (Object.is(value, -0)) return "number";
      return Number.isSafeInteger(value) ? "integer" : Number.isFinite(value) ? "number" : "not-finite";
    case "boolean":
      return "boolean";
    case "bigint":
      return "int64";
    case "object":
      return value === null ? "null" : kindOfObject(value);
    default:
      return "other";
  }
}

/** The number of an enum whose name is unknown, or `undefined`. */
export function numberOfEnum(value: unknown): number | bigint | undefined {
  if (!(value instanceof EnumValue) || value.value === undefined || value.name !== `${value.value}`) return undefined;
  const number = Number(value.value);
  return Number.isSafeInteger(number) ? number : value.value;
}

function kindOfObject(value: object): ValueKind {
  if (Array.isArray(value)) return "list";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (isPlainPrototype(prototype)) return "object";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Map || value instanceof AmqpMap) return "map";
  if (value instanceof Date || value instanceof Instant) return "time-utc";
  if (value instanceof DateTime) return `time-${value.kind}`;
  if (value instanceof IsoTime) return `time-${value.kind}`;
  if (value instanceof Typed) return kindOfTyped(value);
  const number = numberOfEnum(value);
  if (number !== undefined) return typeof number === "bigint" ? "int64" : "integer";
  for (const [type, kind] of kindsOfClasses) if (value instanceof type) return kind;
  return "other";
}

const kindsOfClasses: readonly (readonly [new (...args: never[]) => object, ValueKind])[] = [
  [Decimal, "decimal"],
  [DateTimeOffset, "time-offset"],
  [Duration, "duration"],
  [EnumValue, "enum"],
  [BigInteger, "big-integer"],
  [Uri, "uri"],
  [Version, "version"],
  [ClassName, "class"],
  [QName, "qname"],
  [LocalDate, "date"],
  [LocalTime, "clock-time"],
  [MultiArray, "array"],
  [ContentStream, "stream"],
];

function kindOfTyped({ type, value }: Typed): ValueKind {
  switch (type) {
    case "uuid":
      return "guid";
    case "char":
      return "char";
    case "symbol":
      return "symbol";
    default:
      if (typeof value === "bigint") return type === "timestamp" ? "other" : "int64";
      return typeof value === "number" ? kindOf(value) : "other";
  }
}

/**
 * How much a reader had to guess: nothing; whether an empty list is a dictionary; also which elements are lists and
 * whether 0 and 1 are text; or also the type of every text.
 */
export type Guessing = "nothing" | "empty" | "digits" | "scalars";

/** How much a codec's reader guesses without a contract, unless the payload names the type: see `isTypedIn`. */
export function guessingOf(codec: string): Guessing {
  switch (codec) {
    case "nbfx":
      return "digits";
    case "datacontract-xml":
      return "scalars";
    // In most messages, .NET's JSON is ordinary JSON.
    case "json":
    case "datacontract-json":
      return "empty";
    default:
      return "nothing";
  }
}

/** Whether a reader had to guess which elements are lists. */
export function guessesLists(guessing: Guessing): boolean {
  return guessing === "digits" || guessing === "scalars";
}

/** Whether a value of this kind was guessed. */
export function isGuess(value: unknown, kind: ValueKind, guessing: Guessing): boolean {
  if (!guessesLists(guessing)) return false;
  if (guessing === "digits") return value === 0 || value === 1;
  return kind === "integer" || kind === "number" || kind === "boolean";
}
