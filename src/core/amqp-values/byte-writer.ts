import type { SobreError } from "../errors/sobre-error.ts";
import { unclearedBytes, writeUtf8 } from "../host/node.ts";
import { unsupported } from "./unsupported-value.ts";

/** Many small results share one chunk: a chunk per result would cost more than writing it. */
const chunkSize = 32 * 1024;
/** Texts of up to a UUID's length are written by a loop, longer ones by one call out of JavaScript. */
const loopLength = 40;

/** A growing buffer that hands out what was written without copying it. */
export class ByteWriter {
  /** Written from {@link start} to {@link at}; the bytes before belong to earlier results. */
  bytes: Uint8Array<ArrayBuffer>;
  start = 0;
  at = 0;
  #view: DataView;
  #buffer: ArrayBufferLike;
  #busy = false;

  /** @param room its first buffer, which is written over, or the size of one. */
  constructor(room: number | ArrayBuffer = chunkSize) {
    this.bytes = typeof room === "number" ? unclearedBytes(room) : new Uint8Array(room);
    this.#buffer = this.bytes.buffer;
    this.#view = new DataView(this.bytes.buffer);
  }

  /**
   * Runs `write` and gives the bytes it wrote; when it throws, nothing was written.
   *
   * A getter of a value being written may itself write something: that happens elsewhere.
   */
  static collect(write: (writer: ByteWriter) => void): Uint8Array {
    const writer = shared.#busy ? new ByteWriter(1024) : shared;
    writer.#busy = true;
    try {
      write(writer);
      return writer.take();
    } finally {
      writer.at = writer.start;
      writer.#busy = false;
    }
  }

  /** The bytes written since the last call. */
  take(): Uint8Array {
    const { start, at } = this;
    this.start = at;
    return new Uint8Array(this.#buffer, start, at - start);
  }

  /** Makes room for `size` bytes more. */
  reserve(size: number): void {
    if (this.at + size > this.bytes.length) this.#grow(size);
  }

  #grow(size: number): void {
    const written = this.at - this.start;
    const next = unclearedBytes(Math.max(chunkSize, written * 2 + size));
    next.set(this.bytes.subarray(this.start, this.at));
    this.bytes = next;
    this.#buffer = next.buffer;
    this.#view = new DataView(next.buffer);
    this.start = 0;
    this.at = written;
  }

  byte(value: number): void {
    if (this.at === this.bytes.length) this.#grow(1);
    this.bytes[this.at++] = value;
  }

  /** A format code and one byte. */
  code8(code: number, value: number): void {
    this.reserve(2);
    this.bytes[this.at++] = code;
    this.bytes[this.at++] = value;
  }

  code16(code: number, value: number): void {
    this.reserve(3);
    this.bytes[this.at++] = code;
    this.put16(value);
  }

  code32(code: number, value: number): void {
    this.reserve(5);
    this.bytes[this.at++] = code;
    this.put32(value);
  }

  code64(code: number, value: bigint): void {
    this.reserve(9);
    this.bytes[this.at++] = code;
    this.put64(value);
  }

  /** A safe integer as 64 bits. */
  codeInteger(code: number, value: number): void {
    this.reserve(9);
    this.bytes[this.at++] = code;
    const high = Math.floor(value / 2 ** 32);
    this.put32(high);
    this.put32(value - high * 2 ** 32);
  }

  codeDouble(code: number, value: number): void {
    this.reserve(9);
    this.bytes[this.at++] = code;
    this.putDouble(value);
  }

  /** Two bytes into room that was reserved. */
  put16(value: number): void {
    this.#view.setInt16(this.at, value);
    this.at += 2;
  }

  /** Four bytes into room that was reserved. */
  put32(value: number): void {
    this.#view.setInt32(this.at, value);
    this.at += 4;
  }

  /** Eight bytes into room that was reserved. */
  put64(value: bigint): void {
    this.#view.setBigInt64(this.at, value);
    this.at += 8;
  }

  putFloat(value: number): void {
    this.#view.setFloat32(this.at, value);
    this.at += 4;
  }

  putDouble(value: number): void {
    this.#view.setFloat64(this.at, value);
    this.at += 8;
  }

  /** Bytes as they are. */
  raw(value: Uint8Array): void {
    this.reserve(value.byteLength);
    this.bytes.set(value, this.at);
    this.at += value.byteLength;
  }

  /** A binary or the like: `code8` or, from 256 bytes on, its 32-bit sister, the size, the bytes. */
  variable(code8: number, value: Uint8Array): void {
    const size = value.byteLength;
    this.reserve(size + 5);
    if (size <= 0xff) this.code8(code8, size);
    else this.code32(code8 + 0x10, size);
    this.bytes.set(value, this.at);
    this.at += size;
  }

  /**
   * Text as UTF-8 behind `code8` or its 32-bit sister and the size.
   *
   * @throws SobreError `UnsupportedValue` for a lone surrogate, which UTF-8 cannot hold, and for symbols that are not ASCII.
   */
  text(code8: number, value: string): void {
    const { length } = value;
    if (length > loopLength) return this.#longText(code8, value);
    this.reserve(loopLength + 2);
    const { bytes, at } = this;
    let seen = 0;
    for (let index = 0; index < length; index++) {
      // A method of a text is looked up again for each of the engine's many string representations, which is slow.
      const unit = String.prototype.charCodeAt.call(value, index);
      seen |= unit;
      bytes[at + 2 + index] = unit;
    }
    if (seen >= 0x80) return this.#longText(code8, value);
    bytes[at] = code8;
    bytes[at + 1] = length;
    this.at = at + 2 + length;
  }

  #longText(code8: number, value: string): void {
    const { length } = value;
    this.reserve(length * 3 + 5);
    const { at } = this;
    const head = length <= 0xff ? 2 : 5;
    const size = writeUtf8.call(this.bytes, value, at + head, length * 3);
    if (size !== length) checkText(code8, value);
    this.at = at;
    if (size <= 0xff) {
      this.code8(code8, size);
    } else {
      if (head === 2) this.bytes.copyWithin(at + 5, at + 2, at + 2 + size);
      this.code32(code8 + 0x10, size);
    }
    this.at += size;
  }

  /** Where writing is, in a form that growing does not change. */
  mark(): number {
    return this.at - this.start;
  }

  /**
   * Turns the list, map or array written from `mark` on into its 32-bit form `code32` without the format code.
   *
   * @throws what `mismatch` makes, when something else was written there.
   */
  widen(mark: number, code32: number, mismatch: () => SobreError): void {
    this.reserve(8);
    const { bytes } = this;
    const begin = this.start + mark;
    const code = bytes[begin] ?? 0;
    const empty = code === 0x45 && code32 === 0xd0;
    if (!empty && (code | 0x10) !== code32) throw mismatch();
    const head = empty ? 1 : code === code32 ? 9 : 3;
    const count = empty ? 0 : head === 3 ? (bytes[begin + 2] ?? 0) : this.#view.getUint32(begin + 5);
    bytes.copyWithin(begin + 8, begin + head, this.at);
    const end = this.at + 8 - head;
    this.at = begin;
    this.put32(end - begin - 4);
    this.put32(count);
    this.at = end;
  }

  /** Begins a list, map or array, in the hope that one byte each will do for size and count; {@link close} takes the result. */
  open(): number {
    this.reserve(3);
    const mark = this.at - this.start;
    this.at += 3;
    return mark;
  }

  /** Ends a list that {@link open} began; one without items is the list of no bytes. */
  closeList(mark: number, count: number): void {
    if (count > 0) return this.close(mark, 0xc0, count);
    this.at = this.start + mark;
    this.byte(0x45);
  }

  /** Ends what {@link open} began, with its format code, or the 32-bit sister when it grew too large. */
  close(mark: number, code8: number, count: number): void {
    const at = this.start + mark;
    const size = this.at - at - 2;
    if (size <= 0xff && count <= 0xff) {
      const { bytes } = this;
      bytes[at] = code8;
      bytes[at + 1] = size;
      bytes[at + 2] = count;
      return;
    }
    this.reserve(6);
    // Growing moves what was written.
    const begin = this.start + mark;
    this.bytes.copyWithin(begin + 9, begin + 3, this.at);
    const end = this.at + 6;
    this.at = begin;
    this.code32(code8 + 0x10, size + 3);
    this.put32(count);
    this.at = end;
  }
}

const shared = new ByteWriter();

/** A surrogate that is not one of a pair. */
const lone = /\p{Surrogate}/u;

/** Whether UTF-8 can hold the text. */
export function isWellFormed(text: string): boolean {
  return !lone.test(text);
}

function checkText(code8: number, value: string): void {
  if (code8 === 0xa3) throw unsupported("is a symbol but not ASCII");
  if (!isWellFormed(value)) throw unsupported("has a lone surrogate");
}
