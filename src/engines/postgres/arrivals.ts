/** The queues where messages have become available, by number, and the lowest position of what is new in each. */
export class Arrivals {
  readonly #lowest = new Map<number, bigint | undefined>();

  get size(): number {
    return this.#lowest.size;
  }

  /** @param position Of a new message; without it, only older ones have become available. */
  add(queue: number, position?: bigint): void {
    const lowest = this.#lowest.get(queue);
    const isLower = position !== undefined && (lowest === undefined || position < lowest);
    this.#lowest.set(queue, isLower ? position : lowest);
  }

  addAll(others: Arrivals): void {
    for (const [queue, lowest] of others) this.add(queue, lowest);
  }

  [Symbol.iterator](): Iterator<readonly [queue: number, lowest: bigint | undefined]> {
    return this.#lowest.entries();
  }
}
