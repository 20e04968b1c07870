/** Room for many ordinary messages, which share a buffer as those of Node's own pool do. */
const poolBytes = 16 * 1024;
/** With less room left, the next message begins a new pool. */
const minBytes = 2048;

/** Longer texts are worth a call into the platform's encoder; measured on node 24. */
const shortText = 48;

const encoder = new TextEncoder();
/** ECMAScript 2024; costs nothing for strings that need one byte a character. */
const isWellFormed: (this: string) => boolean = Reflect.get(String.prototype, "isWellFormed");

/** A growing buffer that writes the tokens of MessagePack. */
export class ByteSink {
  #at = 0;
  /** Where the current message begins. */
  #start = 0;
  #buffer = new Uint8Array(poolBytes);
  #view = new DataView(this.#buffer.buffer);

  /** The bytes that were written, and begins the next message after them. */
  take(): Uint8Array {
    const start = this.#start;
    const at = this.#at;
    const taken = this.#buffer.subarray(start, at);
    this.#start = at;
    if (this.#buffer.length !== poolBytes || poolBytes - at < minBytes) this.#allocate(poolBytes);
    return taken;
  }

  /** Begins a message, without what was written before and not taken. A buffer that somebody transferred away is replaced. */
  begin(): void {
    this.#at = this.#start;
    if (this.#buffer.length !== poolBytes) this.#allocate(poolBytes);
  }

  byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#at++] = value;
  }

  /** A token that `width` bytes will follow. */
  head(token: number, width: number): void {
    this.#room(1 + width);
    this.#buffer[this.#at++] = token;
  }

  /** A token and an unsigned integer of `width` bytes: 1, 2 or 4. */
  unsigned(token: number, value: number, width: number): void {
    this.head(token, width);
    if (width === 1) this.#view.setUint8(this.#at, value);
    else if (width === 2) this.#view.setUint16(this.#at, value);
    else this.#view.setUint32(this.#at, value);
    this.#at += width;
  }

  /** A token and a safe integer in 64 bits, in two's complement. */
  integer64(token: number, value: number): void {
    this.head(token, 8);
    const high = Math.floor(value / 2 ** 32);
    this.#view.setInt32(this.#at, high);
    this.#view.setUint32(this.#at + 4, value - high * 2 ** 32);
    this.#at += 8;
  }

  /** A token and a bigint in 64 bits, in two's complement. */
  bigint64(token: number, value: bigint): void {
    this.head(token, 8);
    this.bigint(value);
  }

  bigint(value: bigint): void {
    this.#room(8);
    this.#view.setBigUint64(this.#at, value);
    this.#at += 8;
  }

  float64(value: number): void {
    this.#room(8);
    this.#view.setFloat64(this.#at, value);
    this.#at += 8;
  }

  uint32(value: number): void {
    this.#room(4);
    this.#view.setUint32(this.#at, value);
    this.#at += 4;
  }

  /**
   * The head of a list or map of `count`: in one byte over `short`, or after `long` (16 bits) or the token after it (32 bits).
   * Returns where in the message it is, for {@link recount}.
   */
  containerHead(short: number, long: number, count: number): number {
    const headAt = this.#at - this.#start;
    if (count < 0x10) this.byte(short | count);
    else if (count < 0x1_0000) this.unsigned(long, count, 2);
    else this.unsigned(long + 1, count, 4);
    return headAt;
  }

  /** Lowers the count of a map head; its width stays. */
  recount(headAt: number, count: number): void {
    const at = this.#start + headAt;
    const token = this.#buffer[at];
    if (token === 0xde) this.#view.setUint16(at + 1, count);
    else if (token === 0xdf) this.#view.setUint32(at + 1, count);
    else this.#buffer[at] = 0x80 | count;
  }

  binary(value: Uint8Array): void {
    this.#sized(0xc4, value.length);
    this.bytes(value);
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
  }

  extensionHead(type: number, length: number): void {
    const fixed = [1, 2, 4, 8, 16].indexOf(length);
    if (fixed === -1) this.#sized(0xc7, length);
    else this.byte(0xd4 + fixed);
    this.byte(type & 0xff);
  }

  /** Writes a string, or returns false when it is not well-formed. */
  text(value: string): boolean {
    return (value.length < shortText && this.#shortAscii(value)) || this.#longText(value);
  }

  #shortAscii(value: string): boolean {
    const { length } = value;
    this.#room(length + 2);
    const begin = length < 0x20 ? this.#at + 1 : this.#at + 2;
    const buffer = this.#buffer;
    for (let index = 0; index < length; index++) {
      const unit = value.charCodeAt(index);
      if (unit >= 0x80) return false;
      buffer[begin + index] = unit;
    }
    if (length < 0x20) buffer[this.#at] = 0xa0 | length;
    else {
      buffer[this.#at] = 0xd9;
      buffer[this.#at + 1] = length;
    }
    this.#at = begin + length;
    return true;
  }

  #longText(value: string): boolean {
    if (!isWellFormed.call(value)) return false;
    const most = value.length * 3;
    this.#room(most + 5);
    const begin = this.#at + textHeadLength(value.length);
    const { written } = encoder.encodeInto(value, this.#buffer.subarray(begin, begin + most));
    const shift = this.#at + textHeadLength(written) - begin;
    if (shift > 0) this.#buffer.copyWithin(begin + shift, begin, begin + written);
    if (written < 0x20) this.byte(0xa0 | written);
    else this.#sized(0xd9, written);
    this.#at += written;
    return true;
  }

  /** A length in 8, 16 or 32 bits after `token` or one of the two after it. */
  #sized(token: number, length: number): void {
    if (length < 0x100) this.unsigned(token, length, 1);
    else if (length < 0x1_0000) this.unsigned(token + 1, length, 2);
    else this.unsigned(token + 2, length, 4);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const written = this.#buffer.subarray(this.#start, this.#at);
    this.#allocate(Math.max(poolBytes, 2 * (written.length + bytes)));
    this.#buffer.set(written);
    this.#at = written.length;
  }

  #allocate(bytes: number): void {
    this.#buffer = new Uint8Array(bytes);
    this.#view = new DataView(this.#buffer.buffer);
    this.#start = 0;
    this.#at = 0;
  }
}

function textHeadLength(bytes: number): number {
  if (bytes < 0x20) return 1;
  if (bytes < 0x100) return 2;
  return bytes < 0x1_0000 ? 3 : 5;
}
