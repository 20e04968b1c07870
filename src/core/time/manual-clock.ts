import { SobreError } from "../errors/sobre-error.ts";
import { type DurationLike, toMilliseconds } from "./duration.ts";
import { checkTimer, type Clock, type Timer } from "./clock.ts";

interface DueTimer {
  readonly at: number;
  readonly order: number;
  readonly due: () => void;
}

/** Turns of the microtask queue after each due call. */
const settlingTurns = 32;

/**
 * A clock that only moves when a test advances it.
 *
 * It starts at the current time (or at `start`) and only moves forward.
 *
 * @example
 * ```ts
 * const clock = new ManualClock();
 * const engine = memoryEngine({ clock, queues: ["orders"] });
 * await clock.advance("1m"); // every lock, schedule and expiry of that minute has happened
 * ```
 */
export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<DueTimer>();

  /** @param start Milliseconds since 1970. Default: the current time. */
  constructor(start: number = Date.now()) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  setTimer(at: number, due: () => void): Timer {
    checkTimer(at, due);
    const timer: DueTimer = { at, order: this.#order++, due };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /**
   * Advances the time, e.g. by `"1m"`; resolves when everything due by then has run, in order of due time, including
   * calls added meanwhile.
   *
   * @throws SobreError `InvalidArgument` for anything but a finite duration.
   */
  async advance(duration: DurationLike): Promise<void> {
    const milliseconds = toMilliseconds(duration, "duration");
    if (milliseconds === Infinity)
      throw new SobreError("InvalidArgument", "The clock can only be advanced by a finite duration.", {
        path: "$.duration",
      });
    const end = this.#now + milliseconds;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.due();
      await settle();
    }
    this.#now = Math.max(this.#now, end);
    await settle();
  }

  #next(end: number): DueTimer | undefined {
    let first: DueTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < settlingTurns; turn++) await Promise.resolve();
}
