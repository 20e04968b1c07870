import { AmqpMap } from "./amqp-map.ts";
import { type AmqpValue, Typed, type TypedValues } from "./typed.ts";

/** Bytes of one value in its smallest encoding (AMQP 1.0 part 1.6). */
export function sizeOfValue(value: AmqpValue): number {
  switch (typeof value) {
    case "string":
      return sizeOfString(value);
    case "boolean":
      return 1;
    case "number":
      return (value | 0) === value && !Object.is(value, -0) ? sizeOfInt(value) : 9;
    case "bigint":
      return value < 2n ** 63n ? sizeOfLong(value) : 9;
    default:
      return value === null ? 1 : sizeOfObject(value);
  }
}

function sizeOfObject(value: Exclude<AmqpValue, string | boolean | number | bigint | null>): number {
  if (value instanceof Uint8Array) return sizeOfVariable(value.byteLength);
  if (value instanceof Date) return 9;
  if (value instanceof Typed) return sizeOfTyped(value);
  if (value instanceof AmqpMap) {
    return sizeOfCompound(sum(value.keys(), sizeOfValue) + sum(value.values(), sizeOfValue), value.size * 2);
  }
  return value.length === 0 ? 1 : sizeOfCompound(sum(value, sizeOfValue), value.length);
}

const sum = <T>(items: readonly T[], size: (item: T) => number): number =>
  items.reduce((total, item) => total + size(item), 0);

/** Bytes behind the format code of the types that have one width, the widest in arrays. */
const widths: ReadonlyMap<string, number> = new Map([
  ["null", 0],
  ["ubyte", 1],
  ["byte", 1],
  ["boolean", 1],
  ["ushort", 2],
  ["short", 2],
  ["uint", 4],
  ["int", 4],
  ["float", 4],
  ["char", 4],
  ["decimal32", 4],
  ["ulong", 8],
  ["long", 8],
  ["double", 8],
  ["timestamp", 8],
  ["decimal64", 8],
  ["decimal128", 16],
  ["uuid", 16],
]);

function sizeOfTyped({ type, value }: Typed): number {
  if (typeof value === "bigint" && type !== "timestamp")
    return type === "ulong" ? sizeOfUlong(value) : sizeOfLong(value);
  if (typeof value === "number" && type === "uint") return sizeOfUint(value);
  if (typeof value === "number" && type === "int") return sizeOfInt(value);
  if (typeof value === "object" && "elementType" in value) return sizeOfArray(value);
  if (typeof value === "object" && "descriptor" in value) {
    return 1 + sizeOfValue(value.descriptor) + sizeOfValue(value.value);
  }
  return typeof value === "string" && type === "symbol" ? sizeOfVariable(value.length) : 1 + (widths.get(type) ?? 0);
}

/** An array: its constructor once, then the elements without. */
function sizeOfArray(array: TypedValues["array"]): number {
  return sizeOfCompound(contentOfArray(array), array.values.length);
}

function contentOfArray({ elementType, descriptor, values }: TypedValues["array"]): number {
  const constructor = 1 + (descriptor === undefined ? 0 : 1 + sizeOfValue(descriptor));
  const width = widths.get(elementType);
  if (width !== undefined) return constructor + width * values.length;
  const bare = values.map((item) => (item instanceof Typed && item.type === "symbol" ? item.value : item));
  const holdsOthers = elementType === "list" || elementType === "map" || elementType === "array";
  const head = holdsOthers ? 8 : bare.every(isShort) ? 1 : 4;
  return constructor + sum(bare, (item) => head + contentOf(item));
}

/** A text of 85 characters has 255 bytes at most. */
function isShort(item: unknown): boolean {
  return typeof item === "string" ? item.length <= 85 : item instanceof Uint8Array && item.byteLength <= 0xff;
}

/** Bytes of an element behind its size and count. */
function contentOf(item: unknown): number {
  if (typeof item === "string") return utf8Length(item);
  if (item instanceof Uint8Array) return item.byteLength;
  if (item instanceof AmqpMap) return sum(item.keys(), sizeOfValue) + sum(item.values(), sizeOfValue);
  if (item instanceof Typed && typeof item.value === "object" && "elementType" in item.value)
    return contentOfArray(item.value);
  return isList(item) ? sum(item, sizeOfValue) : 0;
}

const isList = (item: unknown): item is readonly AmqpValue[] => Array.isArray(item);

const sizeOfInt = (value: number): number => (value >= -128 && value <= 127 ? 2 : 5);
export const sizeOfUint = (value: number): number => (value === 0 ? 1 : value <= 0xff ? 2 : 5);
const sizeOfLong = (value: bigint): number => (value >= -128n && value <= 127n ? 2 : 9);
export const sizeOfUlong = (value: bigint): number => (value === 0n ? 1 : value <= 0xffn ? 2 : 9);
export const sizeOfString = (value: string): number => sizeOfVariable(utf8Length(value));
export const sizeOfVariable = (bytes: number): number => bytes + (bytes <= 0xff ? 2 : 5);

/** A list or map: constructor, size and count in one byte each while both fit, else in four. */
export function sizeOfCompound(content: number, count: number): number {
  return content + (content + 1 <= 0xff && count <= 0xff ? 3 : 9);
}

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A surrogate pair is two units and four bytes.
    if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) index++;
  }
  return bytes;
}
