import type { Clock, Timer } from "../../time/clock.ts";

/** Something that happens at a point in time; it is on a {@link Timeline} at most once. */
export interface Due {
  /** Its place in the heap, -1 while it has none; written by the timeline only. */
  dueIndex: number;
  /** Called once when its time has come; `now` is at or after that time. */
  due(now: number): void;
}

/** Children per node: a wide heap is shallow, and its times lie side by side in memory. */
const arity = 4;

/**
 * Everything that will happen in a broker, in one heap ordered by due time.
 *
 * One timer of the clock serves them all. Adding, moving and removing take logarithmic time at most;
 * adding in order of time, which is what lock ends do, takes constant time.
 */
export class Timeline {
  readonly #clock: Clock;
  readonly #items: Due[] = [];
  #times: Float64Array = new Float64Array(64);
  /** What was put on first happens first when two times are equal. */
  #orders: Float64Array = new Float64Array(64);
  #order = 0;
  #timer: Timer | undefined;
  #armedAt = Infinity;
  #running = false;
  #waits = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many things are pending. */
  get size(): number {
    return this.#items.length;
  }

  /** The time, after everything due by then has happened: a timer that is late never decides an outcome. */
  now(): number {
    const now = this.#clock.now();
    if (this.#items.length > 0 && this.#time(0) <= now) this.#run(now);
    return now;
  }

  /** Puts `item` at `at`, moving it when it is already on the timeline; `Infinity` removes it. */
  schedule(item: Due, at: number): void {
    if (item.dueIndex !== -1) this.cancel(item);
    if (at === Infinity) return;
    const index = this.#items.length;
    this.#items.push(item);
    if (index >= this.#times.length) this.#grow();
    this.#rise(item, at, this.#order++, index);
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
    const index = item.dueIndex;
    if (index === -1) return;
    item.dueIndex = -1;
    const last = this.#items.pop();
    const lastIndex = this.#items.length;
    if (last === undefined || index === lastIndex) return;
    const at = this.#time(lastIndex);
    const order = this.#orders[lastIndex] ?? 0;
    if (index > 0 && this.#isBefore(at, order, parentOf(index))) this.#rise(last, at, order, index);
    else this.#sink(last, at, order, index);
  }

  /** Forgets everything and its timer. */
  clear(): void {
    for (const item of this.#items) item.dueIndex = -1;
    this.#items.length = 0;
    this.#timer?.cancel();
    this.#armedAt = Infinity;
  }

  #run(now: number): void {
    if (this.#running) return;
    this.#running = true;
    try {
      for (let item = this.#items[0]; item !== undefined && this.#time(0) <= now; item = this.#items[0]) {
        this.cancel(item);
        item.due(now);
      }
    } finally {
      this.#running = false;
      const next = this.#items.length === 0 ? Infinity : this.#time(0);
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

  #rise(item: Due, at: number, order: number, from: number): void {
    let index = from;
    while (index > 0) {
      const parent = parentOf(index);
      if (!this.#isBefore(at, order, parent)) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#place(item, at, order, index);
  }

  #sink(item: Due, at: number, order: number, from: number): void {
    const count = this.#items.length;
    let index = from;
    for (;;) {
      const first = index * arity + 1;
      if (first >= count) break;
      let least = first;
      const end = Math.min(first + arity, count);
      for (let child = first + 1; child < end; child++)
        if (this.#isBefore(this.#time(child), this.#orders[child] ?? 0, least)) least = child;
      if (this.#isBefore(at, order, least)) break;
      this.#move(least, index);
      index = least;
    }
    this.#place(item, at, order, index);
  }

  /** Whether something at this time comes before what is at an index. */
  #isBefore(at: number, order: number, index: number): boolean {
    const other = this.#time(index);
    return at < other || (at === other && order < (this.#orders[index] ?? 0));
  }

  #move(from: number, to: number): void {
    const item = this.#items[from];
    if (item !== undefined) this.#place(item, this.#time(from), this.#orders[from] ?? 0, to);
  }

  #place(item: Due, at: number, order: number, index: number): void {
    this.#items[index] = item;
    this.#times[index] = at;
    this.#orders[index] = order;
    item.dueIndex = index;
  }

  #time(index: number): number {
    return this.#times[index] ?? Infinity;
  }

  #grow(): void {
    const [times, orders] = [this.#times, this.#orders];
    this.#times = new Float64Array(times.length * 2);
    this.#times.set(times);
    this.#orders = new Float64Array(times.length * 2);
    this.#orders.set(orders);
  }
}

const parentOf = (index: number): number => Math.floor((index - 1) / arity);
