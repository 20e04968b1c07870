/** One of the concurrent calls of a processor, in which messages are handled one after another. */
export class Slot {
  /** In order, from the next place on; they never reject. */
  readonly #completions: (Promise<void> | undefined)[];
  #next = 0;

  /** `most`: completions that the broker may not have confirmed yet when the next message is received. */
  constructor(most: number) {
    this.#completions = Array.from({ length: most }, () => undefined);
  }

  /** The completion to await before another one; `undefined` while there is room. */
  get oldest(): Promise<void> | undefined {
    return this.#completions[this.#next];
  }

  /** Adds a completion in place of the oldest; gives what to await before the next message is received. */
  add(completion: Promise<void>): Promise<void> | undefined {
    if (this.#completions.length === 0) return completion;
    this.#completions[this.#next] = completion;
    this.#next = (this.#next + 1) % this.#completions.length;
    return undefined;
  }

  /** Resolves when the broker has confirmed all completions. */
  async ended(): Promise<void> {
    await Promise.all(this.#completions.filter((one) => one !== undefined));
  }
}
