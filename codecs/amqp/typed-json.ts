import { AmqpMap, type AmqpValue, Typed, type TypedValues } from "../../src/envelope/index.ts";
import { SobreError } from "../../src/errors/index.ts";
import { nanBits } from "./nan-bits.ts";

/**
 * A value with its AMQP type as JSON.
 *
 * 64-bit integers and timestamps are decimal text; floats and doubles the big-endian bits in hex (`nan` for any NaN);
 * decimals and binary hex; chars code points; maps pairs in order; array elements are bare.
 */
export interface TypedJson {
  readonly t: string;
  readonly v?: unknown;
  /** Arrays: the type of the elements. */
  readonly of?: string;
  /** Described values and described arrays: the descriptor. */
  readonly d?: TypedJson;
}

/**
 * Renders a value as `{t, v}`; plain values show the type they stand for.
 *
 * @throws SobreError `UnsupportedValue` with the path, for what is no AMQP value.
 */
export function toTypedJson(value: AmqpValue): TypedJson {
  return render(value, "$");
}

function render(value: AmqpValue, path: string): TypedJson {
  switch (typeof value) {
    case "string":
      return { t: "string", v: value };
    case "boolean":
      return { t: "boolean", v: value };
    case "bigint":
      return { t: value < 2n ** 63n ? "long" : "ulong", v: `${value}` };
    case "number":
      return renderNumber(value);
    default:
      return renderObject(value, path);
  }
}

function renderNumber(value: number): TypedJson {
  if (Object.is(value | 0, value)) return { t: "int", v: value };
  if (Number.isSafeInteger(value) && value !== 0) return { t: "long", v: `${value}` };
  return { t: "double", v: doubleBits(value) };
}

function renderObject(value: Exclude<AmqpValue, string | number | boolean | bigint>, path: string): TypedJson {
  if (value === null) return { t: "null" };
  if (value instanceof Typed) return renderTyped(value, path);
  if (value instanceof Date) return { t: "timestamp", v: `${value.getTime()}` };
  if (value instanceof Uint8Array) return { t: "binary", v: toHex(value) };
  if (value instanceof AmqpMap) {
    return { t: "map", v: Array.from(value, ([key, item]) => [render(key, path), render(item, path)]) };
  }
  if (Array.isArray(value)) return { t: "list", v: value.map((item, index) => render(item, `${path}[${index}]`)) };
  throw new SobreError("UnsupportedValue", `The value at ${path} is no AMQP value. Encode and decode it before.`, {
    path,
  });
}

function renderTyped(typed: Typed, path: string): TypedJson {
  const { type, value } = typed;
  if (typeof value === "object" && !(value instanceof Uint8Array)) {
    if ("values" in value) return renderArray(value, path);
    return { t: "described", d: render(value.descriptor, path), v: render(value.value, path) };
  }
  const bits = nanBits(typed);
  return { t: type, v: bits === undefined ? bareOf(type, value) : "nan" };
}

function renderArray({ elementType, descriptor, values }: TypedValues["array"], path: string): TypedJson {
  const v = values.map((item, index) => renderElement(elementType, item, `${path}[${index}]`));
  return descriptor === undefined
    ? { t: "array", of: elementType, v }
    : { t: "array", of: elementType, d: render(descriptor, path), v };
}

function renderElement(type: string, item: AmqpValue, path: string): unknown {
  if (item instanceof Typed && item.type === "array") return render(item, path);
  const bits = item instanceof Typed ? nanBits(item) : undefined;
  if (bits !== undefined) return "nan";
  const bare = item instanceof Typed ? item.value : item;
  if (bare instanceof Date) return `${bare.getTime()}`;
  if (Array.isArray(item) || item instanceof AmqpMap) return render(item, path).v;
  return bareOf(type, bare);
}

/** The `v` of a value that holds no others. */
function bareOf(type: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (typeof value === "bigint") return `${value}`;
  if (typeof value === "number")
    return type === "double" ? doubleBits(value) : type === "float" ? floatBits(value) : value;
  return type === "char" && typeof value === "string" ? value.codePointAt(0) : value;
}

const scratch = new DataView(new ArrayBuffer(8));

function doubleBits(value: number): string {
  if (Number.isNaN(value)) return "nan";
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0).toString(16).padStart(16, "0");
}

function floatBits(value: number): string {
  if (Number.isNaN(value)) return "nan";
  scratch.setFloat32(0, value);
  return scratch.getUint32(0).toString(16).padStart(8, "0");
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
