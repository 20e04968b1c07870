import type { Clock, Timer } from "../../../src/core/time/index.ts";

/** Time that a simulation moves; its one timer may be late. */
export class SimulatedClock implements Clock {
  time = 1_700_000_000_000;
  #timer: { readonly at: number; readonly due: () => void } | undefined;

  now(): number {
    return this.time;
  }

  setTimer(at: number, due: () => void): Timer {
    const timer = { at, due };
    this.#timer = timer;
    return {
      cancel: () => {
        if (this.#timer === timer) this.#timer = undefined;
      },
    };
  }

  /** Calls the timer when it is due. */
  fire(): void {
    const timer = this.#timer;
    if (timer === undefined || timer.at > this.time) return;
    this.#timer = undefined;
    timer.due();
  }
}
