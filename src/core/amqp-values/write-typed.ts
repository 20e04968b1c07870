import type { Typed } from "../values/typed.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { nanBits } from "./nan-bits.ts";
import { unsupported } from "./unsupported-value.ts";
import { writeInt, writeUint } from "./write-number.ts";

/** Writes a typed value that holds no others in its smallest form, after checking that the type can hold it; refuses all else. */
export function writeScalar(writer: ByteWriter, typed: Typed): void {
  const { type, value } = typed;
  switch (typeof value) {
    case "number":
      return writeNumeric(writer, typed, value);
    case "bigint":
      return writeLong(writer, type, value);
    case "string":
      return writeTextual(writer, type, value);
    default:
      if (value instanceof Uint8Array) return writeDecimal(writer, type, value);
      throw mistyped(type);
  }
}

function writeNumeric(writer: ByteWriter, typed: Typed, value: number): void {
  switch (typed.type) {
    case "ubyte":
      return writer.code8(0x50, within(value, 0, 0xff));
    case "ushort":
      return writer.code16(0x60, within(value, 0, 0xffff));
    case "uint":
      return writeUint(writer, within(value, 0, 0xffff_ffff));
    case "byte":
      return writer.code8(0x51, within(value, -0x80, 0x7f));
    case "short":
      return writer.code16(0x61, within(value, -0x8000, 0x7fff));
    case "int":
      return writeInt(writer, within(value, -0x8000_0000, 0x7fff_ffff));
    case "float":
    case "double":
      return writeReal(writer, typed, value);
    default:
      throw mistyped(typed.type);
  }
}

/** The value, once it is known to be an integer in range. */
export function within(value: unknown, least: number, most: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw unsupported(`is typed as an integer from ${least} to ${most} and is not one`);
}

function writeReal(writer: ByteWriter, typed: Typed, value: number): void {
  const bits = Number.isNaN(value) ? nanBits(typed) : undefined;
  if (bits !== undefined) {
    writer.byte(typed.type === "float" ? 0x72 : 0x82);
    return writer.raw(bits);
  }
  if (typed.type === "double") return writer.codeDouble(0x82, value);
  if (!Object.is(Math.fround(value), value)) throw unsupported("is typed as a float and has more precision");
  writer.reserve(5);
  writer.byte(0x72);
  writer.putFloat(value);
}

function writeLong(writer: ByteWriter, type: string, value: bigint): void {
  withinLong(value, type);
  if (type === "timestamp") return writer.code64(0x83, value);
  if (type === "long") {
    return value >= -0x80n && value <= 0x7fn ? writer.code8(0x55, Number(value)) : writer.code64(0x81, value);
  }
  writeUlong(writer, value);
}

/** Writes an unsigned 64-bit integer in its smallest form. */
export function writeUlong(writer: ByteWriter, value: bigint): void {
  withinLong(value, "ulong");
  if (value === 0n) writer.byte(0x44);
  else if (value <= 0xffn) writer.code8(0x53, Number(value));
  else writer.code64(0x80, value);
}

/** The value, once it is known to be a 64-bit integer of the type. */
export function withinLong(value: unknown, type: string): bigint {
  if (type !== "ulong" && type !== "long" && type !== "timestamp") throw mistyped(type);
  if (typeof value !== "bigint") throw unsupported(`is typed as ${type} and is not a bigint`);
  const exact = type === "ulong" ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value);
  if (exact !== value) throw unsupported(`is typed as ${type} and does not fit into 64 bits`);
  return value;
}

function writeTextual(writer: ByteWriter, type: string, value: string): void {
  switch (type) {
    case "symbol":
      return writer.text(0xa3, value);
    case "uuid":
      writer.reserve(17);
      writer.byte(0x98);
      return putUuid(writer, value);
    case "char":
      return writer.code32(0x73, codePoint(value));
    default:
      throw mistyped(type);
  }
}

/** The one code point of a char. */
export function codePoint(value: string): number {
  const point = value.codePointAt(0) ?? 0xd800;
  if (String.fromCodePoint(point) !== value || (point >= 0xd800 && point <= 0xdfff)) {
    throw unsupported("is typed as a char and is not one Unicode character");
  }
  return point;
}

/** With the hyphens in their places, or without any. */
const uuidForm = /^[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-|[0-9a-f]{12})[0-9a-f]{12}$/i;

/** The 16 bytes of a uuid, into room that was reserved. */
export function putUuid(writer: ByteWriter, value: string): void {
  if (!uuidForm.test(value)) throw unsupported("is typed as a uuid and is not one");
  const hex = value.replaceAll("-", "");
  for (let index = 0; index < 32; index += 8) writer.put32(Number.parseInt(hex.slice(index, index + 8), 16));
}

function writeDecimal(writer: ByteWriter, type: string, value: Uint8Array): void {
  const code = type === "decimal32" ? 0x74 : type === "decimal64" ? 0x84 : type === "decimal128" ? 0x94 : undefined;
  const width = type === "decimal32" ? 4 : type === "decimal64" ? 8 : 16;
  if (code === undefined) throw mistyped(type);
  if (value.byteLength !== width) throw unsupported(`is typed as ${type} and has not ${width} bytes`);
  writer.byte(code);
  writer.raw(value);
}

function mistyped(type: string): ReturnType<typeof unsupported> {
  return unsupported(`is typed as ${type} and holds another kind of value`);
}
