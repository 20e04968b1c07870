import type { ByteKeep, KeptBytes } from "../../../core/engine/stored-origin.ts";

/**
 * The size of a slab in bytes. Above 32 MiB the C library always takes pages from the system, and returns them. A page takes no
 * memory before it is written to.
 */
const slabSize = 33 * 2 ** 20;

/** The largest message that shares a slab. */
const maxSharedBytes = 128 * 1024;

/** How many messages move out of slabs that are mostly dead when another one leaves. */
const maxMovedMessages = 8;

/**
 * How many stored messages stay as they came, and the bytes of the buffers in which they came: most are delivered before others
 * take their place.
 */
const maxFreshMessages = 4096;
const maxFreshBytes = 4 * 2 ** 20;

/**
 * Bytes of a slab that messages are copied into when they are sent: few, since a receiver that has not read its payload keeps
 * all of them alive.
 */
const chunkSize = 64 * 1024;

/** Node's way to bytes that are not cleared first, since clearing them costs more than the copies of the messages. */
const allocate: unknown = Reflect.get(Object(Reflect.get(globalThis, "Buffer")), "allocUnsafeSlow");

/** One buffer that holds the bytes of many messages, one after the other. */
class Slab {
  readonly bytes: Uint8Array;
  readonly #messages: KeptBytes[] = [];
  /** Bytes written. */
  used = 0;
  /** Bytes of stored messages. */
  live = 0;
  /** Whether it is in the set of sparse slabs. */
  isListed = false;

  constructor(size: number) {
    const bytes: unknown = typeof allocate === "function" ? Reflect.apply(allocate, undefined, [size]) : undefined;
    this.bytes =
      bytes instanceof Uint8Array ? new Uint8Array(bytes.buffer, bytes.byteOffset, size) : new Uint8Array(size);
  }

  fits(length: number): boolean {
    return this.used + length <= this.bytes.byteLength;
  }

  get last(): KeptBytes | undefined {
    return this.#messages.at(-1);
  }

  write(message: KeptBytes, bytes: Uint8Array): void {
    const { byteLength } = bytes;
    this.bytes.set(bytes, this.used);
    message.slab = this;
    message.moved(this.bytes, this.used, byteLength);
    this.used += byteLength;
  }

  add(message: KeptBytes, length: number): void {
    message.place = this.#messages.push(message) - 1;
    this.live += length;
  }

  remove(message: KeptBytes, length: number): void {
    const last = this.#messages.pop();
    if (last !== undefined && last !== message) {
      this.#messages[message.place] = last;
      last.place = message.place;
    }
    this.live -= length;
  }
}

/**
 * Where the bytes of stored messages are.
 *
 * A message of the network comes in a buffer with others, often a whole read of a socket, and would keep all of it alive. Those
 * that are delivered soon stay there; the others move into slabs. A message of this process is copied into a small slab when it
 * is sent. Messages move out of slabs that are mostly dead, so that at most twice the size of all messages is kept alive.
 */
export class MessageKeep implements ByteKeep {
  readonly #fresh: (KeptBytes | undefined)[] = Array.from({ length: maxFreshMessages }, () => undefined);
  /** The bytes of each one's buffer; 0 if the next one shares it. */
  readonly #sizes: number[] = Array.from({ length: maxFreshMessages }, () => 0);
  #first = 0;
  #count = 0;
  #freshBytes = 0;
  #lastBuffer: ArrayBufferLike | undefined;
  #stored = 0;
  #slab: Slab | undefined;
  #chunk: Slab = new Slab(0);
  /** Bytes of messages in slabs, and bytes written into the slabs that have any. */
  #live = 0;
  #occupied = 0;
  readonly #sparse = new Set<Slab>();
  readonly #slabSize: number;

  constructor(size: number = slabSize) {
    this.#slabSize = size;
  }

  /** Bytes of all that is stored. */
  get bytes(): number {
    return this.#stored;
  }

  /** Copies the few bytes of a message that may be stored. */
  copy(message: KeptBytes, bytes: Uint8Array): void {
    const { byteLength } = bytes;
    if (!this.#chunk.fits(byteLength)) {
      const full = this.#chunk;
      this.#chunk = new Slab(Math.max(chunkSize, byteLength));
      this.#list(full);
    }
    this.#write(this.#chunk, message, bytes);
  }

  /** Takes a message that is stored; `source` is where its bytes are. */
  add(message: KeptBytes, length: number, source: Uint8Array): void {
    this.#stored += length;
    if (message.slab instanceof Slab) return this.#hold(message.slab, message, length);
    const { buffer } = source;
    if (buffer === this.#lastBuffer)
      this.#forgetSize((this.#first + this.#count + maxFreshMessages - 1) % maxFreshMessages);
    this.#lastBuffer = buffer;
    while (
      this.#count === maxFreshMessages ||
      (this.#count > 0 && this.#freshBytes + buffer.byteLength > maxFreshBytes)
    )
      this.#settleFirst();
    const place = (this.#first + this.#count++) % maxFreshMessages;
    this.#fresh[place] = message;
    this.#sizes[place] = buffer.byteLength;
    this.#freshBytes += buffer.byteLength;
    message.place = place;
  }

  /** Forgets a message that is no longer stored; whoever holds it can still read it. */
  remove(message: KeptBytes, length: number): void {
    const { slab, place } = message;
    this.#stored -= length;
    if (!(slab instanceof Slab)) {
      if (this.#fresh[place] === message) this.#fresh[place] = undefined;
      return;
    }
    this.#release(slab, message, length);
    this.#list(slab);
    if (this.#occupied > this.#live * 2 + chunkSize) this.#clearSome();
  }

  #write(slab: Slab, message: KeptBytes, bytes: Uint8Array): void {
    if (slab.live > 0) this.#occupied += bytes.byteLength;
    slab.write(message, bytes);
  }

  #hold(slab: Slab, message: KeptBytes, length: number): void {
    if (slab.live === 0) this.#occupied += slab.used;
    slab.add(message, length);
    this.#live += length;
  }

  #release(slab: Slab, message: KeptBytes, length: number): void {
    slab.remove(message, length);
    this.#live -= length;
    if (slab.live === 0) this.#occupied -= slab.used;
  }

  /** Notes whether a slab that takes no more messages is sparse: more than half of it belongs to messages that have left. */
  #list(slab: Slab): void {
    const isSparse = slab.live > 0 && slab.live * 2 < slab.used && slab !== this.#slab && slab !== this.#chunk;
    if (isSparse === slab.isListed) return;
    slab.isListed = isSparse;
    if (isSparse) this.#sparse.add(slab);
    else this.#sparse.delete(slab);
  }

  #settleFirst(): void {
    const place = this.#first;
    const message = this.#fresh[place];
    this.#fresh[place] = undefined;
    this.#forgetSize(place);
    this.#first = (place + 1) % maxFreshMessages;
    this.#count--;
    if (message !== undefined) this.#settle(message);
  }

  #forgetSize(place: number): void {
    this.#freshBytes -= this.#sizes[place] ?? 0;
    this.#sizes[place] = 0;
  }

  #settle(message: KeptBytes): void {
    const { bytes } = message;
    const { byteLength } = bytes;
    if (byteLength <= maxSharedBytes) return this.#share(message, byteLength);
    message.place = -1;
    const own = bytes.buffer.byteLength > byteLength * 2 ? new Uint8Array(bytes) : bytes;
    message.moved(own, 0, byteLength);
  }

  #share(message: KeptBytes, length: number): void {
    if (this.#slab?.fits(length) !== true) {
      const full = this.#slab;
      this.#slab = new Slab(this.#slabSize);
      if (full !== undefined) this.#list(full);
    }
    this.#write(this.#slab, message, message.bytes);
    this.#hold(this.#slab, message, length);
  }

  /** Moves some messages on with every one that leaves, so that no turn is long. */
  #clearSome(): void {
    for (let left = maxMovedMessages; left > 0; left--) {
      const slab = this.#sparse.values().next().value;
      const message = slab?.last;
      if (slab === undefined || message === undefined) return;
      const { byteLength } = message.bytes;
      this.#release(slab, message, byteLength);
      this.#list(slab);
      this.#share(message, byteLength);
    }
  }
}

/** The keep that all engines of the process share. */
export const messageKeep: MessageKeep = new MessageKeep();
