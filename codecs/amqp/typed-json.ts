import { AmqpMap, type AmqpValue, Typed, type TypedValues } from "../../src/core/values/typed.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { nanBits } from "../../src/core/amqp-values/nan-bits.ts";
import { arrayLevels } from "../../src/core/amqp-values/unsupported-value.ts";

/** Deeper values are refused: no decoder would read them. */
const maxDepth = 1024;

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
 * @throws SobreError `UnsupportedValue` with the path, for values that AMQP lacks.
 */
export function toTypedJson(value: AmqpValue): TypedJson {
  return render(value, "$", 0);
}

function render(value: AmqpValue, path: string, depth: number): TypedJson {
  switch (typeof value) {
    case "string":
      return { t: "string", v: value };
    case "boolean":
      return { t: "boolean", v: value };
    case "bigint":
      return renderBigint(value, path);
    case "number":
      return renderNumber(value);
    default:
      return renderObject(value, path, depth);
  }
}

function renderBigint(value: bigint, path: string): TypedJson {
  if (BigInt.asIntN(64, value) === value) return { t: "long", v: `${value}` };
  if (BigInt.asUintN(64, value) === value) return { t: "ulong", v: `${value}` };
  throw notAmqp(path, "is an integer of more than 64 bits");
}

function renderNumber(value: number): TypedJson {
  if (Object.is(value | 0, value)) return { t: "int", v: value };
  if (Number.isSafeInteger(value) && value !== 0) return { t: "long", v: `${value}` };
  return { t: "double", v: doubleBits(value) };
}

function renderObject(
  value: Exclude<AmqpValue, string | number | boolean | bigint>,
  path: string,
  depth: number,
): TypedJson {
  if (value === null) return { t: "null" };
  if (value instanceof Date) return { t: "timestamp", v: timeText(value, path) };
  if (value instanceof Uint8Array) return { t: "binary", v: toHex(value) };
  if (depth > maxDepth) throw notAmqp(path, `nests deeper than ${maxDepth} levels or contains itself`);
  if (value instanceof Typed) return renderTyped(value, path, depth);
  const inner = depth + 1;
  if (value instanceof AmqpMap) {
    return { t: "map", v: Array.from(value, ([key, item]) => [render(key, path, inner), render(item, path, inner)]) };
  }
  if (Array.isArray(value)) {
    return { t: "list", v: value.map((item, index) => render(item, `${path}[${index}]`, inner)) };
  }
  throw notAmqp(path, "is not an AMQP value");
}

function renderTyped(typed: Typed, path: string, depth: number): TypedJson {
  const { type, value } = typed;
  if (value === null || value === undefined) throw notAmqp(path, `is typed as ${type} but has no value`);
  if (typeof value === "object" && !(value instanceof Uint8Array)) {
    if ("values" in value) return renderArray(value, path, depth + arrayLevels);
    return {
      t: "described",
      d: render(value.descriptor, path, depth + 1),
      v: render(value.value, path, depth + 1),
    };
  }
  const bits = nanBits(typed);
  return { t: type, v: bits === undefined ? bareOf(type, value) : "nan" };
}

function renderArray(
  { elementType, descriptor, values }: TypedValues["array"],
  path: string,
  depth: number,
): TypedJson {
  const v = values.map((item, index) => renderElement(elementType, item, `${path}[${index}]`, depth));
  return descriptor === undefined
    ? { t: "array", of: elementType, v }
    : { t: "array", of: elementType, d: render(descriptor, path, depth), v };
}

function renderElement(type: string, item: AmqpValue, path: string, depth: number): unknown {
  if (item instanceof Typed && (item.type === "array" || item.type === "described")) return render(item, path, depth);
  const bits = item instanceof Typed ? nanBits(item) : undefined;
  if (bits !== undefined) return "nan";
  const bare = item instanceof Typed ? item.value : item;
  if (bare instanceof Date) return timeText(bare, path);
  if (Array.isArray(item) || item instanceof AmqpMap) return render(item, path, depth).v;
  return bareOf(type, bare);
}

function timeText(date: Date, path: string): string {
  if (Number.isNaN(date.getTime())) throw notAmqp(path, "is an invalid Date");
  return `${date.getTime()}`;
}

function notAmqp(path: string, why: string): SobreError {
  return new SobreError("UnsupportedValue", `The value at ${path} ${why}. Encode and decode it first.`, { path });
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
