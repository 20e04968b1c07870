import type { Delivery } from "../engine/delivery.ts";
import type { ReceiveOptions } from "../engine/engine.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { Clock, Timer } from "../time/clock.ts";
import { idleWait } from "./receive-loop.ts";

interface Waiting {
  readonly maxMessages: number;
  readonly end: (deliveries: readonly Delivery[]) => void;
  readonly fail: (error: unknown) => void;
}

/** A stock of deliveries that is filled in the background. */
export class Prefetch {
  readonly #count: number;
  readonly #clock: Clock;
  readonly #fetch: (options: ReceiveOptions) => Promise<readonly Delivery[]>;
  readonly #stop = new AbortController();
  readonly #waiting: Waiting[] = [];
  #stock: Delivery[] = [];
  #filling: Promise<void> | undefined;

  constructor(count: number, clock: Clock, fetch: (options: ReceiveOptions) => Promise<readonly Delivery[]>) {
    this.#count = count;
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /** What is in stock and still locked, at most `maxMessages`, or what comes first. @throws what fetching throws. */
  take({ maxMessages, maxWaitTime, signal }: ReceiveOptions): Promise<readonly Delivery[]> {
    if (this.#stop.signal.aborted) {
      return Promise.reject(new SobreError("Closed", "The receiver is closed. Create another."));
    }
    const ready = this.#pick(maxMessages);
    this.#fill();
    if (ready.length > 0 || signal?.aborted === true) return Promise.resolve(ready);
    if (maxWaitTime === 0) return this.#takeNow(maxMessages);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        timer.cancel();
        signal?.removeEventListener("abort", giveUp);
        const index = this.#waiting.indexOf(waiting);
        if (index >= 0) this.#waiting.splice(index, 1);
      };
      const end = (deliveries: readonly Delivery[]): void => {
        leave();
        resolve(deliveries);
      };
      const fail = (error: unknown): void => {
        leave();
        reject(error instanceof Error ? error : new Error("The fetching failed.", { cause: error }));
      };
      const giveUp = (): void => end([]);
      const waiting: Waiting = { maxMessages, end, fail };
      const timer: Timer = this.#clock.setTimer(this.#clock.now() + maxWaitTime, giveUp);
      timer.keepAlive?.(true);
      signal?.addEventListener("abort", giveUp);
      this.#waiting.push(waiting);
    });
  }

  /** Without waiting, an empty stock is no answer: it may not have been filled yet. What fills it may be first, too. */
  async #takeNow(maxMessages: number): Promise<readonly Delivery[]> {
    const fetched = await this.#fetch({ maxMessages, maxWaitTime: 0 });
    this.#stock.push(...fetched);
    // What a receiver that was closed meanwhile has is given back with its connection.
    return this.#stop.signal.aborted ? [] : this.#pick(maxMessages);
  }

  /** Forgets the stock: its locks ended with the connection. */
  forget(): void {
    this.#stock = [];
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const waiting of this.#waiting.slice()) waiting.end([]);
    await this.#filling;
  }

  /** Those whose lock ended while they waited are delivered again by the broker. */
  #pick(maxMessages: number): Delivery[] {
    const now = this.#clock.now();
    this.#stock = this.#stock.filter(
      ({ lockedUntilUtc }) => lockedUntilUtc === undefined || lockedUntilUtc.getTime() > now,
    );
    return this.#stock.splice(0, maxMessages);
  }

  #fill(): void {
    if (this.#filling !== undefined || this.#stop.signal.aborted || this.#stock.length > this.#count / 2) return;
    this.#filling = this.#fetchUntilFull();
  }

  async #fetchUntilFull(): Promise<void> {
    // Its end is noted in the same turn as its last look, or whoever comes in between would wait for nothing.
    try {
      while (this.#stock.length < this.#count && !this.#stop.signal.aborted) {
        const maxMessages = this.#count - this.#stock.length;
        const fetched = await this.#fetch({ maxMessages, maxWaitTime: idleWait, signal: this.#stop.signal });
        this.#stock.push(...fetched);
        for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
          const taken = this.#pick(next.maxMessages);
          if (taken.length === 0) break;
          next.end(taken);
        }
      }
      this.#filling = undefined;
    } catch (error) {
      this.#filling = undefined;
      for (const waiting of this.#waiting.slice()) waiting.fail(error);
    }
  }
}
