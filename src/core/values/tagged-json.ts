import { SobreError } from "../errors/sobre-error.ts";
import { AmqpMap, type AmqpValue, Typed } from "./typed.ts";
import { fromBase64 } from "../host/node.ts";
import { BigInteger } from "./big-integer.ts";
import type { DateTime } from "./date-time.ts";
import { IsoTime } from "./iso-time.ts";
import { MsgpackExtension } from "./msgpack-extension.ts";
import { dateTime, valueReaders } from "./tagged-values.ts";
import { Instant } from "./instant.ts";
import { typed } from "./typed-makers.ts";

type Reader = (content: unknown, inner: (item: unknown) => unknown) => unknown;

const integers = ["ubyte", "ushort", "uint", "byte", "short", "int"] as const;
const decimals = ["decimal32", "decimal64", "decimal128"] as const;

/** One reader per `$` key; they throw a TypeError or SyntaxError for content of the wrong form. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["$int64", (content) => within(integer(content), -(2n ** 63n), 2n ** 64n)],
  ["$bigint", (content) => bigInteger(integer(content))],
  ["$ulong", (content) => typed.ulong(integer(content))],
  ["$timestamp", (content) => typed.timestamp(within(integer(content), -(2n ** 63n), 2n ** 63n))],
  ["$double", (content) => typedDouble(double(content))],
  ["$float", (content) => typed.float(typeof content === "number" ? content : double(content))],
  ["$bytes", (content) => fromBase64(text(content))],
  ["$guid", (content) => typed.uuid(text(content))],
  ["$char", (content) => char(text(content))],
  ["$symbol", (content) => typed.symbol(text(content))],
  ["$described", (content, inner) => described(pair(content, inner))],
  ["$amqpArray", amqpArray],
  ["$msgpackExtension", (content, inner) => msgpackExtension(pair(content, inner))],
  ...integers.map((type): [string, Reader] => [`$${type}`, (content) => typed[type](number(content))]),
  ...decimals.map((type): [string, Reader] => [`$${type}`, (content) => typed[type](fromBase64(text(content)))]),
]);

/** A plain bigint that fits into 64 bits is `$int64`. */
function bigInteger(value: bigint): bigint | BigInteger {
  return value >= -(2n ** 63n) && value < 2n ** 64n ? new BigInteger(value) : value;
}

/** One character, or the half of one that a foreign `char` can be. */
function char(content: string): Typed<"char"> {
  return /^[\ud800-\udfff]$/.test(content) ? new Typed("char", content) : typed.char(content);
}

/** The parts of a `$` object. */
export interface TaggedObject {
  readonly tag: string;
  readonly content: unknown;
  /** Its other members. */
  readonly rest: object;
}

/** Reads a `$` object; @throws SobreError `InvalidArgument` with the path. */
export function readTagged(
  { tag, content, rest }: TaggedObject,
  path: string,
  inner: (item: unknown) => unknown,
): unknown {
  const reader = readers.get(tag);
  const ofText = valueReaders.get(tag);
  if (reader === undefined && ofText === undefined && tag !== "$dateTime") {
    const known = [...readers.keys(), ...valueReaders.keys(), ...readElsewhere].join(", ");
    throw new SobreError(
      "InvalidArgument",
      `The value at ${path} has the unknown tag ${tag}; the tags are ${known}. Wrap ordinary members in {"$object":{…}}.`,
      { path },
    );
  }
  try {
    if (ofText !== undefined) return ofText(text(content), { ...rest });
    if (reader === undefined) return time(text(content), { ...rest });
    if (Object.keys(rest).length > 0) throw new TypeError("a tag is the only member");
    return reader(content, inner);
  } catch (error) {
    if (error instanceof SobreError && error.path !== undefined) throw error;
    throw new SobreError("InvalidArgument", `The ${tag} at ${path} has content of the wrong form.`, {
      path,
      cause: error,
    });
  }
}

/** The tags that are read elsewhere. */
const readElsewhere = ["$dateTime", "$map", "$array", "$stream", "$values", "$object", "$id", "$ref", "$type"];

function text(content: unknown): string {
  if (typeof content === "string") return content;
  throw new TypeError("not a string");
}

function list(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  throw new TypeError("not a list");
}

function pair(content: unknown, inner: (item: unknown) => unknown): [unknown, unknown] {
  const items = list(content);
  if (items.length !== 2) throw new TypeError("not a pair");
  return [inner(items[0]), inner(items[1])];
}

function number(content: unknown): number {
  if (typeof content === "number") return content;
  throw new TypeError("not a number");
}

function integer(content: unknown): bigint {
  // BigInt reads "" as 0 and takes blanks, hexadecimal and more.
  if (!/^-?\d+$/.test(text(content))) throw new TypeError("not an integer");
  return BigInt(text(content));
}

function within(value: bigint, least: bigint, end: bigint): bigint {
  if (value < least || value >= end) throw new TypeError("out of range");
  return value;
}

const notFinite: ReadonlyMap<string, number> = new Map([
  ["INF", Infinity],
  ["-INF", -Infinity],
  ["NaN", Number.NaN],
]);

function double(content: unknown): number {
  const named = notFinite.get(text(content));
  if (named !== undefined) return named;
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text(content))) throw new TypeError("not a number");
  return Number(content);
}

/** A double that a plain number would not name as one stays typed: 5 alone is an int, and 1e16 is not one. */
function typedDouble(value: number): number | Typed<"double"> {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? typed.double(value) : value;
}

function time(content: string, rest: Partial<Record<string, unknown>>): Date | Instant | DateTime | IsoTime {
  const { kind, ticks, ...unknown } = rest;
  if (Object.keys(unknown).length > 0) throw new TypeError("unknown members");
  const [, second, fraction = ""] = /^([-+\d]+T[\d:]{8})(?:\.(\d{1,9}))?Z$/.exec(content) ?? [];
  if (kind !== undefined && (kind !== "utc" || (ticks !== undefined && fraction.length > 3)))
    return dateTime(content, rest);
  const beyond = /^@(-?\d+)\.(\d{9})Z$/.exec(content);
  if (beyond !== null) return new Instant(BigInt(`${beyond[1]}`) * 1_000_000_000n + BigInt(`${beyond[2]}`));
  const date = new Date(`${second}Z`);
  // An Instant has nine decimals; the times of Java beyond the year 9999 have fewer, or are beyond any Date.
  const isInstant = fraction.length === 9 && !Number.isNaN(date.getTime());
  if (kind === "utc" && ticks === undefined && !isInstant && /^[+-]?\d{5,}|^-/.test(content)) {
    return new IsoTime(content, kind);
  }
  // Date moves 30 February to March.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== `${second}.000Z`) throw new TypeError("not a time");
  if (fraction.length <= 3) return new Date(date.getTime() + Number(fraction.padEnd(3, "0")));
  return new Instant(BigInt(date.getTime()) * 1_000_000n + BigInt(fraction.padEnd(9, "0")));
}

function described([descriptor, value]: [unknown, unknown]): Typed<"described"> {
  return typed.described(amqpValue(descriptor), amqpValue(value));
}

function amqpArray(content: unknown, inner: (item: unknown) => unknown): Typed<"array"> {
  const { of, values, descriptor, ...others }: Partial<Record<string, unknown>> = { ...members(content) };
  if (Object.keys(others).length > 0) throw new TypeError("not an array");
  const elementType = text(of);
  const items = list(values).map((item) => amqpValue(inner(item)));
  if (descriptor === undefined) return typed.array(elementType, items);
  return new Typed("array", { elementType, descriptor: amqpValue(inner(descriptor)), values: items });
}

function members(content: unknown): object {
  if (typeof content === "object" && content !== null) return content;
  throw new TypeError("not an object");
}

function amqpValue(value: unknown): AmqpValue {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
    case "bigint":
      return value;
    default:
      if (value === null || value instanceof Uint8Array || value instanceof Date || value instanceof Typed)
        return value;
      if (Array.isArray(value)) return value.map(amqpValue);
      if (value instanceof Map)
        return new AmqpMap(Array.from(value, ([key, item]) => [amqpValue(key), amqpValue(item)]));
      throw new TypeError("not an AMQP value");
  }
}

function msgpackExtension([type, data]: [unknown, unknown]): MsgpackExtension {
  return new MsgpackExtension(number(type), fromBase64(text(data)));
}
