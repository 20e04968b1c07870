import type { Clock, Timer } from "../../time/index.ts";

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
  #timer: Timer | undefined;
  #armedAt = Infinity;
  #running = false;

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
    this.#rise(item, at, index);
    if (at < this.#armedAt && !this.#running) this.#arm(at);
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
    if (index > 0 && at < this.#time(parentOf(index))) this.#rise(last, at, index);
    else this.#sink(last, at, index);
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
  }

  #rise(item: Due, at: number, from: number): void {
    let index = from;
    while (index > 0) {
      const parent = parentOf(index);
      if (this.#time(parent) <= at) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#place(item, at, index);
  }

  #sink(item: Due, at: number, from: number): void {
    const count = this.#items.length;
    let index = from;
    for (;;) {
      const first = index * arity + 1;
      if (first >= count) break;
      let least = first;
      const end = Math.min(first + arity, count);
      for (let child = first + 1; child < end; child++) if (this.#time(child) < this.#time(least)) least = child;
      if (this.#time(least) >= at) break;
      this.#move(least, index);
      index = least;
    }
    this.#place(item, at, index);
  }

  #move(from: number, to: number): void {
    const item = this.#items[from];
    if (item !== undefined) this.#place(item, this.#time(from), to);
  }

  #place(item: Due, at: number, index: number): void {
    this.#items[index] = item;
    this.#times[index] = at;
    item.dueIndex = index;
  }

  #time(index: number): number {
    return this.#times[index] ?? Infinity;
  }

  #grow(): void {
    const wider = new Float64Array(this.#times.length * 2);
    wider.set(this.#times);
    this.#times = wider;
  }
}

const parentOf = (index: number): number => Math.floor((index - 1) / arity);
