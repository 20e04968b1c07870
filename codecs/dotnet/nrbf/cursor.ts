import { type DecodeLimits, limitExceeded } from "../../../src/codec/limits.ts";
import { SobreError } from "../../../src/errors/sobre-error.ts";
import type { PrimitiveType, PrimitiveValue } from "./nodes.ts";
import { primitiveSizes, primitiveTypes } from "./record-types.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Classes that count no more than what they hold. */
const fewClasses = 1024;
/** What each further one counts: reading by a class of its own costs as much as some hundred bytes of objects alike. */
const furtherClass = 128;

/** Reads little-endian values one behind the other, never past the end, and counts what it reads against the limits. */
export class Cursor {
  readonly limits: DecodeLimits;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Where the next byte is read. */
  at = 0;
  #items = 0;
  #classes = 0;

  constructor(payload: Uint8Array, limits: DecodeLimits) {
    if (payload.byteLength > limits.maxBytes) throw limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
    this.#bytes = payload;
    this.#view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    this.limits = limits;
  }

  get remaining(): number {
    return this.#bytes.length - this.at;
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

  /** Makes sure that `items` more may be read. */
  allow(items: number): void {
    this.spend(items);
    this.#items -= items;
  }

  u8(what: string): number {
    return this.#view.getUint8(this.skip(1, what));
  }

  i32(what: string): number {
    return this.#view.getInt32(this.skip(4, what), true);
  }

  /** A view of the next `size` bytes. */
  take(size: number, what: string): Uint8Array {
    const start = this.skip(size, what);
    return this.#bytes.subarray(start, start + size);
  }

  /** A string behind its length in bytes, 7 bits a byte (2.1.1.6, `LengthPrefixedString`). */
  text(what: string): string {
    const start = this.at;
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.u8(what);
      if (shift === 28 && byte > 7) throw this.broken(`The length of ${what} takes more than 31 bits`, start);
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const bytes = this.take(size, what);
    const ascii = asciiText(bytes);
    if (ascii !== undefined) return ascii;
    try {
      return utf8.decode(bytes);
    } catch {
      throw this.broken(`The text of ${what} is not UTF-8`, this.at - size);
    }
  }

  /** The type of a primitive, by its number. */
  primitiveType(): PrimitiveType {
    const offset = this.at;
    const type = primitiveTypes.get(this.u8("a primitive type"));
    if (type === undefined) throw this.broken("An unknown primitive type stands", offset);
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

  /** The byte at a place. */
  byteAt(at: number): number {
    return this.#bytes[at] ?? 0;
  }

  /** The value of a primitive at a place that has been read. */
  fixedAt(type: Exclude<PrimitiveType, "Char" | "Decimal">, at: number): PrimitiveValue {
    const view = this.#view;
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

  /** One char in UTF-8, or the two of a surrogate pair where `room` allows. */
  #char(room: number): string {
    const start = this.at;
    const lead = this.#bytes[start] ?? 0;
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const bytes = this.take(size, "a Char");
    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      throw this.broken("A Char is not UTF-8", start);
    }
    if (text.length > room) throw this.broken("A Char is a surrogate pair", start);
    return text;
  }

  #decimal(): string {
    const start = this.at;
    const text = this.text("a Decimal");
    if (text.length > 32 || !/^-?\d+(?:\.\d+)?$/.test(text)) throw this.broken("A Decimal is no number", start);
    return text;
  }

  /** Moves behind the next `size` bytes and gives the offset of the first. */
  skip(size: number, what: string): number {
    const start = this.at;
    if (size > this.#bytes.length - start) {
      const text = `The BinaryFormatter payload ends inside ${what}, which from byte ${start} takes ${size} more bytes of which ${this.remaining} are there.`;
      throw new SobreError("TruncatedPayload", text, { offset: start });
    }
    this.at = start + size;
    return start;
  }

  /** The error of bytes that break the format. */
  broken(what: string, offset: number): SobreError {
    return new SobreError("DecodeFailed", `${what} at byte ${offset} of the BinaryFormatter payload.`, { offset });
  }
}

/** Short ASCII text, which most names are, without a decoder's call. */
function asciiText(bytes: Uint8Array): string | undefined {
  if (bytes.length > 64) return undefined;
  let text = "";
  for (const byte of bytes) {
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}
