import { BoundedCursor } from "../../../src/core/codec/binary/cursor.ts";
import { utf8Text } from "../../../src/core/codec/binary/text.ts";
import type { DecodeLimits } from "../../../src/core/codec/limits.ts";
import type { PrimitiveType, PrimitiveValue } from "./nodes.ts";
import { primitiveSizes, primitiveTypes } from "./record-types.ts";

/** Reads the little-endian values of a BinaryFormatter payload. */
export class NrbfCursor extends BoundedCursor {
  constructor(payload: Uint8Array, limits: DecodeLimits) {
    super(payload, limits, "BinaryFormatter payload");
  }

  i32(what: string): number {
    return this.view.getInt32(this.skip(4, what), true);
  }

  /** A string preceded by its length in bytes, 7 bits per byte (2.1.1.6, `LengthPrefixedString`). */
  text(what: string): string {
    const start = this.at;
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.u8(what);
      if (shift === 28 && byte > 7) throw this.broken(`The length of ${what} takes more than 31 bits`, start);
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return this.#utf8(this.skip(size, what), `The text of ${what}`);
  }

  /** The type of a primitive, by its number. */
  primitiveType(): PrimitiveType {
    const offset = this.at;
    const type = primitiveTypes.get(this.u8("a primitive type"));
    if (type === undefined) throw this.broken("An unknown primitive type is", offset);
    return type;
  }

  primitive(type: PrimitiveType): PrimitiveValue {
    if (type === "Char") return this.#char(1);
    if (type === "Decimal") return this.#decimal();
    return this.fixedAt(type, this.skip(primitiveSizes[type], "a primitive"));
  }

  /** The elements of an array of primitives; `count` of them fit into what remains, or it throws. */
  primitives(type: PrimitiveType, count: number): Uint8Array | readonly PrimitiveValue[] {
    const what = "an array of primitives";
    if (type === "Byte") return this.take(count, what);
    // A surrogate pair is two chars in four bytes.
    const least = count * primitiveSizes[type];
    if (least > this.remaining) this.skip(least, what);
    this.spend(count);
    const values: PrimitiveValue[] = [];
    if (type !== "Char") {
      for (let left = count; left > 0; left--) values.push(this.primitive(type));
      return values;
    }
    while (values.length < count) values.push(...this.#char(count - values.length).split(""));
    return values;
  }

  /** The value of a primitive at an offset that has already been read. */
  fixedAt(type: Exclude<PrimitiveType, "Char" | "Decimal">, at: number): PrimitiveValue {
    const { view } = this;
    switch (type) {
      case "Boolean": {
        const byte = view.getUint8(at);
        if (byte > 1) throw this.broken("A Boolean is neither 0 nor 1", at);
        return byte === 1;
      }
      case "Byte":
        return view.getUint8(at);
      case "Double":
        return view.getFloat64(at, true);
      case "Int16":
        return view.getInt16(at, true);
      case "Int32":
        return view.getInt32(at, true);
      case "Int64":
      case "TimeSpan":
        return view.getBigInt64(at, true);
      case "SByte":
        return view.getInt8(at);
      case "Single":
        return view.getFloat32(at, true);
      case "UInt16":
        return view.getUint16(at, true);
      case "UInt32":
        return view.getUint32(at, true);
      case "DateTime":
      case "UInt64":
        return view.getBigUint64(at, true);
      default:
        return type satisfies never;
    }
  }

  /** One char in UTF-8, or the two of a surrogate pair if `room` allows. */
  #char(room: number): string {
    const start = this.at;
    const lead = this.bytes[start] ?? 0;
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    this.skip(size, "a Char");
    const text = this.#utf8(start, "A Char");
    if (text.length > room) throw this.broken("A Char is a surrogate pair", start);
    return text;
  }

  #decimal(): string {
    const start = this.at;
    const text = this.text("a Decimal");
    if (text.length > 32 || !/^-?\d+(?:\.\d+)?$/.test(text)) throw this.broken("A Decimal is not a number", start);
    return text;
  }

  /** The text from `start` to here. */
  #utf8(start: number, what: string): string {
    try {
      return utf8Text(this.bytes, start, this.at);
    } catch {
      throw this.broken(`${what} is not UTF-8`, start);
    }
  }
}
