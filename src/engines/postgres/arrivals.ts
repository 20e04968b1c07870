/** Positions of new messages in a queue. */
export interface Positions {
  readonly lowest: bigint | undefined;
  /** `undefined` when older messages have become available, too. */
  readonly highest: bigint | undefined;
}

/** The queues where messages have become available, by number, and the positions of what is new in each. */
export class Arrivals {
  readonly #positions = new Map<number, Positions>();

  get size(): number {
    return this.#positions.size;
  }

  /** @param lowest Position of a new message, the lowest of some up to `highest`; without it, only older ones have become available. */
  add(queue: number, lowest?: bigint, highest: bigint | undefined = lowest): void {
    const known = this.#positions.get(queue);
    const isLower = known?.lowest === undefined || (lowest !== undefined && lowest < known.lowest);
    const isHigher =
      highest === undefined || known === undefined || (known.highest !== undefined && highest > known.highest);
    const [first, last] = [isLower ? lowest : known.lowest, isHigher ? highest : known.highest];
    this.#positions.set(queue, { lowest: first, highest: last });
  }

  addAll(others: Arrivals): void {
    for (const [queue, { lowest, highest }] of others) this.add(queue, lowest, highest);
  }

  [Symbol.iterator](): Iterator<readonly [queue: number, positions: Positions]> {
    return this.#positions.entries();
  }
}
