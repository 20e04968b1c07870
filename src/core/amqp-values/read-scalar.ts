import type { ByteReader } from "./byte-reader.ts";
import { sliceHex } from "../host/node.ts";

/** Readers of the types whose values take a fixed number of bytes (AMQP 1.0 part 1.6). */

const scratch = new DataView(new ArrayBuffer(8));

export function readByte(reader: ByteReader): number {
  return (reader.u8() << 24) >> 24;
}

export function readShort(reader: ByteReader): number {
  return (reader.u16() << 16) >> 16;
}

export function readLong(reader: ByteReader): bigint {
  loadLong(reader);
  return scratch.getBigInt64(0);
}

export function readUlong(reader: ByteReader): bigint {
  loadLong(reader);
  return scratch.getBigUint64(0);
}

export function readFloat(reader: ByteReader): number {
  scratch.setInt32(0, reader.i32());
  return scratch.getFloat32(0);
}

export function readDouble(reader: ByteReader): number {
  loadLong(reader);
  return scratch.getFloat64(0);
}

function loadLong(reader: ByteReader): void {
  scratch.setInt32(0, reader.i32());
  scratch.setInt32(4, reader.i32());
}

/** One Unicode scalar value (AMQP 1.0 part 1.6.16). */
export function readChar(reader: ByteReader): string {
  const point = reader.u32();
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
    throw reader.fault("A char is not a Unicode scalar value", reader.at - 4);
  }
  return String.fromCodePoint(point);
}

/** 16 bytes as lower-case text with hyphens (RFC 4122 section 3). */
export function readUuid(reader: ByteReader): string {
  const at = reader.skip(16);
  const hex = sliceHex.call(reader.bytes, at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
