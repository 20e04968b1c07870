import { BoundedCursor } from "../../src/core/codec/binary/cursor.ts";
import type { DecodeLimits } from "../../src/core/codec/limits.ts";
import { shortestSingle } from "../../src/core/values/single.ts";
import { decodeModifiedUtf8 } from "./modified-utf8.ts";
import type { PrimitiveCode, PrimitiveNode } from "./nodes.ts";

/** Size of a primitive in bytes. */
export const primitiveSizes: Readonly<Record<PrimitiveCode, number>> = {
  B: 1,
  C: 2,
  D: 8,
  F: 4,
  I: 4,
  J: 8,
  S: 2,
  Z: 1,
};

/** Reads the big-endian values of a Java stream. */
export class JavaCursor extends BoundedCursor {
  constructor(payload: Uint8Array, limits: DecodeLimits) {
    super(payload, limits, "Java stream");
  }

  u16(what: string): number {
    return this.view.getUint16(this.skip(2, what));
  }

  i32(what: string): number {
    return this.view.getInt32(this.skip(4, what));
  }

  i64(what: string): bigint {
    return this.view.getBigInt64(this.skip(8, what));
  }

  /** Text of `size` bytes of modified UTF-8. */
  text(size: number, what: string): string {
    const start = this.skip(size, what);
    const text = decodeModifiedUtf8(this.bytes, start, start + size);
    if (typeof text === "string") return text;
    throw this.broken(`The text of ${what} is not modified UTF-8`, text.at);
  }

  /** Text preceded by its length in two bytes. */
  shortText(what: string): string {
    return this.text(this.u16(what), what);
  }

  primitive(code: PrimitiveCode): PrimitiveNode {
    return this.primitiveAt(code, this.skip(primitiveSizes[code], "a field"));
  }

  /** The primitive at an offset that has already been read. */
  primitiveAt(code: PrimitiveCode, offset: number): PrimitiveNode {
    return { kind: "primitive", offset, code, value: this.valueAt(code, offset) };
  }

  /** The value of a primitive at an offset that has already been read. */
  valueAt(code: PrimitiveCode, offset: number): number | bigint | boolean | string {
    if (code === "Z" && (this.bytes[offset] ?? 0) > 1) throw this.broken("A boolean is neither 0 nor 1", offset);
    return primitiveIn(this.view, code, offset);
  }
}

/** The primitive at an offset; a char is its UTF-16 unit. */
export function primitiveIn(view: DataView, code: PrimitiveCode, at: number): number | bigint | boolean | string {
  switch (code) {
    case "B":
      return view.getInt8(at);
    case "C":
      return String.fromCharCode(view.getUint16(at));
    case "D":
      return view.getFloat64(at);
    case "F":
      return shortestSingle(view.getFloat32(at));
    case "I":
      return view.getInt32(at);
    case "J":
      return view.getBigInt64(at);
    case "S":
      return view.getInt16(at);
    case "Z":
      return view.getUint8(at) !== 0;
    default:
      return code satisfies never;
  }
}
