/** Requests of a connection that are answered at once. */
const mostAtOnce = 16;
/** Bytes of answers that wait for their reader until no more are made. */
const mostBytes = 256 * 1024;

/** Lets the requests of a connection wait while answers do, so that a client that reads none has few made for it. */
export class AnswerGate {
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #bytes = 0;

  /** Runs what makes an answer, as soon as there is room; it must not reject. */
  enter(run: () => Promise<void>): void {
    this.#waiting.push(run);
    this.#go();
  }

  /** An answer of so many bytes waits for its reader. */
  held(bytes: number): void {
    this.#bytes += bytes;
  }

  /** It waits no longer. */
  released(bytes: number): void {
    this.#bytes -= bytes;
    this.#go();
  }

  #go(): void {
    while (this.#running < mostAtOnce && this.#bytes <= mostBytes) {
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
