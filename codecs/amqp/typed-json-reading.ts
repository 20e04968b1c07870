import { typed } from "../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../src/core/values/typed.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { nanBits } from "../../src/core/amqp-values/nan-bits.ts";
import { doubleOf, floatOf, timestampOf } from "../../src/core/amqp-values/typed-scalar.ts";

/** Deeper descriptions are refused: no decoder would read what they describe. */
const maxDepth = 1024;

/**
 * Reads a value from its description as `toTypedJson` makes it.
 *
 * @throws SobreError `InvalidArgument` with the path, for anything else.
 */
export function fromTypedJson(json: unknown): AmqpValue {
  return read(json, "$", 0);
}

type TypedMembers = Readonly<Record<"t" | "v" | "of" | "d", unknown>>;

function membersOf(json: unknown, path: string): TypedMembers {
  if (typeof json !== "object" || json === null || !("t" in json))
    throw malformed(path, 'an object with a type in "t"');
  return { v: undefined, of: undefined, d: undefined, ...json };
}

function read(json: unknown, path: string, depth: number): AmqpValue {
  if (depth > maxDepth) throw malformed(path, `nested at most ${maxDepth} levels deep`);
  const members = membersOf(json, path);
  const { t, v, d } = members;
  switch (t) {
    case "null":
      if (v !== undefined && v !== null) throw malformed(path, 'a null without a value in "v"');
      return null;
    case "list":
      return list(v, path).map((item, index) => read(item, `${path}[${index}]`, depth + 1));
    case "map":
      return new AmqpMap(list(v, path).map((entry, index) => pair(entry, `${path}{${index}}`, depth + 1)));
    case "described":
      return typed.described(read(d, `${path}{descriptor}`, depth + 1), read(v, path, depth + 1));
    case "array":
      return readArray(members, path, depth);
    default:
      return readScalar(t, v, path);
  }
}

function pair(entry: unknown, path: string, depth: number): readonly [AmqpValue, AmqpValue] {
  const [key, value, ...rest] = list(entry, path);
  if (rest.length > 0) throw malformed(path, "a pair of key and value");
  return [read(key, `${path}{key}`, depth), read(value, path, depth)];
}

function readArray({ of, v, d }: TypedMembers, path: string, depth: number): Typed<"array"> {
  if (typeof of !== "string") throw malformed(path, 'an array with its element type in "of"');
  if (!elementTypes.has(of)) throw malformed(path, "an array whose element type AMQP 1.0 has");
  const isWhole = of === "array" || of === "described";
  const values = list(v, path).map((item, index) => {
    const here = `${path}[${index}]`;
    return isWhole ? whole(item, of, here, depth + 1) : bare(read({ t: of, v: item }, here, depth + 1));
  });
  const descriptor = d === undefined ? {} : { descriptor: read(d, `${path}{descriptor}`, depth + 1) };
  return new Typed("array", { elementType: of, ...descriptor, values });
}

/** An element that carries its own type, which must be that of the array. */
function whole(item: unknown, of: string, path: string, depth: number): AmqpValue {
  if (membersOf(item, path).t !== of) throw malformed(path, `of its array's element type, ${of}`);
  return read(item, path, depth);
}

/** The element after a type that the array states; those that carry more stay typed. */
function bare(item: AmqpValue): AmqpValue {
  if (!(item instanceof Typed) || nanBits(item) !== undefined) return item;
  const { value } = item;
  return typeof value === "object" && !(value instanceof Uint8Array) ? item : value;
}

const numbers = ["ubyte", "ushort", "uint", "byte", "short"] as const;
const decimals = ["decimal32", "decimal64", "decimal128"] as const;

type ScalarReader = (v: unknown) => AmqpValue;

/** One reader per type that holds no others; they throw anything for a `v` of the wrong form. */
const scalars: ReadonlyMap<unknown, ScalarReader> = new Map<unknown, ScalarReader>([
  ["boolean", (v) => expected(v, v === true || v === false)],
  ["string", text],
  ["symbol", (v) => typed.symbol(text(v))],
  ["uuid", (v) => typed.uuid(text(v))],
  ["char", (v) => typed.char(String.fromCodePoint(number(v)))],
  ["binary", fromHex],
  ["int", (v) => typed.int(number(v)).value],
  ["long", (v) => typed.long(bigint(v)).value],
  ["ulong", (v) => typed.ulong(bigint(v))],
  ["timestamp", (v) => timestampOf(typed.long(bigint(v)).value)],
  ["double", (v) => (v === "nan" ? Number.NaN : doubleOf(fromHex(v, 8)))],
  ["float", (v) => (v === "nan" ? typed.float(Number.NaN) : floatOf(fromHex(v, 4)))],
  ...numbers.map((type): [unknown, ScalarReader] => [type, (v) => typed[type](number(v))]),
  ...decimals.map((type): [unknown, ScalarReader] => [type, (v) => typed[type](fromHex(v))]),
]);

const elementTypes: ReadonlySet<unknown> = new Set([...scalars.keys(), "null", "list", "map", "array", "described"]);

function readScalar(t: unknown, v: unknown, path: string): AmqpValue {
  const reader = scalars.get(t);
  if (reader === undefined) throw malformed(path, "of a type that AMQP 1.0 has");
  try {
    return reader(v);
  } catch (cause) {
    throw malformed(path, `a ${String(t)} with its value in "v" in the documented form`, cause);
  }
}

function expected(v: unknown, holds: boolean): boolean {
  if (!holds) throw new TypeError("of the wrong form");
  return v === true;
}

function text(v: unknown): string {
  if (typeof v !== "string") throw new TypeError("not a text");
  return v;
}

function number(v: unknown): number {
  if (typeof v !== "number") throw new TypeError("not a number");
  // JSON has a -0, integers have none.
  return v + 0;
}

function bigint(v: unknown): bigint {
  const digits = text(v);
  if (!/^(?:0|-?[1-9]\d*)$/.test(digits)) throw new TypeError("not a decimal integer");
  return BigInt(digits);
}

function fromHex(v: unknown, width?: number): Uint8Array {
  const hex = text(v);
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex) || (width !== undefined && hex.length !== width * 2)) {
    throw new TypeError("not hex of the right length");
  }
  return new Uint8Array(Buffer.from(hex, "hex"));
}

function list(v: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(v)) throw malformed(path, 'described with a list in "v"');
  return v;
}

function malformed(path: string, wanted: string, cause?: unknown): SobreError {
  return new SobreError("InvalidArgument", `The typed JSON at ${path} must be ${wanted}.`, { path, cause });
}
