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

  /** @param position The position of a new message; without one, only older messages have become available. */
  add(queue: number, position?: bigint): void {
    this.#add(queue, { lowest: position, highest: position });
  }

  addAll(others: Arrivals): void {
    for (const [queue, positions] of others) this.#add(queue, positions);
  }

  /** Moves what is new in a queue, if anything, to other arrivals. */
  move(queue: number, to: Arrivals): void {
    const positions = this.#positions.get(queue);
    if (positions !== undefined) to.#add(queue, positions);
    this.#positions.delete(queue);
  }

  #add(queue: number, { lowest, highest }: Positions): void {
    const known = this.#positions.get(queue);
    const isLower = known?.lowest === undefined || (lowest !== undefined && lowest < known.lowest);
    const isHigher =
      highest === undefined || known === undefined || (known.highest !== undefined && highest > known.highest);
    const [first, last] = [isLower ? lowest : known.lowest, isHigher ? highest : known.highest];
    this.#positions.set(queue, { lowest: first, highest: last });
  }

  [Symbol.iterator](): Iterator<readonly [queue: number, positions: Positions]> {
    return this.#positions.entries();
  }
}
