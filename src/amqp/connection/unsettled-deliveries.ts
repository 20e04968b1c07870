import { distance, plus } from "./serial.ts";

/** A delivery, by its id in its session. */
interface Identified {
  readonly id: number;
}

/** Places of the ring to begin with; a power of two. */
const smallest = 64;

/**
 * Deliveries by their ids until they are settled.
 *
 * They lie in a ring in order of their ids, which is how they are settled as a rule; those that are left behind for
 * long move to a map. A map of all would be rebuilt every few hundred deliveries, and what is left of the old ones
 * keeps deliveries that were settled long ago alive until the next full garbage collection.
 */
export class UnsettledDeliveries<D extends Identified> {
  /** Empty until there is one, since most links are idle. */
  #ring: (D | undefined)[] = [];
  /** The id of the first place in use, and the one behind the last. */
  #first = 0;
  #next = 0;
  #inRing = 0;
  #left: Map<number, D> | undefined;

  get size(): number {
    return this.#inRing + (this.#left?.size ?? 0);
  }

  /** How many places a look at all of them takes. */
  get extent(): number {
    return this.#ring.length + (this.#left?.size ?? 0);
  }

  /** Adds a delivery with a higher id than all before, as those of a session have. */
  add(delivery: D): void {
    if (this.#inRing === 0) this.#first = delivery.id;
    else if (distance(this.#next, delivery.id) < 0) return this.#leave(delivery);
    while (distance(this.#first, delivery.id) >= this.#ring.length) this.#makeRoom();
    this.#ring[delivery.id & (this.#ring.length - 1)] = delivery;
    this.#next = plus(delivery.id, 1);
    this.#inRing++;
  }

  get(id: number): D | undefined {
    const found = this.#ring[id & (this.#ring.length - 1)];
    if (found?.id === id) return found;
    return this.#left?.get(id);
  }

  delete(id: number): void {
    const place = id & (this.#ring.length - 1);
    if (this.#ring[place]?.id !== id) {
      this.#left?.delete(id);
      return;
    }
    this.#ring[place] = undefined;
    this.#inRing--;
    if (id === this.#first) this.#advance();
  }

  /** Visits those with ids from `first` to `last`; a range that claims more than there are costs no more than these. */
  visit(first: number, last: number, see: (delivery: D) => void): void {
    const count = plus(last, -first) + 1;
    if (count > this.size) {
      for (const delivery of this) if (plus(delivery.id, -first) < count) see(delivery);
      return;
    }
    for (let offset = 0; offset < count; offset++) {
      const delivery = this.get(plus(first, offset));
      if (delivery !== undefined) see(delivery);
    }
  }

  /** Those left behind first. */
  *[Symbol.iterator](): Generator<D> {
    if (this.#left !== undefined) yield* this.#left.values();
    for (const delivery of this.#ring) if (delivery !== undefined) yield delivery;
  }

  #advance(): void {
    const mask = this.#ring.length - 1;
    while (this.#first !== this.#next && this.#ring[this.#first & mask] === undefined)
      this.#first = plus(this.#first, 1);
  }

  /** Doubles the ring, or, when few are in it, moves the first of them out of the way. */
  #makeRoom(): void {
    const ring = this.#ring;
    if (this.#inRing * 4 >= ring.length) {
      const length = Math.max(smallest, ring.length * 2);
      const grown: (D | undefined)[] = Array.from({ length }, () => undefined);
      for (const delivery of ring) if (delivery !== undefined) grown[delivery.id & (grown.length - 1)] = delivery;
      this.#ring = grown;
      return;
    }
    const place = this.#first & (ring.length - 1);
    const delivery = ring[place];
    if (delivery !== undefined) {
      this.#leave(delivery);
      ring[place] = undefined;
      this.#inRing--;
    }
    if (this.#inRing === 0) this.#first = this.#next;
    else this.#advance();
  }

  #leave(delivery: D): void {
    (this.#left ??= new Map()).set(delivery.id, delivery);
  }
}
