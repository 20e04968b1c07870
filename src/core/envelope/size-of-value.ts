import { Typed } from "../values/typed.ts";

/** The size of a simple value in its smallest encoding, in bytes (AMQP 1.0 part 1.6). */
export function sizeOfValue(value: unknown): number {
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
      if (value === null) return 1;
      if (value instanceof Uint8Array) return sizeOfVariable(value.byteLength);
      // The rest are dates.
      return value instanceof Typed ? sizeOfTyped(value) : 9;
  }
}

/** The sizes of fixed-width types in bytes, including the format code. */
const widths: ReadonlyMap<string, number> = new Map([
  ["ubyte", 2],
  ["byte", 2],
  ["ushort", 3],
  ["short", 3],
  ["float", 5],
  ["char", 5],
  ["decimal32", 5],
  ["double", 9],
  ["timestamp", 9],
  ["decimal64", 9],
  ["decimal128", 17],
  ["uuid", 17],
]);

function sizeOfTyped({ type, value }: Typed): number {
  const width = widths.get(type);
  if (width !== undefined) return width;
  if (typeof value === "number") return type === "uint" ? sizeOfUint(value) : sizeOfInt(value);
  if (typeof value === "bigint") return type === "ulong" ? sizeOfUlong(value) : sizeOfLong(value);
  if (typeof value === "string") return sizeOfVariable(value.length);
  return "descriptor" in value && "value" in value ? 1 + sizeOfValue(value.descriptor) + sizeOfValue(value.value) : 0;
}

const sizeOfInt = (value: number): number => (value >= -128 && value <= 127 ? 2 : 5);
export const sizeOfUint = (value: number): number => (value === 0 ? 1 : value <= 0xff ? 2 : 5);
const sizeOfLong = (value: bigint): number => (value >= -128n && value <= 127n ? 2 : 9);
export const sizeOfUlong = (value: bigint): number => (value === 0n ? 1 : value <= 0xffn ? 2 : 9);
export function sizeOfString(value: string): number {
  const bytes = utf8Length(value);
  return bytes + (bytes <= 0xff ? 2 : 5);
}
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
    // A surrogate pair is two code units and four bytes.
    if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) index++;
  }
  return bytes;
}
