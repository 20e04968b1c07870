/** Maximum number of a connection's requests that are answered concurrently. */
const maxAtOnce = 16;
/** Bytes of unread answers above which requests wait. */
const maxBytes = 256 * 1024;

/**
 * Delays the requests of a connection while its answers are unread, so that a client that does not read cannot fill the
 * memory.
 */
export class AnswerGate {
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #bytes = 0;

  /** Runs a function that makes an answer, as soon as there is room; it must not reject. */
  enter(run: () => Promise<void>): void {
    this.#waiting.push(run);
    this.#go();
  }

  /** An answer of this many bytes is waiting to be read. */
  held(bytes: number): void {
    this.#bytes += bytes;
  }

  /** The answer is no longer waiting. */
  released(bytes: number): void {
    this.#bytes -= bytes;
    this.#go();
  }

  #go(): void {
    while (this.#running < maxAtOnce && this.#bytes <= maxBytes) {
      const run = this.#waiting.shift();
      if (run === undefined) return;
      this.#running++;
      void this.#run(run);
    }
  }

  async #run(run: () => Promise<void>): Promise<void> {
    await run();
    this.#running--;
    this.#go();
  }
}
