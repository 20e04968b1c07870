import { Typed } from "../values/typed.ts";
import { type ByteWriter, isWellFormed } from "./byte-writer.ts";
import { formatCodes } from "./format-code.ts";
import { nanBits } from "./nan-bits.ts";
import { codePoint, putUuid, within, withinLong } from "./write-typed.ts";
import { unsupported } from "./unsupported-value.ts";

/** The format code of the elements of each type: the widest one; sized ones have an 8-bit sister 0x10 below. */
const codes: ReadonlyMap<string, number> = new Map(Array.from(formatCodes.values(), ({ type, code }) => [type, code]));

/** The format code that the elements of an array share; short texts and binaries take their sizes in one byte. */
export function elementCode(type: string, items: readonly unknown[]): number {
  const code = codes.get(type);
  if (code === undefined) throw unsupported(`is an array of the unknown element type "${type}"`);
  const sized = code === 0xb0 || code === 0xb1 || code === 0xb3;
  return sized && items.every(isShort) ? code - 0x10 : code;
}

/** A text of 85 characters has 255 bytes at most. */
function isShort(item: unknown): boolean {
  return typeof item === "string" ? item.length <= 85 : item instanceof Uint8Array && item.byteLength <= 0xff;
}

/** Writes one element after its constructor. */
// oxlint-disable-next-line complexity -- one case per format code
export function putElement(writer: ByteWriter, code: number, item: unknown, write: (item: unknown) => void): void {
  writer.reserve(16);
  switch (code) {
    case 0x40:
      if (item !== null) throw mismatch("null");
      return;
    case 0x56:
      if (typeof item !== "boolean") throw mismatch("boolean");
      return writer.byte(item ? 1 : 0);
    case 0x50:
      return writer.byte(within(item, 0, 0xff));
    case 0x51:
      return writer.byte(within(item, -0x80, 0x7f));
    case 0x60:
      return writer.put16(within(item, 0, 0xffff));
    case 0x61:
      return writer.put16(within(item, -0x8000, 0x7fff));
    case 0x70:
      return writer.put32(within(item, 0, 0xffff_ffff));
    case 0x71:
      return writer.put32(within(item, -0x8000_0000, 0x7fff_ffff));
    case 0x73:
      return writer.put32(codePoint(text(item)));
    case 0x80:
      return writer.put64(withinLong(item, "ulong"));
    case 0x81:
      return writer.put64(withinLong(item, "long"));
    case 0x83:
      return writer.put64(withinLong(item instanceof Date ? millisecondsOf(item) : item, "timestamp"));
    case 0x98:
      return putUuid(writer, text(item));
    case 0x72:
    case 0x82:
      return putReal(writer, item, code === 0x72);
    case 0x74:
    case 0x84:
    case 0x94:
      return putDecimal(writer, item, code === 0x74 ? 4 : code === 0x84 ? 8 : 16);
    case 0xa0:
    case 0xb0:
      return putSized(writer, binary(item), code < 0xb0);
    case 0xa1:
    case 0xb1:
    case 0xa3:
    case 0xb3:
      return putSized(writer, utf8(text(item), code === 0xa3 || code === 0xb3), code < 0xb0);
    default:
      return putCompound(writer, code, item, write);
  }
}

function putReal(writer: ByteWriter, item: unknown, single: boolean): void {
  const bits = item instanceof Typed && item.type === (single ? "float" : "double") ? nanBits(item) : undefined;
  if (bits !== undefined) return writer.raw(bits);
  if (typeof item !== "number") throw mismatch(single ? "float" : "double");
  if (!single) return writer.putDouble(item);
  if (!Object.is(Math.fround(item), item)) throw unsupported("is an element of a float array and has more precision");
  writer.putFloat(item);
}

function putDecimal(writer: ByteWriter, item: unknown, width: number): void {
  if (!(item instanceof Uint8Array) || item.byteLength !== width) throw mismatch(`decimal${width * 8}`);
  writer.raw(item);
}

function putSized(writer: ByteWriter, bytes: Uint8Array, narrow: boolean): void {
  if (narrow) writer.byte(bytes.byteLength);
  else writer.put32(bytes.byteLength);
  writer.raw(bytes);
}

/** Elements that hold others are written whole, in their 32-bit form, and lose the constructor in front. */
function putCompound(writer: ByteWriter, code: number, item: unknown, write: (item: unknown) => void): void {
  const mark = writer.mark();
  write(item);
  writer.widen(mark, code, () => mismatch(code === 0xd0 ? "list" : code === 0xd1 ? "map" : "array"));
}

function utf8(value: string, ascii: boolean): Uint8Array {
  const bytes = Buffer.from(value, "utf8");
  if (ascii && bytes.length !== value.length) throw unsupported("is typed as a symbol but is not ASCII");
  if (bytes.length !== value.length && !isWellFormed(value)) throw unsupported("has a lone surrogate");
  return bytes;
}

function text(item: unknown): string {
  if (typeof item !== "string") throw mismatch("text");
  return item;
}

function binary(item: unknown): Uint8Array {
  if (!(item instanceof Uint8Array)) throw mismatch("binary");
  return item;
}

function millisecondsOf(date: Date): bigint {
  if (Number.isNaN(date.getTime())) throw unsupported("is an invalid Date");
  return BigInt(date.getTime());
}

function mismatch(type: string): ReturnType<typeof unsupported> {
  return unsupported(`is not of its array's element type, ${type}`);
}
