import type { ByteReader } from "../values/byte-reader.ts";
import { knownKey, longestKey, slotOf } from "../values/key-cache.ts";
import { readUlong, readUuid } from "../values/read-scalar.ts";
import { readTimestamp } from "../values/typed-scalar.ts";
import { Typed } from "../../values/typed.ts";

// Every message that is received passes here: what is common is read without a call, the rest and every error the long way.

/** Reads a string; null is `undefined`, as in all fields. */
export function textField(reader: ByteReader): string | undefined {
  const { bytes, at, end } = reader;
  const code = bytes[at];
  if (code === 0xa1) {
    const stop = at + 2 + (bytes[at + 1] ?? 0);
    if (stop <= end) {
      reader.at = stop;
      return reader.textBetween(at + 2, stop);
    }
  } else if (code === 0x40 && at < end) {
    reader.at = at + 1;
    return undefined;
  }
  return anyTextField(reader);
}

function anyTextField(reader: ByteReader): string {
  const code = reader.countedCode();
  if (code === 0xa1) return reader.text(reader.u8());
  if (code === 0xb1) return reader.text(reader.u32());
  throw mismatch(reader, "a string");
}

/** Reads a symbol, or the string that some peers write instead. */
export function symbolField(reader: ByteReader): string | undefined {
  const { bytes, at, end } = reader;
  const code = bytes[at];
  if (code === 0xa3) {
    const length = bytes[at + 1] ?? 0;
    const stop = at + 2 + length;
    const isShort = stop <= end && length > 0 && length <= longestKey;
    const known = isShort ? knownKey(bytes, at + 2, length, slotOf(bytes, at + 2, length)) : undefined;
    if (known !== undefined) {
      reader.at = stop;
      return known;
    }
  } else if (code === 0x40 && at < end) {
    reader.at = at + 1;
    return undefined;
  }
  return anySymbolField(reader);
}

function anySymbolField(reader: ByteReader): string {
  const code = reader.countedCode();
  if (code === 0xa3) return reader.symbol(reader.u8());
  if (code === 0xb3) return reader.symbol(reader.u32());
  if (code === 0xa1) return reader.text(reader.u8());
  if (code === 0xb1) return reader.text(reader.u32());
  throw mismatch(reader, "a symbol");
}

export function binaryField(reader: ByteReader): Uint8Array | undefined {
  const { bytes, at, end } = reader;
  if (bytes[at] === 0x40 && at < end) {
    reader.at = at + 1;
    return undefined;
  }
  const code = reader.countedCode();
  if (code === 0xa0) return reader.binary(reader.u8());
  if (code === 0xb0) return reader.binary(reader.u32());
  throw mismatch(reader, "binary");
}

/** A message id in any of its four forms (AMQP 1.0 part 3.2.11 to 3.2.14); ulong is a bigint. */
export function idField(reader: ByteReader): string | bigint | Uint8Array | Typed<"uuid"> | undefined {
  const { bytes, at, end } = reader;
  const code = bytes[at];
  if (code === 0xa1) {
    const stop = at + 2 + (bytes[at + 1] ?? 0);
    if (stop <= end) {
      reader.at = stop;
      return reader.textBetween(at + 2, stop);
    }
  } else if (code === 0x40 && at < end) {
    reader.at = at + 1;
    return undefined;
  }
  return anyIdField(reader);
}

function anyIdField(reader: ByteReader): string | bigint | Uint8Array | Typed<"uuid"> {
  const code = reader.countedCode();
  switch (code) {
    case 0xa1:
      return reader.text(reader.u8());
    case 0xb1:
      return reader.text(reader.u32());
    case 0x98:
      return new Typed("uuid", readUuid(reader));
    case 0x44:
      return 0n;
    case 0x53:
      return BigInt(reader.u8());
    case 0x80:
      return readUlong(reader);
    case 0xa0:
      return reader.binary(reader.u8());
    case 0xb0:
      return reader.binary(reader.u32());
    default:
      throw mismatch(reader, "a string, ulong, uuid or binary");
  }
}

export function timeField(reader: ByteReader): Date | Typed<"timestamp"> | undefined {
  const { bytes, at, end } = reader;
  if (bytes[at] === 0x40 && at < end) {
    reader.at = at + 1;
    return undefined;
  }
  if (reader.countedCode() === 0x83) return readTimestamp(reader);
  throw mismatch(reader, "a timestamp");
}

export function uintField(reader: ByteReader): number | undefined {
  const { bytes, at, end } = reader;
  if (bytes[at] === 0x40 && at < end) {
    reader.at = at + 1;
    return undefined;
  }
  const code = reader.countedCode();
  if (code === 0x52) return reader.u8();
  if (code === 0x43) return 0;
  if (code === 0x70) return reader.u32();
  throw mismatch(reader, "a uint");
}

export function ubyteField(reader: ByteReader): number | undefined {
  const { bytes, at, end } = reader;
  if (bytes[at] === 0x40 && at < end) {
    reader.at = at + 1;
    return undefined;
  }
  if (reader.countedCode() === 0x50) return reader.u8();
  throw mismatch(reader, "a ubyte");
}

export function booleanField(reader: ByteReader): boolean | undefined {
  const { bytes, at, end } = reader;
  if (bytes[at] === 0x40 && at < end) {
    reader.at = at + 1;
    return undefined;
  }
  const code = reader.countedCode();
  if (code === 0x41) return true;
  if (code === 0x42) return false;
  if (code === 0x56) return reader.boolean();
  throw mismatch(reader, "a boolean");
}

/** Enters the list of a composite type and returns how many fields it has. */
export function enterFields(reader: ByteReader, most: number): number {
  const { bytes, at, end } = reader;
  const count = bytes[at + 2] ?? 0;
  const stop = at + 2 + (bytes[at + 1] ?? 0);
  if (bytes[at] !== 0xc0 || stop > end || count > stop - at - 3 || count > most || reader.settings.lenient) {
    return enterAnyFields(reader, most);
  }
  reader.spend(1 + count);
  reader.at = at + 3;
  reader.end = stop;
  return count;
}

function enterAnyFields(reader: ByteReader, most: number): number {
  const start = reader.at;
  const code = reader.code();
  const count = code === 0x45 ? 0 : reader.enterItems(code === 0xd0 ? 4 : 1);
  if (count > most && !reader.settings.lenient)
    throw reader.fault(`A section has ${count} fields; it can have ${most}`, start);
  // An empty list has no extent to leave.
  if (code === 0x45) reader.end = reader.at;
  reader.spend(count);
  return Math.min(count, most);
}

/** The fields of a composite type were read: checks that nothing follows. */
export function leaveFields(reader: ByteReader): void {
  if (reader.at !== reader.end) reader.leave(reader.end);
}

function mismatch(reader: ByteReader, wanted: string): Error {
  return reader.fault(`A field is not ${wanted}`, reader.at - 1);
}
