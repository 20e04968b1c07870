import { asciiText } from "../codec/binary/text.ts";
import type { DecodeLimits } from "../codec/limits.ts";
import { invalidOption } from "../options/option-checks.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { isUtf8 } from "./is-utf8.ts";
import { knownKey, maxKeyLength, remember, slotOf } from "./key-cache.ts";
import { sliceLatin1, sliceUtf8 } from "../host/node.ts";
import { pathTo } from "./value-path.ts";

/** How a {@link ByteReader} reads; every member is resolved. */
export interface ReaderSettings {
  readonly limits: DecodeLimits;
  /** Maximum number of elements in arrays whose elements take no bytes. */
  readonly maxZeroWidth: number;
  /** Tolerates size fields that lie and text that is not UTF-8. */
  readonly lenient: boolean;
  /** Copies binary instead of viewing it. */
  readonly copy: boolean;
}

/** The deepest nesting that any limit allows: what the stack holds with ease. */
const maxNesting = 1024;
/** The longest text that is worth no slab of its own. */
const maxShortLength = 24;
/** Texts within this many bytes are cut out of one string that is made at once. */
const slabSize = 1024;

/** A cursor over AMQP bytes that never passes the end of the extent it is in, and counts what it reads. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly settings: ReaderSettings;
  readonly maxDepth: number;
  /** Where the next byte is read. */
  at: number;
  /** The end of the innermost list, map, array or section. */
  end: number;
  /** The same number for the same {@link name}, and nearly always another for another. */
  nameHash: number;
  /** Where short texts end to be read ahead. */
  textEnd: number;
  /** How many fields are left of the innermost list of fields; see `field-reader.ts`. */
  fieldsLeft: number;
  #items: number;
  /** Where the value began that the paths of errors start from. */
  #root: number;
  #path = "$";
  #isFirstText = true;
  #slab = "";
  #slabStart = 0;
  #slabEnd = 0;

  constructor(bytes: Uint8Array, settings: ReaderSettings) {
    // Whoever calls without types may have forgotten them.
    if (!(bytes instanceof Uint8Array)) throw invalidOption("bytes", "must be a Uint8Array");
    this.bytes = bytes;
    const size = bytes.byteLength;
    this.settings = settings;
    this.maxDepth = Math.min(settings.limits.maxDepth, maxNesting);
    this.at = 0;
    this.end = size;
    this.nameHash = 0;
    this.textEnd = size;
    this.fieldsLeft = 0;
    this.#items = settings.limits.maxItems;
    this.#root = 0;
    if (size > settings.limits.maxBytes) throw this.exceeded("maxBytes", "bytes", 0);
  }

  /** Starts on a value at `at` that ends before or at `end`, whose path in errors is `path`. */
  seek(at: number, end: number, path = "$"): void {
    this.at = at;
    this.end = end;
    this.#root = at;
    this.#path = path;
  }

  /** The next format code; counts one item. */
  code(): number {
    if (--this.#items < 0) throw this.exceeded("maxItems", "items", this.at);
    return this.countedCode();
  }

  /** The next format code, of an item that {@link spend} has counted. */
  countedCode(): number {
    if (this.at >= this.end) throw this.cut("A value is missing", this.at);
    return this.bytes[this.at++] ?? 0;
  }

  /** How many items may still be read. */
  get left(): number {
    return this.#items;
  }

  /** Counts `items` that are not read through {@link code}. */
  spend(items: number): void {
    this.#items -= items;
    if (this.#items < 0) throw this.exceeded("maxItems", "items", this.at);
  }

  u8(): number {
    if (this.at >= this.end) throw this.cut("A value of 1 byte is cut off", this.at);
    return this.bytes[this.at++] ?? 0;
  }

  u16(): number {
    const at = this.skip(2);
    return ((this.bytes[at] ?? 0) << 8) | (this.bytes[at + 1] ?? 0);
  }

  u32(): number {
    return this.i32() >>> 0;
  }

  i32(): number {
    const bytes = this.bytes;
    const at = this.skip(4);
    return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  }

  /** The octet of a boolean (AMQP 1.0 part 1.6.2): 0 or 1. */
  boolean(): boolean {
    const octet = this.u8();
    if (octet > 1) throw this.fault("A boolean is neither 0 nor 1", this.at - 1);
    return octet === 1;
  }

  /** A view of the next `length` bytes, or a copy when the settings ask for one. */
  binary(length: number): Uint8Array {
    const at = this.skip(length);
    if (this.settings.copy) return new Uint8Array(this.bytes.subarray(at, at + length));
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + at, length);
  }

  /** UTF-8 text of `length` bytes. */
  text(length: number): string {
    const start = this.skip(length);
    return this.textBetween(start, this.at);
  }

  /** {@link text} after a size of one byte. */
  text8(): string {
    const { at } = this;
    const stop = at + 1 + (this.bytes[at] ?? 0);
    if (stop > this.end) return this.text(this.u8());
    this.at = stop;
    return this.textBetween(at + 1, stop);
  }

  /** UTF-8 text of `length` bytes that is likely to come again: a key or a symbol. */
  name(length: number): string {
    this.nameHash = length;
    if (length === 0 || length > maxKeyLength || length > this.end - this.at) return this.text(length);
    const slot = slotOf(this.bytes, this.at, length);
    this.nameHash = slot;
    const known = knownKey(this.bytes, this.at, length, slot);
    if (known === undefined) {
      const text = this.text(length);
      if (text.length === length) remember(text, slot);
      return text;
    }
    this.at += length;
    return known;
  }

  /** ASCII text of `length` bytes (AMQP 1.0 part 1.6.21). */
  symbol(length: number): string {
    const start = this.at;
    const text = this.name(length);
    // Every other UTF-8 text has fewer units than bytes.
    if (text.length === length && !(this.settings.lenient && text.includes("\ufffd"))) return text;
    if (this.settings.lenient) return sliceLatin1.call(this.bytes, start, start + length);
    throw this.fault("A symbol has a byte that is not ASCII", start);
  }

  /** {@link name} after a size of one byte. */
  name8(): string {
    const { bytes, at } = this;
    const length = bytes[at] ?? 0;
    const stop = at + 1 + length;
    if (stop > this.end || length === 0 || length > maxKeyLength) return this.name(this.u8());
    const slot = slotOf(bytes, at + 1, length);
    const known = knownKey(bytes, at + 1, length, slot);
    if (known === undefined) return this.name(this.u8());
    this.nameHash = slot;
    this.at = stop;
    return known;
  }

  /** The UTF-8 text of bytes that are known to be there; the cursor stays where it is. */
  textBetween(start: number, stop: number): string {
    const { bytes } = this;
    const length = stop - start;
    const isInSlab = start >= this.#slabStart && stop <= this.#slabEnd;
    // For one short text a slab does not pay, and a call out of JavaScript costs more than a few characters.
    if (!isInSlab && (length <= 4 || (length <= maxShortLength && this.#isFirstText))) {
      this.#isFirstText = false;
      return asciiText(bytes, start, stop) ?? this.#utf8(start, stop);
    }
    let seen = 0;
    for (let index = start; index < stop; index++) seen |= bytes[index] ?? 0;
    if (seen >= 0x80) return this.#utf8(start, stop);
    if (!isInSlab) return this.#ascii(start, stop);
    return this.#slab.substring(start - this.#slabStart, stop - this.#slabStart);
  }

  #ascii(start: number, stop: number): string {
    const length = stop - start;
    if (length > slabSize) return sliceLatin1.call(this.bytes, start, stop);
    // One call out of JavaScript serves all the short texts that follow.
    this.#slabStart = start;
    this.#slabEnd = Math.max(stop, Math.min(this.textEnd, start + slabSize));
    this.#slab = sliceLatin1.call(this.bytes, start, this.#slabEnd);
    return this.#slab.substring(0, length);
  }

  #utf8(start: number, stop: number): string {
    const text = sliceUtf8.call(this.bytes, start, stop);
    // Only a text with the replacement character can have come from bytes that are not UTF-8.
    if (text.includes("\ufffd") && !this.settings.lenient && !isUtf8(this.bytes.subarray(start, stop))) {
      throw this.fault("A string is not valid UTF-8", start);
    }
    return text;
  }

  /** Passes `length` bytes and returns where they began. */
  skip(length: number): number {
    const start = this.at;
    if (length > this.end - start) throw this.cut(`A value of ${length} bytes is cut off`, start);
    this.at = start + length;
    return start;
  }

  /**
   * Enters a list, map or array whose size and count take `width` bytes each, and returns the count.
   *
   * {@link end} becomes the end of the extent: save it before, and give it to {@link leave} after.
   */
  enter(width: 1 | 4): number {
    const size = width === 1 ? this.u8() : this.u32();
    const start = this.at;
    if (!this.settings.lenient) {
      if (size < width) throw this.fault("The size of a compound value does not cover its count", start - width);
      if (size > this.end - start) throw this.cut(`A compound value of ${size} bytes is cut off`, start - width);
      this.end = start + size;
    }
    return width === 1 ? this.u8() : this.u32();
  }

  /** {@link enter} for lists and maps, where every item takes a byte at least. */
  enterItems(width: 1 | 4): number {
    const count = this.enter(width);
    if (count > this.end - this.at) {
      throw this.cut(`A compound value claims ${count} items in ${this.end - this.at} bytes`, this.at - width);
    }
    return count;
  }

  /** Leaves an extent, which must have been read to its end. */
  leave(outer: number): void {
    if (this.at !== this.end && !this.settings.lenient) {
      throw this.fault(`A compound value has ${this.end - this.at} bytes after its last item`, this.at);
    }
    this.end = outer;
  }

  /** @throws SobreError `LimitExceeded` when `depth` levels of nesting are too many. */
  checkDepth(depth: number): void {
    if (depth > this.maxDepth) throw this.exceeded("maxDepth", "levels of nesting", this.at);
  }

  /** The error of bytes that break a rule of the format. */
  fault(what: string, offset: number, code: ErrorCode = "DecodeFailed"): SobreError {
    const path = this.#pathTo(offset);
    return new SobreError(code, `${what}, at byte ${offset}. Check the sender's encoding against AMQP 1.0 part 1.6.`, {
      offset,
      path,
    });
  }

  /** The error of a value that ends after the extent it is in, or after the payload. */
  cut(what: string, offset: number): SobreError {
    return this.end < this.bytes.byteLength
      ? this.fault(`${what} by the end of what holds it`, offset)
      : this.fault(`${what} by the end of the payload`, offset, "TruncatedPayload");
  }

  /** The error of a used-up budget. */
  exceeded(limit: keyof DecodeLimits, words: string, offset: number): SobreError {
    const most = limit === "maxDepth" ? this.maxDepth : this.settings.limits[limit];
    const message = `The payload has more than ${most} ${words} (limits.${limit}).`;
    return new SobreError("LimitExceeded", message, { offset, path: this.#pathTo(offset) });
  }

  #pathTo(offset: number): string {
    return `${this.#path}${pathTo(this.bytes, this.#root, offset)}`;
  }
}
