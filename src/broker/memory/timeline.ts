import type { Clock, Timer } from "../../core/time/clock.ts";
import { DueOrder } from "./due-order.ts";

/** An event at a point in time; it is on a {@link Timeline} at most once. */
export interface TimedEvent {
  /** Its place in the order of events, -1 while it is not there; written only by the timeline. */
  dueIndex: number;
  /** Called once when its time has come; `now` is at or after that time. */
  due(now: number): void;
}

/** Maximum number of events per turn of the event loop; the rest follow in later turns, so that no turn is long. */
const maxDuePerTurn = 5000;

/** All future events of a broker, ordered by due time; a single timer of the clock serves them all. */
export class Timeline {
  readonly #clock: Clock;
  /** Events at the same time occur in the order in which they were scheduled. */
  readonly #order = new DueOrder<TimedEvent>((item, place) => (item.dueIndex = place));
  #timer: Timer | undefined;
  #armedAt = Infinity;
  #running = false;
  #behind = false;
  #waits = 0;
  /** The result of the latest {@link now}: the time of the call that is being carried out. Written only by the timeline. */
  latest: number = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Holds all events until {@link begin}, while pending ones are restored after a restart. */
  hold(): void {
    this.#running = true;
  }

  begin(): void {
    this.#running = false;
    if (this.#order.firstKey < this.#armedAt) this.#arm(this.#order.firstKey);
  }

  /** The number of pending events. */
  get size(): number {
    return this.#order.size;
  }

  /**
   * The time, after applying everything due by then: a late timer never affects an outcome.
   *
   * If more is due than fits into one turn, use {@link catchUp} for an individual event.
   */
  now(): number {
    const now = this.#clock.now();
    this.latest = now;
    if (this.#order.firstKey <= now && !this.#behind) this.#run(now);
    return now;
  }

  /** Applies an event that is due but still waiting for its turn. */
  catchUp(item: TimedEvent): void {
    if (!this.#behind || item.dueIndex === -1) return;
    const now = this.#clock.now();
    if (this.#order.keyAt(item.dueIndex) > now) return;
    this.cancel(item);
    item.due(now);
  }

  /** Puts `item` at `at`, moving it when it is already on the timeline; `Infinity` removes it. */
  schedule(item: TimedEvent, at: number): void {
    this.cancel(item);
    if (at === Infinity) return;
    this.#order.add(item, at);
    if (at < this.#armedAt && !this.#running) this.#arm(at);
  }

  /** Keeps the process alive for the timer while a caller is waiting; every call must be matched by {@link waitEnded}. */
  waitBegan(): void {
    if (++this.#waits === 1) this.#timer?.keepAlive?.(true);
  }

  waitEnded(): void {
    if (--this.#waits === 0) this.#timer?.keepAlive?.(false);
  }

  /** Removes `item`; does nothing when it is not on the timeline. */
  cancel(item: TimedEvent): void {
    if (item.dueIndex !== -1) this.#order.remove(item.dueIndex);
  }

  #run(now: number): void {
    if (this.#running) return;
    this.#running = true;
    let left = maxDuePerTurn;
    try {
      for (let item = this.#order.first; item !== undefined && this.#order.firstKey <= now; item = this.#order.first) {
        if (left-- === 0) break;
        this.cancel(item);
        item.due(now);
      }
    } finally {
      this.#running = false;
      const next = this.#order.firstKey;
      this.#behind = next <= now;
      if (next < this.#armedAt) this.#arm(next);
    }
  }

  /** The timer may fire before the first item is due, never after, so that it is rarely moved. */
  #arm(at: number): void {
    this.#timer?.cancel();
    this.#armedAt = at;
    this.#timer = this.#clock.setTimer(at, () => {
      this.#armedAt = Infinity;
      this.#timer = undefined;
      this.#run(this.#clock.now());
    });
    if (this.#waits > 0) this.#timer.keepAlive?.(true);
  }
}
