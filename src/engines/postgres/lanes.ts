import type { Clock, Timer } from "../../time/clock.ts";
import type { Cursor } from "./claim.ts";

/** A call that waits for messages or for a session. */
export interface Waiting {
  /** Those with the same key wait for the same: when one gets nothing, the others do not either. */
  readonly key: string;
  /** Whether it waits no more after a try. */
  attempt(): Promise<boolean>;
  refuse(error: unknown): void;
}

/** How those that wait are polled for. */
export interface Polling {
  readonly clock: Clock;
  /** Milliseconds between two polls of a queue. */
  readonly interval: number;
  /** Whether to look again as soon as the time has moved, as it does by leaps on a clock of a test. */
  readonly isExact: boolean;
}

/** The state of a queue in this process: its cursor, and who waits. */
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

  /** Serves those that wait, in the order in which they came. */
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
    // Nodes that began together spread out.
    const after = isExact ? interval : interval * (0.8 + Math.random() * 0.2);
    this.#timer = clock.setTimer(clock.now() + after, () => this.wake());
  }

  #stopPolling(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
