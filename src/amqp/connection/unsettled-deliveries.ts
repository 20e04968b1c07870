import type { OutgoingDelivery } from "./outgoing.ts";
import { distance, plus } from "./serial.ts";

/** Places of the ring to begin with; a power of two. */
const smallest = 64;

/**
 * Deliveries by their ids until they are settled.
 *
 * They lie in a ring in order of their ids, which is how they are settled as a rule; those that are left behind for
 * long move to a map. A map of all would be made anew every few hundred deliveries, and what is left of the old ones
 * keeps deliveries that were settled long ago alive until the next full garbage collection.
 */
export class UnsettledDeliveries {
  /** Empty until there is one, since most links are idle. */
  #ring: (OutgoingDelivery | undefined)[] = [];
  /** The id of the first place in use, and the one behind the last. */
  #first = 0;
  #next = 0;
  #inRing = 0;
  #left: Map<number, OutgoingDelivery> | undefined;

  get size(): number {
    return this.#inRing + (this.#left?.size ?? 0);
  }

  /** How many places a look at all of them takes. */
  get extent(): number {
    return this.#ring.length + (this.#left?.size ?? 0);
  }

  /** Adds a delivery with a higher id than all before. */
  add(delivery: OutgoingDelivery): void {
    if (this.#inRing === 0) this.#first = delivery.id;
    while (distance(this.#first, delivery.id) >= this.#ring.length) this.#makeRoom();
    this.#ring[delivery.id & (this.#ring.length - 1)] = delivery;
    this.#next = plus(delivery.id, 1);
    this.#inRing++;
  }

  get(id: number): OutgoingDelivery | undefined {
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

  /** The ids, those left behind first. */
  *keys(): Generator<number> {
    if (this.#left !== undefined) yield* this.#left.keys();
    const ring = this.#ring;
    for (const delivery of ring) if (delivery !== undefined) yield delivery.id;
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
      const grown: (OutgoingDelivery | undefined)[] = Array.from({ length }, () => undefined);
      for (const delivery of ring) if (delivery !== undefined) grown[delivery.id & (grown.length - 1)] = delivery;
      this.#ring = grown;
      return;
    }
    const place = this.#first & (ring.length - 1);
    const delivery = ring[place];
    if (delivery !== undefined) {
      (this.#left ??= new Map()).set(delivery.id, delivery);
      ring[place] = undefined;
      this.#inRing--;
    }
    if (this.#inRing === 0) this.#first = this.#next;
    else this.#advance();
  }
}
