/** One of the concurrent calls of a processor, in which messages are handled one after another. */
export class Slot {
  readonly #most: number;
  #pending = 0;
  #wake: (() => void) | undefined;

  /** `most`: completions that the broker may not have confirmed yet when the next message is received. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether as many completions are pending as may be. */
  get isFull(): boolean {
    return this.#pending > 0 && this.#pending >= this.#most;
  }

  /** Whether each completion is confirmed before the next message is received. */
  get confirmsFirst(): boolean {
    return this.#most === 0;
  }

  /** Called when a completion begins. */
  begun(): void {
    this.#pending++;
  }

  /** Called when the broker has answered one. */
  done(): void {
    this.#pending--;
    this.#wake?.();
  }

  /** Resolves when another completion may begin; called by one caller at a time. */
  async room(): Promise<void> {
    while (this.isFull) await this.#next();
  }

  /** Resolves when the broker has answered all completions. */
  async ended(): Promise<void> {
    while (this.#pending > 0) await this.#next();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
