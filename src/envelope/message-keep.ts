/**
 * Bytes of a slab: above the 32 MiB from which on the C library always asks the system for pages and returns them. A
 * page takes no memory before it is written to.
 */
const slabSize = 33 * 2 ** 20;

/** The largest message that shares a slab. */
const mostShared = 128 * 1024;

/** How many messages move out of slabs that are mostly dead when another one leaves. */
const mostMoved = 8;

/** How many stored messages stay as they came, and how many bytes: most are delivered before others take their place. */
const mostFresh = 256;
const mostFreshBytes = 4 * 2 ** 20;

/** A stored message, as the {@link MessageKeep} sees it. */
export interface Kept {
  readonly bytes: Uint8Array;
  /** Its place among those that stay as they came, or in its slab; written only by the keep. */
  place: number;
  slab: Slab | undefined;
  /** Takes bytes in place of its own, which are equal. */
  moved(bytes: Uint8Array, start: number, length: number): void;
}

/** Bytes of many messages, without those of others in between. */
class Slab {
  readonly bytes: Uint8Array;
  readonly #messages: Kept[] = [];
  #used = 0;
  #live = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }

  fits(length: number): boolean {
    return this.#used + length <= this.bytes.byteLength;
  }

  /** Whether more than half of it is of messages that have left. */
  get isSparse(): boolean {
    return this.#live * 2 < this.#used;
  }

  get last(): Kept | undefined {
    return this.#messages.at(-1);
  }

  add(message: Kept): void {
    const { bytes } = message;
    const { byteLength } = bytes;
    this.bytes.set(bytes, this.#used);
    message.slab = this;
    message.place = this.#messages.push(message) - 1;
    message.moved(this.bytes, this.#used, byteLength);
    this.#used += byteLength;
    this.#live += byteLength;
  }

  remove(message: Kept, length: number): void {
    const last = this.#messages.pop();
    if (last !== undefined && last !== message) {
      this.#messages[message.place] = last;
      last.place = message.place;
    }
    message.slab = undefined;
    this.#live -= length;
  }
}

/**
 * Where the bytes of stored messages are.
 *
 * A message comes in a buffer with others, often a whole read of a socket, and would keep all of it alive. Those that are
 * delivered soon stay there. The others move into slabs of their own kind, and from slabs that are mostly dead to new ones:
 * so what is kept alive is at most twice the size of the messages.
 */
export class MessageKeep {
  readonly #fresh: (Kept | undefined)[] = Array.from({ length: mostFresh }, () => undefined);
  readonly #sizes: number[] = Array.from({ length: mostFresh }, () => 0);
  #first = 0;
  #count = 0;
  #freshBytes = 0;
  #stored = 0;
  #slab: Slab | undefined;
  /** Those that are mostly dead, and will be empty soon. */
  readonly #sparse = new Set<Slab>();
  readonly #slabSize: number;

  constructor(size: number = slabSize) {
    this.#slabSize = size;
  }

  /** Bytes of all that is stored. */
  get bytes(): number {
    return this.#stored;
  }

  /** Takes a message that is stored. */
  add(message: Kept, length: number): void {
    while (this.#count === mostFresh || (this.#count > 0 && this.#freshBytes + length > mostFreshBytes))
      this.#settleFirst();
    const place = (this.#first + this.#count++) % mostFresh;
    this.#fresh[place] = message;
    this.#sizes[place] = length;
    this.#freshBytes += length;
    this.#stored += length;
    message.place = place;
  }

  /** Forgets a message that is stored no more; whoever has it may read it still. */
  remove(message: Kept, length: number): void {
    const { slab, place } = message;
    this.#stored -= length;
    if (slab === undefined) {
      if (this.#fresh[place] === message) this.#fresh[place] = undefined;
      return;
    }
    slab.remove(message, length);
    if (slab !== this.#slab && slab.isSparse) this.#sparse.add(slab);
    if (this.#sparse.size === 0) return;
    const [sparse] = this.#sparse;
    if (sparse !== undefined) this.#clearSome(sparse);
  }

  #settleFirst(): void {
    const place = this.#first;
    const message = this.#fresh[place];
    this.#fresh[place] = undefined;
    this.#freshBytes -= this.#sizes[place] ?? 0;
    this.#first = (place + 1) % mostFresh;
    this.#count--;
    if (message !== undefined) this.#settle(message);
  }

  #settle(message: Kept): void {
    const { bytes } = message;
    const { byteLength } = bytes;
    if (byteLength <= mostShared) return this.#share(message, byteLength);
    message.place = -1;
    const own = bytes.buffer.byteLength > byteLength * 2 ? new Uint8Array(bytes) : bytes;
    message.moved(own, 0, byteLength);
  }

  #share(message: Kept, length: number): void {
    if (this.#slab?.fits(length) !== true) {
      if (this.#slab?.isSparse === true) this.#sparse.add(this.#slab);
      this.#slab = new Slab(this.#slabSize);
    }
    this.#slab.add(message);
  }

  /** Moves some messages on with every one that leaves, so that no turn is long. */
  #clearSome(slab: Slab): void {
    for (let left = mostMoved; left > 0; left--) {
      const message = slab.last;
      if (message === undefined) {
        this.#sparse.delete(slab);
        return;
      }
      const { bytes } = message;
      slab.remove(message, bytes.byteLength);
      this.#share(message, bytes.byteLength);
    }
  }
}

/** The one of the process, whatever engine stores a message. */
export const messageKeep: MessageKeep = new MessageKeep();
