import type { Clock, Timer } from "../../core/time/clock.ts";
import type { OpenClaimRead } from "./claim.ts";
import type { SweptQueue } from "./sweep.ts";

/** A call that waits for messages or for a session. */
export interface Waiting {
  /** Calls with the same key wait for the same thing: when one gets nothing, neither do the others. */
  readonly key: string;
  /** Tries once; resolves to whether the wait has ended. */
  attempt(): Promise<boolean>;
  refuse(error: unknown): void;
}

/** The key of calls that wait for any message of a queue. */
export const queueKey = "queue";

/** Milliseconds between two looks at what has been committed behind the cursor while claims go on. */
const lookBackAfter = 100;

/** The state of a queue in this process: its cursor and the waiting calls. */
export class QueueState implements SweptQueue {
  at = 0n;
  low = 0n;
  unannounced = 0n;
  /** Where the cursor was at the last two looks back, the older first, and when the last was in milliseconds of the process. */
  #passed: readonly [before: bigint, last: bigint] = [0n, 0n];
  #lookedAt = -Infinity;
  #announced: bigint | undefined;
  readonly #readings = new Set<OpenClaimRead>();
  readonly #clock: Clock;
  readonly #pollInterval: number | undefined;
  readonly #onWait: () => void;
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();
  /** The waiting calls that are in their first attempt. */
  readonly #trying = new Set<Waiting>();
  /** Whether the last attempt got something: then calls may try together, and otherwise in turn, to be served in order. */
  #isRich = false;
  #wakes = 0;
  #pumping = false;
  #again = false;
  #timer: Timer | undefined;

  /**
   * @param pollInterval Milliseconds between two polls while calls wait, which also poll whenever the time has changed: a
   * test's clock moves in jumps. Without it, wake-ups and sweeps alone retry them.
   * @param onWait Called when an attempt has got nothing.
   */
  constructor(clock: Clock, pollInterval: number | undefined, onWait: () => void = () => {}) {
    this.#clock = clock;
    this.#pollInterval = pollInterval;
    this.#onWait = onWait;
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether calls wait for any message of the queue: the cursor does not show what was taken of sessions. */
  get isTaking(): boolean {
    for (const { key } of this.#waiting) if (key === queueKey) return true;
    return false;
  }

  read(): OpenClaimRead {
    const reading = { announced: this.#announced, arrived: undefined };
    this.#readings.add(reading);
    return reading;
  }

  advance(reading: OpenClaimRead | undefined, to: bigint | undefined): void {
    if (reading === undefined) return;
    this.#readings.delete(reading);
    const { arrived = to } = reading;
    if (to === undefined || arrived === undefined) return;
    const next = arrived < to ? arrived : to;
    if (next > this.at) this.at = next;
  }

  rewind(to: bigint): void {
    this.#moveBack(to);
    this.#lower(to);
    if (this.#announced === undefined || to > this.#announced) this.#announced = to;
  }

  #lower(to: bigint): void {
    if (to < this.low) this.low = to;
  }

  #moveBack(to: bigint): void {
    if (to < this.at) this.at = to;
    for (const reading of this.#readings)
      if (reading.arrived === undefined || to < reading.arrived) reading.arrived = to;
  }

  /**
   * Called before a claim: once in a while it begins where the cursor was at the look before the last one, so that it finds
   * what was committed up to that long after messages with higher numbers. That is announced only to processes that wait.
   */
  lookBack(): void {
    const now = performance.now();
    if (now < this.#lookedAt + lookBackAfter) return;
    const [before, last] = this.#passed;
    this.#lookedAt = now;
    this.#passed = [last, this.at];
    const from = before === 0n ? last : before;
    if (from === 0n || from >= this.at) return;
    this.#moveBack(from);
    this.#lower(from);
  }

  /** Serves a call at once while none has waited longer for the same, and otherwise in its turn. */
  add(waiting: Waiting): void {
    const isFirst = !this.#pumping && !this.#isAwaited(waiting.key);
    this.#waiting.add(waiting);
    if (isFirst) void this.#try(waiting);
    else this.wake();
  }

  delete(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    if (this.#waiting.size === 0) this.#stopPolling();
  }

  /** Serves the waiting calls in order of arrival. */
  wake(): void {
    this.#wakes++;
    if (this.#pumping) this.#again = true;
    else if (this.#hasWaiting()) void this.#pump();
  }

  #hasWaiting(): boolean {
    return this.#waiting.size > this.#trying.size;
  }

  #isAwaited(key: string): boolean {
    for (const waiting of this.#waiting) if (waiting.key === key && !this.#isLeft(waiting)) return true;
    return false;
  }

  /** Whether others need not wait for the first attempt of a call. */
  #isLeft(waiting: Waiting): boolean {
    return this.#isRich && this.#trying.has(waiting);
  }

  async #try(waiting: Waiting): Promise<void> {
    const wakes = this.#wakes;
    const begun = this.#clock.now();
    this.#trying.add(waiting);
    await this.#attempt(waiting);
    this.#trying.delete(waiting);
    const isWaiting = this.#waiting.has(waiting);
    if (this.#wakes !== wakes || (isWaiting && this.#hasMoved(begun))) this.wake();
    else if (isWaiting && !this.#pumping) this.#poll();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    for (let goesOn = true; goesOn; goesOn &&= this.#hasWaiting()) {
      this.#again = false;
      const begun = this.#clock.now();
      await this.#serve();
      goesOn = this.#again || this.#hasMoved(begun);
    }
    this.#pumping = false;
    this.#stopPolling();
    if (this.#hasWaiting()) this.#poll();
  }

  async #serve(): Promise<void> {
    const keys = Map.groupBy(
      [...this.#waiting].filter((waiting) => !this.#isLeft(waiting)),
      ({ key }) => key,
    );
    await Promise.all(Array.from(keys.values(), (same) => this.#serveInTurn(same)));
  }

  async #serveInTurn(same: readonly Waiting[]): Promise<void> {
    for (const waiting of same) {
      // The end of its attempt wakes those that have come since.
      if (this.#trying.has(waiting)) return;
      if (this.#waiting.has(waiting) && !(await this.#attempt(waiting))) return;
    }
  }

  /** Tries once; resolves to whether the wait has ended. */
  async #attempt(waiting: Waiting): Promise<boolean> {
    try {
      this.#isRich = await waiting.attempt();
      if (!this.#isRich) {
        this.#onWait();
        return false;
      }
      this.#waiting.delete(waiting);
    } catch (error) {
      this.#waiting.delete(waiting);
      waiting.refuse(error);
    }
    return true;
  }

  #hasMoved(begun: number): boolean {
    return this.#pollInterval !== undefined && this.#clock.now() > begun;
  }

  #poll(): void {
    if (this.#pollInterval === undefined) return;
    this.#timer ??= this.#clock.setTimer(this.#clock.now() + this.#pollInterval, () => {
      this.#timer = undefined;
      this.wake();
    });
  }

  #stopPolling(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
