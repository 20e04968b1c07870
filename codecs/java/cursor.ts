import { type DecodeLimits, limitExceeded } from "../../src/codec/limits.ts";
import { SobreError } from "../../src/errors/sobre-error.ts";
import { decodeModifiedUtf8 } from "./modified-utf8.ts";
import type { PrimitiveCode, PrimitiveNode } from "./nodes.ts";

/** Bytes that a primitive takes. */
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

/** Classes that count no more than what they hold. */
const fewClasses = 1024;
/** What each further one counts: reading by a class of its own costs as much as some hundred bytes of objects alike. */
const furtherClass = 128;

/** Reads big-endian values one behind the other, never past the end, and counts what it reads against the limits. */
export class Cursor {
  readonly bytes: Buffer;
  readonly limits: DecodeLimits;
  readonly #view: DataView;
  /** Where the next byte is read. */
  at = 0;
  #items = 0;
  #classes = 0;

  constructor(payload: Uint8Array, limits: DecodeLimits) {
    if (payload.byteLength > limits.maxBytes) throw limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
    this.bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    this.#view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    this.limits = limits;
  }

  get remaining(): number {
    return this.bytes.length - this.at;
  }

  /** Counts a class that is described; a stream describes each once, and no program has thousands of them. */
  spendClass(): void {
    if (++this.#classes > fewClasses) this.spend(furtherClass);
  }

  /** Counts `items` read or about to be read at the current place. */
  spend(items: number): void {
    this.#items += items;
    if (this.#items > this.limits.maxItems) throw limitExceeded("maxItems", this.limits, { offset: this.at });
  }

  u8(what: string): number {
    return this.bytes[this.skip(1, what)] ?? 0;
  }

  u16(what: string): number {
    return this.#view.getUint16(this.skip(2, what));
  }

  i32(what: string): number {
    return this.#view.getInt32(this.skip(4, what));
  }

  i64(what: string): bigint {
    return this.#view.getBigInt64(this.skip(8, what));
  }

  /** A view of the next `size` bytes. */
  take(size: number, what: string): Uint8Array {
    const start = this.skip(size, what);
    const { buffer, byteOffset } = this.bytes;
    return new Uint8Array(buffer, byteOffset + start, size);
  }

  /** Text of `size` bytes of modified UTF-8. */
  text(size: number, what: string): string {
    const start = this.skip(size, what);
    const text = decodeModifiedUtf8(this.bytes, start, start + size);
    if (typeof text === "string") return text;
    throw this.broken(`The text of ${what} is not modified UTF-8`, text.at);
  }

  /** Text behind its length in two bytes. */
  shortText(what: string): string {
    return this.text(this.u16(what), what);
  }

  primitive(code: PrimitiveCode): PrimitiveNode {
    return this.primitiveAt(code, this.skip(primitiveSizes[code], "a field"));
  }

  /** The primitive at a place that has been read. */
  primitiveAt(code: PrimitiveCode, offset: number): PrimitiveNode {
    return { kind: "primitive", offset, code, value: this.valueAt(code, offset) };
  }

  /** The value of a primitive at a place that has been read. */
  valueAt(code: PrimitiveCode, offset: number): number | bigint | boolean | string {
    switch (code) {
      case "B":
        return this.#view.getInt8(offset);
      case "C":
        return String.fromCharCode(this.#view.getUint16(offset));
      case "D":
        return this.#view.getFloat64(offset);
      case "F":
        return this.#view.getFloat32(offset);
      case "I":
        return this.#view.getInt32(offset);
      case "J":
        return this.#view.getBigInt64(offset);
      case "S":
        return this.#view.getInt16(offset);
      case "Z": {
        const byte = this.bytes[offset] ?? 0;
        if (byte > 1) throw this.broken("A boolean is neither 0 nor 1", offset);
        return byte === 1;
      }
      default:
        return code satisfies never;
    }
  }

  /** Moves behind the next `size` bytes and gives the offset of the first. */
  skip(size: number, what: string): number {
    const start = this.at;
    if (size > this.bytes.length - start) {
      const text = `The Java stream ends inside ${what}, which from byte ${start} takes ${size} more bytes of which ${this.remaining} are there.`;
      throw new SobreError("TruncatedPayload", text, { offset: start });
    }
    this.at = start + size;
    return start;
  }

  /** The error of bytes that break the format. */
  broken(what: string, offset: number): SobreError {
    return new SobreError("DecodeFailed", `${what} at byte ${offset} of the Java stream.`, { offset });
  }
}
