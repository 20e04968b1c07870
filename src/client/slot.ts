/** One of the concurrent calls of a processor, in which messages are handled one after another. */
export class Slot {
  readonly #most: number;
  /** Oldest first; they never reject. */
  readonly #completions: Promise<void>[] = [];

  /** `most`: completions that the broker may not have confirmed yet when the next message is received. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes out the completion to await before another one; `undefined` while there is room. */
  makeRoom(): Promise<void> | undefined {
    return this.#completions.length > 0 && this.#completions.length >= this.#most
      ? this.#completions.shift()
      : undefined;
  }

  /** Adds a completion; gives what to await before the next message is received. */
  add(completion: Promise<void>): Promise<void> | undefined {
    if (this.#most === 0) return completion;
    this.#completions.push(completion);
    return undefined;
  }

  /** Resolves when the broker has confirmed all completions. */
  async ended(): Promise<void> {
    await Promise.all(this.#completions);
  }
}
