import { type Clock, type Timer, systemClock } from "../../core/time/clock.ts";
import type { Database } from "./database.ts";
import { numberOf } from "./rows.ts";

/** Milliseconds after which the offset is measured again. */
const refreshed = 10_000;

/**
 * The time of the database's server, so that nodes whose own clocks differ agree: this machine's monotonic time with an
 * offset that is measured again every 10 seconds of use.
 */
export class DatabaseClock implements Clock {
  readonly #database: Database;
  #offset = Date.now() - performance.now();
  #measuredAt = -Infinity;
  #measuring: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  now(): number {
    return Math.floor(performance.now() + this.#offset);
  }

  setTimer(at: number, due: () => void): Timer {
    return systemClock.setTimer(Date.now() + Math.max(at - this.now(), 0), due);
  }

  /** Whether the offset was measured less than 10 seconds ago. */
  get isFresh(): boolean {
    return performance.now() - this.#measuredAt < refreshed;
  }

  /** Measures the offset again when it is out of date; must be called before the first use. */
  async refresh(): Promise<void> {
    if (this.isFresh) return;
    this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined));
    if (this.#measuredAt === -Infinity) await this.#measuring;
    else this.#measuring.catch(() => {});
  }

  async #measure(): Promise<void> {
    // A transaction has its connection before the time is taken: the round trip must not include the wait for one.
    await this.#database.transaction(async (session) => {
      const before = performance.now();
      const [row] = await session.query("select (extract(epoch from clock_timestamp()) * 1000)::bigint as now");
      if (row === undefined) return;
      const after = performance.now();
      // The server's time is assumed to be that of the middle of the round trip.
      this.#offset = numberOf(row, "now") - (before + after) / 2;
      this.#measuredAt = after;
    });
  }
}
