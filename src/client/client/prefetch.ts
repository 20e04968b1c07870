import type { Delivery } from "../../core/engine/delivery.ts";
import type { ReceiveOptions } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock, Timer } from "../../core/time/clock.ts";
import { type KeptLock, LockRenewal, noteLock } from "./lock-renewal.ts";
import { idleWait } from "./receive-loop.ts";

interface WaitingReceiver {
  readonly maxMessages: number;
  readonly end: (deliveries: readonly Delivery[]) => void;
  readonly fail: (error: unknown) => void;
}

/** A prefetched message. */
interface Stocked {
  readonly delivery: Delivery;
  lock: KeptLock | undefined;
}

/** Milliseconds for which a prefetched message waits, its lock renewed, before it is released. */
const maxWait = 300_000;

/** How messages are prefetched and their locks renewed. */
export interface StockOptions {
  readonly count: number;
  readonly clock: Clock;
  readonly fetch: (options: ReceiveOptions) => Promise<readonly Delivery[]>;
  readonly renew: (delivery: Delivery) => Promise<Date>;
  /** Releases a message without counting a delivery. */
  readonly giveBack: (delivery: Delivery) => Promise<void>;
}

/**
 * A buffer of deliveries that is filled in the background.
 *
 * Locks are renewed while messages wait, so that only messages that were taken count as delivered.
 */
export class Prefetch {
  readonly #options: StockOptions;
  readonly #stop = new AbortController();
  readonly #waiting: WaitingReceiver[] = [];
  readonly #renewal: LockRenewal;
  readonly #stock: Stocked[] = [];
  #filling: Promise<void> | undefined;
  #stopFilling = new AbortController();

  constructor(options: StockOptions) {
    this.#options = options;
    this.#renewal = new LockRenewal(options.clock, maxWait);
  }

  /** The number of messages in it. */
  get size(): number {
    return this.#stock.length;
  }

  /** At most `maxMessages` buffered messages, or else the next to arrive. @throws what fetching throws. */
  take({ maxMessages, maxWaitTimeInMs, abortSignal }: ReceiveOptions): Promise<readonly Delivery[]> {
    if (this.#stop.signal.aborted) {
      return Promise.reject(new SobreError("Closed", "The receiver is closed. Create a new one."));
    }
    const ready = this.#pick(maxMessages);
    this.#fill();
    if (ready.length > 0 || abortSignal?.aborted === true) return Promise.resolve(ready);
    if (maxWaitTimeInMs === 0) return this.#takeNow(maxMessages);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        timer.cancel();
        abortSignal?.removeEventListener("abort", giveUp);
        const index = this.#waiting.indexOf(waiting);
        if (index >= 0) this.#waiting.splice(index, 1);
      };
      const end = (deliveries: readonly Delivery[]): void => {
        leave();
        resolve(deliveries);
      };
      const fail = (error: unknown): void => {
        leave();
        reject(error instanceof Error ? error : new Error("Prefetching failed.", { cause: error }));
      };
      const giveUp = (): void => end([]);
      const waiting: WaitingReceiver = { maxMessages, end, fail };
      const timer: Timer = this.#options.clock.setTimer(this.#options.clock.now() + maxWaitTimeInMs, giveUp);
      timer.keepAlive?.(true);
      abortSignal?.addEventListener("abort", giveUp);
      this.#waiting.push(waiting);
    });
  }

  /** Without a wait, an empty buffer is not the answer: it may not have been filled yet. */
  async #takeNow(maxMessages: number): Promise<readonly Delivery[]> {
    this.#add(await this.#options.fetch({ maxMessages, maxWaitTimeInMs: 0 }));
    // A receiver that has been closed meanwhile releases its messages with its connection.
    return this.#stop.signal.aborted ? [] : this.#pick(maxMessages);
  }

  /** Drops the buffer: its locks ended with the connection. */
  forget(): void {
    this.#pick(Infinity);
  }

  /** Releases the buffered messages and pauses prefetching until messages are asked for again. */
  async empty(): Promise<void> {
    this.#stopFilling.abort();
    await this.#filling;
    await Promise.all(this.#pick(Infinity).map((delivery) => this.#options.giveBack(delivery).catch(() => undefined)));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#stopFilling.abort();
    for (const waiting of this.#waiting.slice()) waiting.end([]);
    await this.#filling;
    this.#renewal.stop();
  }

  #add(fetched: readonly Delivery[]): void {
    for (const delivery of fetched) {
      const stocked: Stocked = { delivery, lock: undefined };
      this.#stock.push(stocked);
      stocked.lock = this.#renewal.keep(delivery.lockedUntilUtc, {
        renew: async () => noteLock(delivery, await this.#options.renew(delivery)),
        // The broker redelivers it.
        lost: () => this.#remove(stocked),
        over: () => {
          // Otherwise it would be fetched again immediately.
          this.#stopFilling.abort();
          if (this.#remove(stocked)) this.#options.giveBack(delivery).catch(() => undefined);
        },
      });
    }
  }

  #remove(stocked: Stocked): boolean {
    const index = this.#stock.indexOf(stocked);
    if (index >= 0) this.#stock.splice(index, 1);
    return index >= 0;
  }

  #pick(maxMessages: number): Delivery[] {
    return this.#stock.splice(0, maxMessages).map(({ delivery, lock }) => {
      lock?.release();
      return delivery;
    });
  }

  #fill(): void {
    if (this.#filling !== undefined || this.#stop.signal.aborted || this.#stock.length > this.#options.count / 2)
      return;
    this.#stopFilling = new AbortController();
    this.#filling = this.#fetchUntilFull(this.#stopFilling.signal);
  }

  async #fetchUntilFull(signal: AbortSignal): Promise<void> {
    // The end is recorded in the same tick as the last check; a caller in between would wait forever.
    try {
      while (this.#stock.length < this.#options.count && !signal.aborted) {
        const maxMessages = this.#options.count - this.#stock.length;
        const fetched = await this.#options.fetch({ maxMessages, maxWaitTimeInMs: idleWait, abortSignal: signal });
        this.#add(fetched);
        for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
          const taken = this.#pick(next.maxMessages);
          if (taken.length === 0) break;
          next.end(taken);
        }
        // It was full: to ask again for the few that were taken meanwhile would cost more than they do.
        const { count } = this.#options;
        if (fetched.length === maxMessages && count - this.#stock.length < count / 4) break;
      }
      this.#filling = undefined;
      if (this.#waiting.length > 0) this.#fill();
    } catch (error) {
      this.#filling = undefined;
      for (const waiting of this.#waiting.slice()) waiting.fail(error);
    }
  }
}
