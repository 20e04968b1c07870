import type { Clock, Timer } from "../../time/clock.ts";
import type { Cursor } from "./claim.ts";

/** A call that waits for messages or for a session. */
export interface Waiting {
  /** Calls with the same key wait for the same thing: when one gets nothing, neither do the others. */
  readonly key: string;
  /** Tries once; resolves to whether the wait has ended. */
  attempt(): Promise<boolean>;
  refuse(error: unknown): void;
}

/** How a queue is polled while calls wait. */
export interface Polling {
  readonly clock: Clock;
  /** Milliseconds between two polls of a queue. */
  readonly interval: number;
  /** Whether to poll again as soon as the time has changed: a test's clock moves in jumps. */
  readonly isExact: boolean;
}

/** The state of a queue in this process: its cursor and the waiting calls. */
export class LaneState implements Cursor {
  at = 0n;
  readonly #polling: Polling;
  readonly #waiting = new Set<Waiting>();
  #pumping = false;
  #again = false;
  #timer: Timer | undefined;

  constructor(polling: Polling) {
    this.#polling = polling;
  }

  add(waiting: Waiting): void {
    this.#waiting.add(waiting);
    this.wake();
  }

  delete(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    if (this.#waiting.size === 0) this.#stopPolling();
  }

  /** Serves the waiting calls in order of arrival. */
  wake(): void {
    if (this.#pumping) {
      this.#again = true;
      return;
    }
    if (this.#waiting.size > 0) void this.#pump();
  }

  async #pump(): Promise<void> {
    const { clock, isExact } = this.#polling;
    this.#pumping = true;
    for (let goesOn = true; goesOn; goesOn &&= this.#waiting.size > 0) {
      this.#again = false;
      const begun = clock.now();
      await this.#serve();
      goesOn = this.#again || (isExact && clock.now() > begun);
    }
    this.#pumping = false;
    this.#stopPolling();
    if (this.#waiting.size > 0) this.#poll();
  }

  async #serve(): Promise<void> {
    const barren = new Set<string>();
    for (const waiting of this.#waiting) {
      if (barren.has(waiting.key) || !this.#waiting.has(waiting)) continue;
      try {
        if (await waiting.attempt()) this.#waiting.delete(waiting);
        else barren.add(waiting.key);
      } catch (error) {
        this.#waiting.delete(waiting);
        waiting.refuse(error);
      }
    }
  }

  #poll(): void {
    const { clock, interval, isExact } = this.#polling;
    // Jitter: nodes that started together do not poll together.
    const after = isExact ? interval : interval * (0.8 + Math.random() * 0.2);
    this.#timer = clock.setTimer(clock.now() + after, () => this.wake());
  }

  #stopPolling(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
