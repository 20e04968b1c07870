import type { ReceiveOptions } from "../../core/engine/engine.ts";
import type { Clock, Timer } from "../../core/time/clock.ts";

/** How long a receive waits: until its time is over, it is aborted or its link closes. */
export class ArrivalWait {
  /** Resolves at the end. */
  readonly over: Promise<void>;
  #isOver = false;
  readonly #end: () => void;
  readonly #timer: Timer | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor(clock: Clock, { maxWaitTimeInMs, abortSignal }: Pick<ReceiveOptions, "maxWaitTimeInMs" | "abortSignal">) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.#end = resolve;
    this.#signal = abortSignal;
    if (maxWaitTimeInMs === 0 || abortSignal?.aborted === true) {
      this.end();
      return;
    }
    this.#timer = clock.setTimer(clock.now() + maxWaitTimeInMs, this.end);
    this.#timer.keepAlive?.(abortSignal === undefined);
    abortSignal?.addEventListener("abort", this.end, { once: true });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  readonly end = (): void => {
    this.#isOver = true;
    this.#end();
    this.dispose();
  };

  /** Forgets the time and the signal. */
  dispose(): void {
    this.#timer?.cancel();
    this.#signal?.removeEventListener("abort", this.end);
  }
}
