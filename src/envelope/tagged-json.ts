import { SobreError } from "../errors/index.ts";
import { AmqpMap } from "./amqp-map.ts";
import { Instant } from "./instant.ts";
import { amqp, type AmqpValue, Typed } from "./typed.ts";

type Reader = (content: unknown, inner: (item: unknown) => unknown) => unknown;

const integers = ["ubyte", "ushort", "uint", "byte", "short", "int"] as const;
const decimals = ["decimal32", "decimal64", "decimal128"] as const;

/** One reader per `$` key; they throw a TypeError or SyntaxError for content of the wrong form. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["$int64", (content) => BigInt(text(content))],
  ["$bigint", (content) => BigInt(text(content))],
  ["$ulong", (content) => amqp.ulong(BigInt(text(content)))],
  ["$timestamp", (content) => amqp.timestamp(BigInt(text(content)))],
  ["$double", (content) => double(text(content))],
  ["$float", (content) => amqp.float(typeof content === "number" ? content : number(text(content)))],
  ["$dateTime", (content) => dateTime(text(content))],
  ["$bytes", (content) => fromBase64(text(content))],
  ["$guid", (content) => amqp.uuid(text(content))],
  ["$char", (content) => amqp.char(text(content))],
  ["$symbol", (content) => amqp.symbol(text(content))],
  ["$map", (content, inner) => new Map(list(content).map((entry) => pair(entry, inner)))],
  ["$described", (content, inner) => described(pair(content, inner))],
  ["$amqpArray", amqpArray],
  ...integers.map((type): [string, Reader] => [`$${type}`, (content) => amqp[type](Number(content))]),
  ...decimals.map((type): [string, Reader] => [`$${type}`, (content) => amqp[type](fromBase64(text(content)))]),
]);

/** Reads the object with the one key `tag`; @throws SobreError `InvalidArgument`. */
export function readTagged(tag: string, content: unknown, path: string, inner: (item: unknown) => unknown): unknown {
  const reader = readers.get(tag);
  if (reader === undefined) {
    const known = [...readers.keys(), "$object"].join(", ");
    throw new SobreError(
      "InvalidArgument",
      `The value at ${path} has the unknown tag ${tag}; the tags are ${known}. Wrap ordinary members in {"$object":{…}}.`,
      {
        path,
      },
    );
  }
  try {
    return reader(content, inner);
  } catch (error) {
    if (error instanceof SobreError && error.path !== undefined) throw error;
    throw new SobreError("InvalidArgument", `The ${tag} at ${path} has content of the wrong form.`, {
      path,
      cause: error,
    });
  }
}

function text(content: unknown): string {
  if (typeof content === "string") return content;
  throw new TypeError("not a string");
}

function list(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  throw new TypeError("not a list");
}

function pair(content: unknown, inner: (item: unknown) => unknown): [unknown, unknown] {
  const [first, second, ...rest] = list(content);
  if (rest.length > 0) throw new TypeError("not a pair");
  return [inner(first), inner(second)];
}

/** A double that a plain number would not name as one stays typed: 5 alone is an int. */
function double(content: string): number | Typed<"double"> {
  const value = number(content);
  return Number.isInteger(value) && !Object.is(value, -0) ? amqp.double(value) : value;
}

function number(content: string): number {
  const value = { INF: Infinity, "-INF": -Infinity, NaN }[content] ?? Number(content);
  if (Number.isNaN(value) && content !== "NaN") throw new TypeError("not a number");
  return value;
}

function dateTime(content: string): Date | Instant {
  const parts = /^(.*\d)\.(\d{4,9})Z$/.exec(content);
  const date = new Date(parts === null ? content : `${parts[1]}Z`);
  if (Number.isNaN(date.getTime())) throw new TypeError("not a time");
  if (parts === null) return date;
  return new Instant(BigInt(date.getTime()) * 1_000_000n + BigInt((parts[2] ?? "").padEnd(9, "0")));
}

function described([descriptor, value]: [unknown, unknown]): Typed<"described"> {
  return amqp.described(amqpValue(descriptor), amqpValue(value));
}

function amqpArray(content: unknown, inner: (item: unknown) => unknown): Typed<"array"> {
  if (typeof content !== "object" || content === null || !("of" in content) || !("values" in content))
    throw new TypeError("not an array");
  const values = list(content.values).map((item) => amqpValue(inner(item)));
  if (!("descriptor" in content)) return amqp.array(text(content.of), values);
  return new Typed("array", {
    elementType: text(content.of),
    descriptor: amqpValue(inner(content.descriptor)),
    values,
  });
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

function fromBase64(content: string): Uint8Array {
  return Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
}
