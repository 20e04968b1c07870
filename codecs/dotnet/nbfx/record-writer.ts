import type { Decimal } from "../../../src/core/values/decimal.ts";
import type { DateTime } from "../../../src/core/values/date-time.ts";
import { ticksPerMinute } from "../../../src/core/values/ticks.ts";
import { type NamedRecords, record } from "./records.ts";

/** The buffer size of .NET's writer in bytes. */
const bufferLength = 512;
/** Bytes that .NET's writer reserves per UTF-16 unit. */
const maxBytesPerChar = 3;
const utf8 = new TextEncoder();

/**
 * Writes the records of MC-NBFX byte for byte as .NET's XmlBinaryNodeWriter does.
 *
 * A text record can still be changed to its form "with end element" as long as the buffer in which it starts has not been
 * flushed. So the writer tracks where .NET's 512-byte buffer would end, and reserves the same space as .NET.
 */
export class RecordWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  /** Bytes in .NET's buffer. */
  #buffered = 0;
  /** The offset of the last text record, while it can be changed; otherwise -1. */
  #textAt = -1;

  /** The bytes written so far. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** A record other than text: only its type. */
  node(type: number): void {
    this.#byte(type);
    this.#textAt = -1;
  }

  /** The start of an element or attribute, with its name. */
  named(prefix: string, local: string, { short, long, letterA }: NamedRecords): void {
    const isLetter = /^[a-z]$/.test(prefix);
    this.node(prefix === "" ? short : isLetter ? letterA + prefix.charCodeAt(0) - 0x61 : long);
    if (prefix !== "" && !isLetter) this.name(prefix);
    this.name(local);
  }

  /** A name, a prefix or a namespace. */
  name(text: string): void {
    if (text.length === 0) {
      this.#byte(0);
    } else if (text.length < Math.floor(128 / maxBytesPerChar)) {
      const bytes = utf8.encode(text);
      this.#reserve(1 + text.length * maxBytesPerChar);
      this.#put(bytes.length);
      this.#append(bytes);
    } else {
      this.multiByteInt31(utf8.encode(text).length);
      this.#utf8(text);
    }
  }

  multiByteInt31(value: number): void {
    this.#reserve(5);
    let left = value;
    for (; left > 0x7f; left >>>= 7) this.#put((left & 0x7f) | 0x80);
    this.#put(left);
  }

  /** The end of an element: merged into the preceding text record, if still possible. */
  endElement(): void {
    if (this.#textAt === -1) {
      this.node(record.endElement);
      return;
    }
    this.#bytes[this.#textAt] = (this.#bytes[this.#textAt] ?? 0) + 1;
    this.#textAt = -1;
  }

  /** Ends an attribute: nothing that follows may change its value. */
  endAttribute(): void {
    this.#textAt = -1;
  }

  text(text: string): void {
    if (text === "") return this.#textNode(record.emptyText);
    if (text === "0") return this.#textNode(record.zeroText);
    if (text === "1") return this.#textNode(record.oneText);
    const bytes = utf8.encode(text);
    const isUtf8 = bytes.length >> 1 <= text.length;
    const length = isUtf8 ? bytes.length : 2 * text.length;
    const type = isUtf8 ? record.chars8Text : record.unicodeChars8Text;
    if (text.length <= Math.floor(255 / maxBytesPerChar)) {
      this.#reserve(2 + text.length * maxBytesPerChar);
      this.#textAt = this.#length;
      this.#put(type);
      this.#put(length);
      if (isUtf8) this.#append(bytes);
      else this.#utf16(text);
      return;
    }
    this.#textWithLength(type, length);
    if (isUtf8) this.#utf8(text);
    else {
      for (let at = 0; at < text.length; at += bufferLength / 2) {
        const part = text.slice(at, at + bufferLength / 2);
        this.#reserve(2 * part.length);
        this.#utf16(part);
      }
    }
    return;
  }

  boolean(value: boolean): void {
    this.#textNode(value ? record.trueText : record.falseText);
  }

  /** An integer, in the smallest record that holds it. */
  integer(value: bigint): void {
    if (value === 0n) return this.#textNode(record.zeroText);
    if (value === 1n) return this.#textNode(record.oneText);
    if (BigInt.asIntN(8, value) === value)
      return this.#fixed(record.int8Text, 1, (at) => this.#view.setInt8(at, Number(value)));
    if (BigInt.asIntN(16, value) === value)
      return this.#fixed(record.int16Text, 2, (at) => this.#view.setInt16(at, Number(value), true));
    if (BigInt.asIntN(32, value) === value)
      return this.#fixed(record.int32Text, 4, (at) => this.#view.setInt32(at, Number(value), true));
    return this.#fixed(record.int64Text, 8, (at) => this.#view.setBigInt64(at, value, true));
  }

  /** A float or double: as an integer or float if that represents it exactly. */
  double(value: number, single: boolean): void {
    if (Number.isInteger(value) && (single || Math.fround(value) === value) && Math.abs(value) < 2 ** 63) {
      return this.integer(BigInt(value));
    }
    if (single || (Number.isFinite(value) && Math.fround(value) === value)) {
      return this.#fixed(record.floatText, 4, (at) => this.#view.setFloat32(at, value, true));
    }
    return this.#fixed(record.doubleText, 8, (at) => this.#view.setFloat64(at, value, true));
  }

  decimal({ text }: Decimal): void {
    this.#fixed(record.decimalText, 16, (at) => setDecimal(this.#view, at, text));
  }

  dateTime(value: DateTime): void {
    this.#fixed(record.dateTimeText, 8, (at) => this.#view.setBigUint64(at, dateTimeBits(value), true));
  }

  /** Bytes: .NET writes the remainder beyond a multiple of three separately, because of base64. */
  bytes(bytes: Uint8Array): void {
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) {
      this.#textWithLength(record.bytes8Text, whole);
      // Data that does not fit the buffer bypasses it.
      const isLong = whole >= bufferLength;
      if (isLong) this.#flush();
      else this.#reserve(whole);
      this.#append(bytes.subarray(0, whole));
      if (isLong) this.#buffered = 0;
    }
    if (whole === bytes.length) return;
    this.#textWithLength(record.bytes8Text, bytes.length - whole);
    this.#reserve(bytes.length - whole);
    this.#append(bytes.subarray(whole));
  }

  /** The part of an array record after its element: type, count and values of `width` bytes. */
  arrayValues(
    type: number,
    width: number,
    count: number,
    set: (view: DataView, at: number, index: number) => void,
  ): void {
    this.#byte(type);
    this.multiByteInt31(count);
    this.#flush();
    this.#grow(width * count);
    for (let index = 0; index < count; index++) set(this.#view, this.#length + index * width, index);
    this.#length += width * count;
    this.#buffered = 0;
  }

  #fixed(type: number, width: number, set: (at: number) => void): void {
    this.#reserve(1 + width);
    this.#textAt = this.#length;
    this.#put(type);
    this.#grow(width);
    set(this.#length);
    this.#length += width;
    this.#buffered += width;
  }

  #textNode(type: number): void {
    this.#byte(type);
    this.#textAt = this.#length - 1;
  }

  /** A record of type 8, 16 or 32, by its length. */
  #textWithLength(type: number, length: number): void {
    this.#reserve(5);
    this.#textAt = this.#length;
    const size = length < 0x100 ? 0 : length < 0x1_0000 ? 1 : 2;
    this.#put(type + 2 * size);
    for (let shift = 0; shift < 8 << size; shift += 8) this.#put((length >>> shift) & 0xff);
  }

  /** Text in pieces that are certain to fit the buffer. */
  #utf8(text: string): void {
    const most = Math.floor(bufferLength / maxBytesPerChar);
    let at = 0;
    while (text.length - at > most) {
      const end = at + most;
      // A surrogate pair must not be split.
      const piece = text.slice(at, (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end);
      this.#reserve(piece.length * maxBytesPerChar);
      this.#append(utf8.encode(piece));
      at += piece.length;
    }
    if (at === text.length) return;
    this.#reserve((text.length - at) * maxBytesPerChar);
    this.#append(utf8.encode(text.slice(at)));
  }

  #utf16(text: string): void {
    this.#grow(2 * text.length);
    for (let index = 0; index < text.length; index++) {
      this.#view.setUint16(this.#length + 2 * index, text.charCodeAt(index), true);
    }
    this.#length += 2 * text.length;
    this.#buffered += 2 * text.length;
  }

  #byte(byte: number): void {
    if (this.#buffered >= bufferLength) this.#flush();
    this.#put(byte);
  }

  #put(byte: number): void {
    this.#grow(1);
    this.#bytes[this.#length++] = byte;
    this.#buffered++;
  }

  #append(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#buffered += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#buffered + count > bufferLength) this.#flush();
  }

  #flush(): void {
    this.#buffered = 0;
    this.#textAt = -1;
  }

  #grow(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** DateTime.ToBinary: the kind in the upper two bits; a local time as UTC. */
export function dateTimeBits({ ticks, kind, offsetMinutes }: DateTime): bigint {
  if (kind !== "local") return ticks | (kind === "utc" ? 1n << 62n : 0n);
  const utc = ticks - BigInt(offsetMinutes ?? 0) * ticksPerMinute;
  return (2n << 62n) | BigInt.asUintN(62, utc);
}

/** Writes decimal text as an OLE DECIMAL. */
export function setDecimal(view: DataView, at: number, text: string): void {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  const digits = BigInt(whole + fraction);
  view.setUint16(at, 0, true);
  view.setUint8(at + 2, fraction.length);
  view.setUint8(at + 3, text.startsWith("-") ? 0x80 : 0);
  view.setUint32(at + 4, Number(digits >> 64n), true);
  view.setBigUint64(at + 8, BigInt.asUintN(64, digits), true);
}
