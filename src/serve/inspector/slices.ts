import { setImmediate } from "node:timers/promises";

/** Milliseconds of work after which others get their turn. */
const maxSliceInMs = 4;

/** Divides long work, so that the process answers others meanwhile. */
export class Slices {
  #since: number = performance.now();

  /** Resolves immediately, or after others had their turn. */
  async turn(): Promise<void> {
    if (performance.now() - this.#since < maxSliceInMs) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
