import { setMember } from "../values/plain-object.ts";
import { AmqpMap, type AmqpValue, Typed, type TypedValues } from "../values/typed.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { Extensions } from "./extension.ts";
import { hasDuplicates } from "./map-keys.ts";
import { readArray } from "./read-array.ts";
import { readByte, readChar, readDouble, readFloat, readShort, readUlong, readUuid } from "./read-scalar.ts";
import { readMap, readTyped, readTypedAs } from "./read-typed.ts";
import { Decimal, isDecimalText } from "../values/decimal.ts";
import { type DecimalType, toDecimalString } from "./decimal.ts";

/** Reads values as plain JavaScript: what has no plain form stays {@link Typed}. */
export class PlainReader {
  readonly #reader: ByteReader;
  readonly #extensions: Extensions;

  constructor(reader: ByteReader, extensions: Extensions) {
    this.#reader = reader;
    this.#extensions = extensions;
  }

  /** @param depth Levels of nesting around the value. */
  read(depth: number): unknown {
    return this.#readAs(this.#reader.code(), depth);
  }

  #readAs(code: number, depth: number): unknown {
    const reader = this.#reader;
    switch (code) {
      case 0x82:
        return readDouble(reader);
      case 0x72:
        return readFloat(reader);
      case 0xa3:
        return reader.symbol(reader.u8());
      case 0xb3:
        return reader.symbol(reader.u32());
      case 0x43:
        return 0;
      case 0x50:
      case 0x52:
        return reader.u8();
      case 0x51:
        return readByte(reader);
      case 0x60:
        return reader.u16();
      case 0x61:
        return readShort(reader);
      case 0x70:
        return reader.u32();
      case 0x44:
        return 0n;
      case 0x53:
        return BigInt(reader.u8());
      case 0x80:
        return readUlong(reader);
      case 0x73:
        return readChar(reader);
      case 0x98:
        return readUuid(reader);
      case 0xc0:
        return this.#list(1, depth);
      case 0xd0:
        return this.#list(4, depth);
      case 0xc1:
        return this.#map(1, depth);
      case 0xd1:
        return this.#map(4, depth);
      case 0xe0:
        return this.#array(1, depth);
      case 0xf0:
        return this.#array(4, depth);
      case 0x00:
      case 0x74:
      case 0x84:
      case 0x94:
        return plainOf(readTypedAs(reader, code, depth), this.#extensions);
      default:
        return readTypedAs(reader, code, depth);
    }
  }

  #list(width: 1 | 4, depth: number): unknown[] {
    const reader = this.#reader;
    reader.checkDepth(depth + 1);
    const outer = reader.end;
    const items: unknown[] = [];
    for (let left = reader.enterItems(width); left > 0; left--) items.push(this.read(depth + 1));
    reader.leave(outer);
    return items;
  }

  #map(width: 1 | 4, depth: number): unknown {
    const reader = this.#reader;
    reader.checkDepth(depth + 1);
    const start = reader.at;
    const outer = reader.end;
    const count = reader.enterItems(width);
    if (count % 2 === 1) throw reader.fault("A map has a key without a value", start);
    const object: Record<string, unknown> = {};
    let left = count;
    for (; left > 0 && isAtText(reader); left -= 2) {
      const key = this.#key();
      if (Object.hasOwn(object, key)) return this.#typedMap(start, outer, width, depth);
      setMember(object, key, this.read(depth + 1));
    }
    const result = left === 0 ? object : this.#entries(new Map(Object.entries(object)), left, depth);
    if (result === undefined) return this.#typedMap(start, outer, width, depth);
    reader.leave(outer);
    return result;
  }

  /** A key that is a string or a symbol. */
  #key(): string {
    const reader = this.#reader;
    switch (reader.code()) {
      case 0xa1:
        return reader.name(reader.u8());
      case 0xb1:
        return reader.text(reader.u32());
      case 0xa3:
        return reader.symbol(reader.u8());
      default:
        return reader.symbol(reader.u32());
    }
  }

  /** The entries of a map from the first key that is not text; `undefined` when plain keys would be ambiguous. */
  #entries(map: Map<unknown, unknown>, count: number, depth: number): Map<unknown, unknown> | undefined {
    const keys: AmqpValue[] = [];
    for (let left = count; left > 0; left -= 2) {
      const typed = readTyped(this.#reader, depth + 1);
      const key = plainOf(typed, this.#extensions);
      if (map.has(key)) return undefined;
      keys.push(typed);
      map.set(key, this.read(depth + 1));
    }
    return hasDuplicates(keys) ? undefined : map;
  }

  /** Reads a map again whose keys only their AMQP types tell apart, or which has a key twice. */
  #typedMap(start: number, outer: number, width: 1 | 4, depth: number): AmqpMap {
    this.#reader.at = start;
    this.#reader.end = outer;
    return readMap(this.#reader, width, depth);
  }

  #array(width: 1 | 4, depth: number): unknown {
    return plainOf(new Typed("array", readArray(this.#reader, width, depth, readTypedAs)), this.#extensions);
  }
}

/** Whether the next value is a string or a symbol. */
function isAtText({ bytes, at, end }: ByteReader): boolean {
  const code = bytes[at];
  return at < end && (code === 0xa1 || code === 0xa3 || code === 0xb1 || code === 0xb3);
}

/** The plain form of a typed value; infinite decimals, unknown described values and far timestamps stay {@link Typed}. */
function plainOf(value: AmqpValue, extensions: Extensions): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date || value instanceof Uint8Array) return value;
  if (value instanceof Typed) return plainOfTyped(value, extensions);
  if (value instanceof AmqpMap) return plainOfMap(value, extensions);
  return value.map((item) => plainOf(item, extensions));
}

function plainOfTyped(typed: Typed, extensions: Extensions): unknown {
  const { type, value } = typed;
  if (typeof value !== "object") return type === "timestamp" ? typed : value;
  if (value instanceof Uint8Array) return isDecimal(typed) ? plainDecimal(typed) : typed;
  if ("values" in value) return value.descriptor === undefined ? plainArray(value, extensions) : typed;
  const { descriptor } = value;
  const name = descriptor instanceof Typed && descriptor.type === "symbol" ? descriptor.value : undefined;
  const extension = typeof name === "string" ? extensions.get(name) : undefined;
  return extension?.read(value.value) ?? typed;
}

function plainArray({ elementType, values }: TypedValues["array"], extensions: Extensions): unknown {
  return values.map((item) => {
    const decimal = item instanceof Uint8Array ? decimalOf(elementType, item) : undefined;
    return decimal === undefined ? plainOf(item, extensions) : plainDecimal(decimal);
  });
}

function decimalOf(type: string, bits: Uint8Array): Typed<DecimalType> | undefined {
  return type === "decimal32" || type === "decimal64" || type === "decimal128" ? new Typed(type, bits) : undefined;
}

function isDecimal(typed: Typed): typed is Typed<DecimalType> {
  return typed.type === "decimal32" || typed.type === "decimal64" || typed.type === "decimal128";
}

/** Infinities and NaN have no other form than the typed one. */
function plainDecimal(typed: Typed<DecimalType>): unknown {
  const text = toDecimalString(typed);
  return isDecimalText(text) ? new Decimal(text) : typed;
}

function plainOfMap(map: AmqpMap, extensions: Extensions): unknown {
  const entries = Array.from(map, ([key, item]): [unknown, unknown] => [
    plainOf(key, extensions),
    plainOf(item, extensions),
  ]);
  const textual = Array.from(map).every(
    ([key]) => typeof key === "string" || (key instanceof Typed && key.type === "symbol"),
  );
  // fromEntries makes own members even of "__proto__".
  const plain = textual ? Object.fromEntries(entries) : new Map(entries);
  const size = plain instanceof Map ? plain.size : Object.keys(plain).length;
  return size === map.size ? plain : map;
}
