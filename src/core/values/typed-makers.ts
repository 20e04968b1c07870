import { SobreError } from "../errors/sobre-error.ts";
import { type AmqpType, type AmqpValue, Typed, type TypedValues } from "./typed.ts";

const integer =
  <T extends "ubyte" | "ushort" | "uint" | "byte" | "short" | "int">(type: T, least: number, most: number) =>
  (value: number): Typed<T> => {
    if (!Number.isInteger(value) || value < least || value > most)
      throw outside(type, `an integer from ${least} to ${most}`);
    return new Typed<T>(type, value);
  };

const long =
  <T extends "ulong" | "long">(type: T, least: bigint, most: bigint) =>
  (value: bigint | number): Typed<T> => {
    const exact = typeof value === "bigint" || Number.isSafeInteger(value) ? BigInt(value) : undefined;
    if (exact === undefined || exact < least || exact > most)
      throw outside(type, `an integer from ${least} to ${most}`);
    return new Typed<T>(type, exact);
  };

const bits =
  <T extends "decimal32" | "decimal64" | "decimal128">(type: T, bytes: number) =>
  (value: Uint8Array): Typed<T> => {
    if (!(value instanceof Uint8Array) || value.byteLength !== bytes) throw outside(type, `${bytes} bytes`);
    return new Typed<T>(type, value);
  };

type Maker<T extends AmqpType, V = TypedValues[T]> = (value: V) => Typed<T>;

/** One maker of {@link Typed} values per AMQP type. */
export interface TypedMakers {
  readonly ubyte: Maker<"ubyte">;
  readonly ushort: Maker<"ushort">;
  readonly uint: Maker<"uint">;
  readonly ulong: Maker<"ulong", bigint | number>;
  readonly byte: Maker<"byte">;
  readonly short: Maker<"short">;
  readonly int: Maker<"int">;
  readonly long: Maker<"long", bigint | number>;
  readonly float: Maker<"float">;
  readonly double: Maker<"double">;
  readonly decimal32: Maker<"decimal32">;
  readonly decimal64: Maker<"decimal64">;
  readonly decimal128: Maker<"decimal128">;
  readonly char: Maker<"char">;
  readonly timestamp: Maker<"timestamp">;
  readonly uuid: Maker<"uuid">;
  readonly symbol: Maker<"symbol">;
  readonly described: (descriptor: AmqpValue, value: AmqpValue) => Typed<"described">;
  readonly array: (elementType: string, values: readonly AmqpValue[], descriptor?: AmqpValue) => Typed<"array">;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

// oxlint-disable-next-line no-control-regex -- ASCII has control characters
const symbolForm = /^[\x00-\x7f]*$/;

/** Whether a text can be a symbol: it is ASCII (AMQP 1.0 part 1.6.21). */
export const isSymbolText = (text: string): boolean => symbolForm.test(text);

/**
 * Makers of {@link Typed} values, one per AMQP type.
 *
 * @throws SobreError `InvalidArgument` for a value that the type cannot hold.
 * @example
 * ```ts
 * await sender.sendMessages({ body: 1, applicationProperties: { weight: typed.float(1.5), items: typed.ubyte(3) } });
 * ```
 */
export const typed: TypedMakers = {
  ubyte: integer("ubyte", 0, 0xff),
  ushort: integer("ushort", 0, 0xffff),
  uint: integer("uint", 0, 0xffff_ffff),
  ulong: long("ulong", 0n, 2n ** 64n - 1n),
  byte: integer("byte", -0x80, 0x7f),
  short: integer("short", -0x8000, 0x7fff),
  int: integer("int", -0x8000_0000, 0x7fff_ffff),
  long: long("long", -(2n ** 63n), 2n ** 63n - 1n),
  float(value: number): Typed<"float"> {
    if (typeof value !== "number" || !Object.is(Math.fround(value), value))
      throw outside("float", "a number of single precision: pass it through Math.fround");
    return new Typed("float", value);
  },
  double(value: number): Typed<"double"> {
    if (typeof value !== "number") throw outside("double", "a number");
    return new Typed("double", value);
  },
  decimal32: bits("decimal32", 4),
  decimal64: bits("decimal64", 8),
  decimal128: bits("decimal128", 16),
  char(value: string): Typed<"char"> {
    const point = (typeof value === "string" ? value.codePointAt(0) : undefined) ?? 0xd800;
    if (String.fromCodePoint(point) !== value || (point >= 0xd800 && point <= 0xdfff))
      throw outside("char", "one Unicode character");
    return new Typed("char", value);
  },
  timestamp(value: bigint): Typed<"timestamp"> {
    if (typeof value !== "bigint" || BigInt.asIntN(64, value) !== value)
      throw outside("timestamp", "a signed 64-bit number of milliseconds");
    return new Typed("timestamp", value);
  },
  uuid(value: string): Typed<"uuid"> {
    const text = typeof value === "string" ? value.toLowerCase() : "";
    if (!uuidForm.test(text)) throw outside("uuid", 'text as in "0f8fad5b-d9cb-469f-a165-70867728950e"');
    return new Typed("uuid", text);
  },
  symbol(value: string): Typed<"symbol"> {
    if (typeof value !== "string" || !isSymbolText(value)) throw outside("symbol", "ASCII text");
    return new Typed("symbol", value);
  },
  described: (descriptor: AmqpValue, value: AmqpValue): Typed<"described"> =>
    new Typed("described", { descriptor, value }),
  array: (elementType: string, values: readonly AmqpValue[], descriptor?: AmqpValue): Typed<"array"> =>
    new Typed("array", descriptor === undefined ? { elementType, values } : { elementType, descriptor, values }),
};

function outside(type: AmqpType, wanted: string): SobreError {
  return new SobreError("InvalidArgument", `An AMQP ${type} needs ${wanted}.`);
}
