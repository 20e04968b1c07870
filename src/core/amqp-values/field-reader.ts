import { AmqpMap, Typed } from "../values/typed.ts";
import type { ByteReader } from "./byte-reader.ts";
import { knownKey, maxKeyLength, slotOf } from "./key-cache.ts";
import { readArray } from "./read-array.ts";
import { readUlong, readUuid } from "./read-scalar.ts";
import { readTyped, readTypedAs } from "./read-typed.ts";
import { readTimestamp } from "./typed-scalar.ts";

/** Readers of the fields of composite values in their order (AMQP 1.0 part 1.4): null and missing ones are `undefined`. */

/**
 * Reads the list that the reader is on; what `read` leaves of it is passed over.
 */
export function readFields<T>(reader: ByteReader, read: (reader: ByteReader) => T): T {
  const { end, fieldsLeft } = reader;
  enterFields(reader, Infinity);
  const value = read(reader);
  for (; reader.fieldsLeft > 0; reader.fieldsLeft--) readTyped(reader, 1);
  reader.leave(end);
  reader.fieldsLeft = fieldsLeft;
  return value;
}

/** Passes nulls without a question for each; whether a field is left, which the caller reads. */
export function nextField(reader: ByteReader): boolean {
  const { bytes, end } = reader;
  for (; reader.fieldsLeft > 0; reader.fieldsLeft--, reader.at++)
    if (bytes[reader.at] !== 0x40 || reader.at >= end) return true;
  return false;
}

/** Whether the next field is there and not null; null is passed. */
export function present(reader: ByteReader): boolean {
  if (reader.fieldsLeft === 0) return false;
  if (reader.bytes[reader.at] !== 0x40 || reader.at >= reader.end) return true;
  reader.at++;
  reader.fieldsLeft--;
  return false;
}

/** Passes to the present field, which the caller reads. */
export function take(reader: ByteReader): ByteReader {
  reader.fieldsLeft--;
  return reader;
}

export function skipFields(reader: ByteReader, count: number): void {
  for (let field = 0; field < count; field++) if (present(reader)) readTyped(take(reader), 1);
}

export function booleanField(reader: ByteReader): boolean | undefined {
  if (!present(reader)) return undefined;
  const format = take(reader).countedCode();
  if (format === 0x41) return true;
  if (format === 0x42) return false;
  if (format === 0x56) return reader.boolean();
  throw wrongFieldType(reader, "a boolean");
}

export function ubyteField(reader: ByteReader): number | undefined {
  if (!present(reader)) return undefined;
  if (take(reader).countedCode() === 0x50) return reader.u8();
  throw wrongFieldType(reader, "a ubyte");
}

export function ushortField(reader: ByteReader): number | undefined {
  if (!present(reader)) return undefined;
  if (take(reader).countedCode() === 0x60) return reader.u16();
  throw wrongFieldType(reader, "a ushort");
}

export function uintField(reader: ByteReader): number | undefined {
  if (!present(reader)) return undefined;
  const format = take(reader).countedCode();
  if (format === 0x52) return reader.u8();
  if (format === 0x43) return 0;
  if (format === 0x70) return reader.u32();
  throw wrongFieldType(reader, "a uint");
}

export function ulongField(reader: ByteReader): bigint | undefined {
  return present(reader) ? ulongAs(reader, take(reader).countedCode(), "a ulong") : undefined;
}

export function stringField(reader: ByteReader): string | undefined {
  if (!present(reader)) return undefined;
  const { bytes, at } = take(reader);
  const stop = at + 2 + (bytes[at + 1] ?? 0);
  // Nearly all are short, and every message has some.
  if (bytes[at] === 0xa1 && stop <= reader.end) {
    reader.at = stop;
    return reader.textBetween(at + 2, stop);
  }
  const format = reader.countedCode();
  if (format === 0xa1) return reader.text8();
  if (format === 0xb1) return reader.text(reader.u32());
  throw wrongFieldType(reader, "a string");
}

/** A symbol, or the string that some peers write instead. */
export function symbolField(reader: ByteReader): string | undefined {
  if (!present(reader)) return undefined;
  const { bytes, at, end } = take(reader);
  const length = bytes[at + 1] ?? 0;
  const stop = at + 2 + length;
  // Nearly all are short and were met before.
  if (bytes[at] === 0xa3 && stop <= end && length > 0 && length <= maxKeyLength) {
    const known = knownKey(bytes, at + 2, length, slotOf(bytes, at + 2, length));
    if (known !== undefined) {
      reader.at = stop;
      return known;
    }
  }
  switch (reader.countedCode()) {
    case 0xa3:
      return reader.symbol(reader.u8());
    case 0xb3:
      return reader.symbol(reader.u32());
    case 0xa1:
      return reader.text8();
    case 0xb1:
      return reader.text(reader.u32());
    default:
      throw wrongFieldType(reader, "a symbol or string");
  }
}

export function binaryField(reader: ByteReader): Uint8Array | undefined {
  if (!present(reader)) return undefined;
  const format = take(reader).countedCode();
  if (format === 0xa0) return reader.binary(reader.u8());
  if (format === 0xb0) return reader.binary(reader.u32());
  throw wrongFieldType(reader, "binary");
}

/** A message id in any of its four forms (AMQP 1.0 part 3.2.11 to 3.2.14); ulong is a bigint. */
export function idField(reader: ByteReader): string | bigint | Uint8Array | Typed<"uuid"> | undefined {
  if (!present(reader)) return undefined;
  if (reader.bytes[reader.at] === 0xa1) return stringField(reader);
  const format = take(reader).countedCode();
  switch (format) {
    case 0xb1:
      return reader.text(reader.u32());
    case 0x98:
      return new Typed("uuid", readUuid(reader));
    case 0xa0:
      return reader.binary(reader.u8());
    case 0xb0:
      return reader.binary(reader.u32());
    default:
      return ulongAs(reader, format, "a string, ulong, uuid or binary");
  }
}

export function timestampField(reader: ByteReader): Date | Typed<"timestamp"> | undefined {
  if (!present(reader)) return undefined;
  if (take(reader).countedCode() === 0x83) return readTimestamp(reader);
  throw wrongFieldType(reader, "a timestamp");
}

export function mapField(reader: ByteReader): AmqpMap | undefined {
  if (!present(reader)) return undefined;
  const value = readTyped(take(reader), 1);
  if (value instanceof AmqpMap) return value;
  throw wrongFieldType(reader, "a map");
}

/** One symbol, or an array of them (AMQP 1.0 part 1.4). */
export function symbolsField(reader: ByteReader): readonly string[] {
  if (!present(reader)) return [];
  const format = take(reader).countedCode();
  if (format === 0xe0 || format === 0xf0)
    return readArray(reader, format === 0xe0 ? 1 : 4, 1, readTypedAs).values.map(String);
  const value = readTypedAs(reader, format, 1);
  if (value instanceof Typed && typeof value.value === "string") return [value.value];
  throw wrongFieldType(reader, "a symbol or an array of them");
}

function ulongAs(reader: ByteReader, format: number, wanted: string): bigint {
  if (format === 0x53) return BigInt(reader.u8());
  if (format === 0x80) return readUlong(reader);
  if (format === 0x44) return 0n;
  throw wrongFieldType(reader, wanted);
}

function wrongFieldType(reader: ByteReader, wanted: string): Error {
  return reader.fault(`A field is not ${wanted}`, reader.at - 1);
}

/** Enters the list that the reader is on and returns how many fields it has, at most `most`. */
export function enterFields(reader: ByteReader, most: number): number {
  const { bytes, at } = reader;
  const count = bytes[at + 2] ?? 0;
  const stop = at + 2 + (bytes[at + 1] ?? 0);
  // Nearly all are short.
  const isShort = bytes[at] === 0xc0 && stop <= reader.end && count <= stop - at - 3 && count <= most;
  if (isShort && !reader.settings.lenient) {
    reader.spend(1 + count);
    reader.at = at + 3;
    reader.end = stop;
    reader.fieldsLeft = count;
    return count;
  }
  return (reader.fieldsLeft = enterAny(reader, most));
}

function enterAny(reader: ByteReader, most: number): number {
  const start = reader.at;
  const format = reader.code();
  if (format !== 0x45 && format !== 0xc0 && format !== 0xd0)
    throw reader.fault("A composite value is not a list", start);
  const count = format === 0x45 ? 0 : reader.enterItems(format === 0xd0 ? 4 : 1);
  if (count > most && !reader.settings.lenient)
    throw reader.fault(`A section has ${count} fields; it can have ${most}`, start);
  // An empty list has no extent to leave.
  if (format === 0x45) reader.end = reader.at;
  reader.spend(count);
  return Math.min(count, most);
}
