import { AmqpMap, type AmqpValue, Typed } from "../values/typed.ts";
import { readArray } from "./read-array.ts";
import type { ByteReader } from "./byte-reader.ts";
import { maxComparedKeys, hasName, isName, refuseDuplicates } from "./map-keys.ts";
import { readByte, readChar, readDouble, readFloat, readLong, readShort, readUlong, readUuid } from "./read-scalar.ts";
import { doubleOf, floatOf, readTimestamp } from "./typed-scalar.ts";
import { smallUbytes, smallUints, smallUlongs, symbolOf } from "./shared-typed.ts";

/**
 * Reads one value with its type: plain where the plain value stands for the type, {@link Typed} otherwise.
 *
 * @param depth Levels of nesting around the value.
 */
export function readTyped(reader: ByteReader, depth: number): AmqpValue {
  const code = reader.code();
  return readTypedAs(reader, code, depth);
}

/** Reads the rest of a value whose format code has been read. */
// oxlint-disable-next-line complexity -- one case per format code
export function readTypedAs(reader: ByteReader, code: number, depth: number): AmqpValue {
  switch (code) {
    case 0xa1:
      return reader.text8();
    case 0xa3:
      return symbolOf(reader.symbol(reader.u8()));
    case 0x40:
      return null;
    case 0x41:
      return true;
    case 0x42:
      return false;
    case 0x54:
      return readByte(reader);
    case 0x71:
      return reader.i32();
    case 0x55:
      return BigInt(readByte(reader));
    case 0x81:
      return readLong(reader);
    case 0x82:
      return double(reader);
    case 0x83:
      return readTimestamp(reader);
    case 0x43:
      return smallUint(0);
    case 0x52:
      return smallUint(reader.u8());
    case 0x70:
      return new Typed("uint", reader.u32());
    case 0x44:
      return smallUlong(0);
    case 0x53:
      return smallUlong(reader.u8());
    case 0x80:
      return new Typed("ulong", readUlong(reader));
    case 0x50:
      return smallUbyte(reader.u8());
    case 0x51:
      return new Typed("byte", readByte(reader));
    case 0x56:
      return reader.boolean();
    case 0x60:
      return new Typed("ushort", reader.u16());
    case 0x61:
      return new Typed("short", readShort(reader));
    case 0x72:
      return float(reader);
    case 0x73:
      return new Typed("char", readChar(reader));
    case 0x74:
      return new Typed("decimal32", reader.binary(4));
    case 0x84:
      return new Typed("decimal64", reader.binary(8));
    case 0x94:
      return new Typed("decimal128", reader.binary(16));
    case 0x98:
      return new Typed("uuid", readUuid(reader));
    case 0xa0:
      return reader.binary(reader.u8());
    case 0xb0:
      return reader.binary(reader.u32());
    case 0xb1:
      return reader.text(reader.u32());
    case 0xb3:
      return symbolOf(reader.symbol(reader.u32()));
    case 0x45:
      reader.checkDepth(depth + 1);
      return [];
    case 0xc0:
      return readList(reader, 1, depth);
    case 0xd0:
      return readList(reader, 4, depth);
    case 0xc1:
      return readMap(reader, 1, depth);
    case 0xd1:
      return readMap(reader, 4, depth);
    case 0xe0:
      return new Typed("array", readArray(reader, 1, depth, readTypedAs));
    case 0xf0:
      return new Typed("array", readArray(reader, 4, depth, readTypedAs));
    case 0x00:
      return readDescribed(reader, depth);
    default:
      throw reader.fault("A format code is not defined by AMQP 1.0", reader.at - 1);
  }
}

function readList(reader: ByteReader, width: 1 | 4, depth: number): AmqpValue[] {
  reader.checkDepth(depth + 1);
  const outer = reader.end;
  const items: AmqpValue[] = [];
  const count = reader.enterItems(width);
  reader.spend(count);
  for (let left = count; left > 0; left--) items.push(readTypedAs(reader, reader.countedCode(), depth + 1));
  reader.leave(outer);
  return items;
}

/** Reads the size, count and entries of a map. */
export function readMap(reader: ByteReader, width: 1 | 4, depth: number): AmqpMap {
  reader.checkDepth(depth + 1);
  const start = reader.at;
  const outer = reader.end;
  const count = reader.enterItems(width);
  if (count % 2 === 1) throw reader.fault("A map has a key without a value", start);
  reader.spend(count);
  const keys: AmqpValue[] = [];
  const values: AmqpValue[] = [];
  let low = 0;
  let high = 0;
  let unique = count <= 2 * maxComparedKeys;
  for (let left = count; left > 0; left -= 2) {
    const key = readKey(reader, depth + 1);
    const lowBit = 1 << reader.nameHash;
    const highBit = 1 << (reader.nameHash >> 5);
    // Names of different hashes differ; the few others, and keys that are not names, are compared.
    unique &&= isName(key) && ((low & lowBit) === 0 || (high & highBit) === 0 || !hasName(keys, key));
    low |= lowBit;
    high |= highBit;
    keys.push(key);
    values.push(readTypedAs(reader, reader.countedCode(), depth + 1));
  }
  reader.leave(outer);
  if (!unique) refuseDuplicates(reader, keys, start);
  return AmqpMap.fromColumns(keys, values);
}

function readKey(reader: ByteReader, depth: number): AmqpValue {
  const code = reader.countedCode();
  if (code === 0xa1) return reader.name8();
  return code === 0xb1 ? reader.name(reader.u32()) : readTypedAs(reader, code, depth);
}

function readDescribed(reader: ByteReader, depth: number): Typed<"described"> {
  reader.checkDepth(depth + 1);
  const descriptor = readTyped(reader, depth + 1);
  return new Typed("described", Object.freeze({ descriptor, value: readTyped(reader, depth + 1) }));
}

const smallUint = (value: number): Typed => smallUints[value] ?? new Typed("uint", value);
const smallUlong = (value: number): Typed => smallUlongs[value] ?? new Typed("ulong", BigInt(value));
const smallUbyte = (value: number): Typed => smallUbytes[value] ?? new Typed("ubyte", value);

function double(reader: ByteReader): AmqpValue {
  const value = readDouble(reader);
  // Most doubles have a fraction; only the others and NaN need a closer look.
  if (Math.trunc(value) !== value && !Number.isNaN(value)) return value;
  return doubleOf(reader.bytes.subarray(reader.at - 8, reader.at));
}

function float(reader: ByteReader): AmqpValue {
  const value = readFloat(reader);
  return Number.isNaN(value) ? floatOf(reader.bytes.subarray(reader.at - 4, reader.at)) : new Typed("float", value);
}
