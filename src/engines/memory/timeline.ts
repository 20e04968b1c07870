import type { Clock, Timer } from "../../time/clock.ts";
import { Heap } from "./heap.ts";

/** Something that happens at a point in time; it is on a {@link Timeline} at most once. */
export interface Due {
  /** Its place in the heap, -1 while it has none; written by the timeline only. */
  dueIndex: number;
  /** Called once when its time has come; `now` is at or after that time. */
  due(now: number): void;
}

/** How many things happen in one turn of the event loop; the rest comes in the next ones, so that no turn is long. */
const mostPerTurn = 5000;

/** Everything that will happen in a broker, ordered by due time; one timer of the clock serves them all. */
export class Timeline {
  readonly #clock: Clock;
  /** Items of the same time happen in the order in which they were scheduled. */
  readonly #heap = new Heap<Due>((item, index) => (item.dueIndex = index));
  #timer: Timer | undefined;
  #armedAt = Infinity;
  #running = false;
  #behind = false;
  #waits = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Lets nothing happen until {@link begin}, while what is pending is put back after a restart. */
  hold(): void {
    this.#running = true;
  }

  begin(): void {
    this.#running = false;
    if (this.#heap.firstKey < this.#armedAt) this.#arm(this.#heap.firstKey);
  }

  /** How many things are pending. */
  get size(): number {
    return this.#heap.size;
  }

  /**
   * The time, after everything due by then has happened: a timer that is late never decides an outcome.
   *
   * Where more is due than fits into a turn, {@link catchUp} says what is over.
   */
  now(): number {
    const now = this.#clock.now();
    if (this.#heap.firstKey <= now && !this.#behind) this.#run(now);
    return now;
  }

  /** Lets an item happen that is due and waits for its turn. */
  catchUp(item: Due): void {
    if (!this.#behind || item.dueIndex === -1) return;
    const now = this.#clock.now();
    if (this.#heap.keyAt(item.dueIndex) > now) return;
    this.cancel(item);
    item.due(now);
  }

  /** Puts `item` at `at`, moving it when it is already on the timeline; `Infinity` removes it. */
  schedule(item: Due, at: number): void {
    this.cancel(item);
    if (at === Infinity) return;
    this.#heap.add(item, at);
    if (at < this.#armedAt && !this.#running) this.#arm(at);
  }

  /** Keeps the process alive for its timer while somebody waits; every call is undone by {@link waitEnded}. */
  waitBegan(): void {
    if (++this.#waits === 1) this.#timer?.keepAlive?.(true);
  }

  waitEnded(): void {
    if (--this.#waits === 0) this.#timer?.keepAlive?.(false);
  }

  /** Removes `item`; does nothing when it is not on the timeline. */
  cancel(item: Due): void {
    if (item.dueIndex !== -1) this.#heap.remove(item.dueIndex);
  }

  #run(now: number): void {
    if (this.#running) return;
    this.#running = true;
    let left = mostPerTurn;
    try {
      for (let item = this.#heap.first; item !== undefined && this.#heap.firstKey <= now; item = this.#heap.first) {
        if (left-- === 0) break;
        this.cancel(item);
        item.due(now);
      }
    } finally {
      this.#running = false;
      const next = this.#heap.firstKey;
      this.#behind = next <= now;
      if (next < this.#armedAt) this.#arm(next);
    }
  }

  /** The timer may be earlier than the first item, never later; so it is rarely moved. */
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
