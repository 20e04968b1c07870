import { TextCache, utf8Text } from "../../../src/core/codec/binary/text.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";

/** Names and namespaces repeat from message to message. */
const names = new TextCache(96);

/** Reads the primitives of MC-NBFX 2.1.2 from bytes, never beyond their end. */
export class NbfxCursor {
  readonly bytes: Uint8Array;
  /** Offset of the next byte. */
  at = 0;
  #view: DataView | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** All integers and floating-point numbers are little-endian. */
  get view(): DataView {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    return this.#view;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** The next byte. */
  byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw this.truncated();
    this.at++;
    return byte;
  }

  /** Skips `length` bytes and returns the offset of the first. */
  take(length: number): number {
    const start = this.at;
    if (length > this.bytes.length - start) throw this.truncated();
    this.at = start + length;
    return start;
  }

  /** MultiByteInt31: seven bits per byte, least significant first, at most 2^31 - 1. */
  multiByteInt31(): number {
    const start = this.at;
    let value = 0;
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.byte();
      if (shift === 28 && byte > 0x07) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw this.broken("has a length of more than 31 bits", start);
  }

  /** A name: its length and UTF-8. */
  name(): string {
    // Nearly all names are shorter than 128 bytes.
    const first = this.bytes[this.at] ?? 0x80;
    const length = first < 0x80 ? first : this.multiByteInt31();
    if (first < 0x80) this.at++;
    const start = this.take(length);
    try {
      return names.read(this.bytes, start, this.at, utf8Text);
    } catch {
      throw this.#notUtf8(start);
    }
  }

  /** UTF-8 text of a known length. */
  text(length: number): string {
    const start = this.take(length);
    try {
      return utf8Text(this.bytes, start, this.at);
    } catch {
      throw this.#notUtf8(start);
    }
  }

  /** UTF-16 text of a known length in bytes; surrogates must come in pairs. */
  utf16(length: number): string {
    const start = this.take(length);
    if (length % 2 === 1) throw this.broken("has UTF-16 text of an odd length", start);
    const parts: string[] = [];
    const units: number[] = [];
    for (let index = start; index < start + length; index += 2) {
      units.push(this.view.getUint16(index, true));
      if (units.length < 4096 && index + 2 < start + length) continue;
      parts.push(String.fromCharCode(...units));
      units.length = 0;
    }
    const text = parts.join("");
    if (!text.isWellFormed()) throw this.broken("has UTF-16 text with a lone surrogate", start);
    return text;
  }

  /** The error for invalid bytes, for the caller to throw. */
  broken(what: string, offset: number): SobreError {
    return new SobreError("DecodeFailed", `The binary XML ${what}, at byte ${offset}.`, { offset });
  }

  truncated(): SobreError {
    const offset = this.bytes.length;
    return new SobreError("TruncatedPayload", `The binary XML ends inside a record, at byte ${offset}.`, { offset });
  }

  trailing(offset: number): SobreError {
    return new SobreError("TrailingBytes", `The binary XML has more bytes after its root element, at byte ${offset}.`, {
      offset,
    });
  }

  #notUtf8(start: number): SobreError {
    return this.broken("has text that is not UTF-8", start);
  }
}
