import { distance, plus } from "./serial.ts";

/** A delivery, by its id in its session. */
interface Identified {
  readonly id: number;
}

/** Initial slots of the ring; a power of two. */
const smallest = 64;

/**
 * Deliveries by their ids until they are settled.
 *
 * They are kept in a ring in the order of their ids, since they are usually settled in that order; those that stay for
 * long move to a map. A map of all would be rebuilt every few hundred deliveries, and the old maps would keep settled
 * deliveries alive until the next full garbage collection.
 */
export class UnsettledDeliveries<D extends Identified> {
  /** Empty until there is one, since most links are idle. */
  #ring: (D | undefined)[] = [];
  /** The id of the first slot in use, and the one after the last. */
  #first = 0;
  #next = 0;
  #inRing = 0;
  #left: Map<number, D> | undefined;

  get size(): number {
    return this.#inRing + (this.#left?.size ?? 0);
  }

  /** How many slots a walk over all of them visits. */
  get extent(): number {
    return this.#ring.length + (this.#left?.size ?? 0);
  }

  /** Adds a delivery, whose id is higher than those of all before it, as in every session. */
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

  /** Visits those with ids from `first` to `last`; a range larger than the deliveries that exist costs no more than they do. */
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

  /** The deliveries that were left behind come first. */
  *[Symbol.iterator](): Generator<D> {
    if (this.#left !== undefined) yield* this.#left.values();
    for (const delivery of this.#ring) if (delivery !== undefined) yield delivery;
  }

  #advance(): void {
    const mask = this.#ring.length - 1;
    while (this.#first !== this.#next && this.#ring[this.#first & mask] === undefined)
      this.#first = plus(this.#first, 1);
  }

  /** Doubles the ring; if it holds few, moves the first of them to the map instead. */
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
