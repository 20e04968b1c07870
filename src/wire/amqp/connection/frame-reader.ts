import { code } from "./performative.ts";
import { WireFault } from "./wire-fault.ts";

/** The protocol that the first eight bytes of a layer announce. */
export interface ProtocolHeader {
  readonly kind: "header";
  /** 0 AMQP, 2 TLS, 3 SASL; -1: not AMQP 1.0. */
  readonly protocol: number;
}

const headerSize = 8;
/** The descriptors of nearly all frames, and the offset at which such a frame usually has its descriptor. */
const { transfer, disposition } = code;
const descriptorAt = headerSize + 2;
const noFrameBytes = new Uint8Array(0);

/** Cuts a stream of bytes into protocol headers and frames, and buffers at most one frame of the maximum size. */
export class FrameReader {
  /** Maximum frame size in bytes. */
  maxFrameSize: number;
  /** The type of the last frame: 0 AMQP, 1 SASL. */
  type = 0;
  channel = 0;
  /** The bytes that hold its body, from {@link start} to {@link end}; empty in a heartbeat frame. */
  bytes: Uint8Array = noFrameBytes;
  start = 0;
  end = 0;
  /** Bytes that were received and not yet read. */
  #chunk: Uint8Array = noFrameBytes;
  #at = 0;
  /** The beginning of an incomplete frame; `#held` of its bytes have arrived. */
  #partial: Uint8Array = noFrameBytes;
  #held = 0;
  #wanted = 0;
  #dense: boolean | undefined;

  constructor(maxFrameSize: number) {
    this.maxFrameSize = maxFrameSize;
  }

  /** Takes the next bytes; those passed in before must have been read. */
  push(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#at = 0;
    this.#dense = undefined;
  }

  /**
   * Whether messages may keep the chunk that holds the last frame.
   *
   * They may when most of those bytes are messages; otherwise a small message would keep a large chunk alive.
   */
  get dense(): boolean {
    return this.bytes !== this.#chunk || (this.#dense ??= this.#isDense());
  }

  /** The descriptor of the last frame if it is a transfer or a disposition whose descriptor is a small ulong. */
  get frequent(): number | undefined {
    const { bytes, start } = this;
    if (bytes[start] !== 0x00 || bytes[start + 1] !== 0x53) return undefined;
    const descriptor = bytes[start + 2];
    return descriptor === transfer || descriptor === disposition ? descriptor : undefined;
  }

  /** The body of the last frame. */
  get body(): Uint8Array {
    return this.bytes.subarray(this.start, this.end);
  }

  /** The next protocol header, or `undefined` until all of it has arrived. */
  header(): ProtocolHeader | undefined {
    const bytes = this.#take(headerSize);
    if (bytes === undefined) return undefined;
    const isAmqp = bytes[0] === 0x41 && bytes[1] === 0x4d && bytes[2] === 0x51 && bytes[3] === 0x50;
    const isVersion1 = bytes[5] === 1 && bytes[6] === 0 && bytes[7] === 0;
    return { kind: "header", protocol: isAmqp && isVersion1 ? (bytes[4] ?? -1) : -1 };
  }

  /**
   * Reads the next frame; false until all of it has arrived.
   *
   * @throws WireFault `amqp:connection:framing-error` as soon as its header is wrong.
   */
  next(): boolean {
    const size = this.#frameSize();
    if (size === undefined) return this.#dry();
    if (size < headerSize) throw framing(`A frame of ${size} bytes is smaller than its header`);
    if (size > this.maxFrameSize)
      throw framing(`A frame of ${size} bytes is larger than the ${this.maxFrameSize} allowed`);
    let begin = 0;
    if (this.#held === 0 && this.#chunk.byteLength - this.#at >= size) {
      begin = this.#at;
      this.bytes = this.#chunk;
      this.#at += size;
    } else {
      const bytes = this.#take(size);
      if (bytes === undefined) return this.#dry();
      this.bytes = bytes;
    }
    const { bytes } = this;
    const offset = (bytes[begin + 4] ?? 0) * 4;
    if (offset < headerSize || offset > size) throw framing(`A frame has its body at ${offset} of ${size} bytes`);
    this.type = bytes[begin + 5] ?? 0;
    this.channel = ((bytes[begin + 6] ?? 0) << 8) | (bytes[begin + 7] ?? 0);
    this.start = begin + offset;
    this.end = begin + size;
    return true;
  }

  /** Everything has been read: an idle connection keeps no buffer. */
  #dry(): false {
    this.#chunk = noFrameBytes;
    this.#at = 0;
    this.bytes = noFrameBytes;
    return false;
  }

  /** Looks only at the last frame and those that are not read yet. */
  #isDense(): boolean {
    const chunk = this.#chunk;
    let messages = this.end - this.start;
    for (let at = this.#at; at + descriptorAt < chunk.byteLength;) {
      const size = Math.max(headerSize, sizeAt(chunk, at));
      if (chunk[at + descriptorAt] === transfer) messages += Math.min(size, chunk.byteLength - at);
      at += size;
    }
    return messages * 2 >= chunk.byteLength;
  }

  /** The size in the next four bytes, without consuming them. */
  #frameSize(): number | undefined {
    if (this.#held > 0) {
      if (this.#held < 4 && !this.#fill(4)) return undefined;
      return sizeAt(this.#partial, 0);
    }
    if (this.#chunk.byteLength - this.#at >= 4) return sizeAt(this.#chunk, this.#at);
    this.#fill(4);
    return undefined;
  }

  /** The next `size` bytes: a view of the chunk if it holds them all. */
  #take(size: number): Uint8Array | undefined {
    if (this.#held === 0 && this.#chunk.byteLength - this.#at >= size) {
      const start = this.#at;
      this.#at += size;
      return this.#chunk.subarray(start, this.#at);
    }
    if (!this.#fill(size)) return undefined;
    const bytes = this.#partial.subarray(0, size);
    this.#partial = noFrameBytes;
    this.#held = 0;
    this.#wanted = 0;
    return bytes;
  }

  /** Moves bytes of the chunk to the partial frame until it has `size`; false when there are too few. */
  #fill(size: number): boolean {
    const left = this.#chunk.byteLength - this.#at;
    const count = Math.min(size - this.#held, left);
    // Memory for a claimed size is allocated as the bytes arrive, so that a claim alone costs nothing.
    const room = Math.min(size, Math.max(512, (this.#held + count) * 2));
    if (this.#partial.byteLength < this.#held + count || this.#wanted === 0) {
      const grown = new Uint8Array(Math.max(room, this.#held + count));
      grown.set(this.#partial.subarray(0, this.#held));
      this.#partial = grown;
      this.#wanted = size;
    }
    this.#partial.set(this.#chunk.subarray(this.#at, this.#at + count), this.#held);
    this.#at += count;
    this.#held += count;
    return this.#held >= size;
  }
}

function sizeAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) * 2 ** 24 + (((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0))
  );
}

const framing = (what: string): WireFault => new WireFault("amqp:connection:framing-error", `${what}.`);
