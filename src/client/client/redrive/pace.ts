import type { Clock } from "../../../core/time/clock.ts";
import { toMilliseconds } from "../../../core/time/duration.ts";
import { pause } from "../../../core/time/pause.ts";
import type { RedriveOptions } from "./options.ts";

/** The surroundings of a {@link RedrivePace}. */
export interface PaceParts {
  readonly clock: Clock;
  /** The number of messages sent that have come back by now. */
  readonly returned: () => Promise<number>;
}

/** How fast messages are sent: at a rate, and in batches that grow as long as none of their messages comes back. */
export class RedrivePace {
  readonly #parts: PaceParts;
  readonly #interval: number;
  readonly #growth: number;
  readonly #settleTime: number;
  readonly #inBatches: boolean;
  readonly #signal: AbortSignal | undefined;
  #batch: { readonly size: number; sent: number };
  #dueAt = 0;

  constructor(
    { rate, firstBatch, batchGrowth = 10, settleTime = 2_000, abortSignal }: RedriveOptions,
    parts: PaceParts,
  ) {
    this.#parts = parts;
    this.#interval = rate === undefined ? 0 : 1_000 / rate;
    this.#growth = batchGrowth;
    this.#settleTime = toMilliseconds(settleTime, "settleTime");
    this.#inBatches = firstBatch !== undefined;
    this.#signal = abortSignal;
    this.#batch = { size: firstBatch ?? Infinity, sent: 0 };
  }

  /** Waits until the next message may be sent; resolves to how many messages have come back by then. */
  async turn(): Promise<number> {
    const { clock } = this.#parts;
    if (this.#batch.sent >= this.#batch.size) {
      const returned = await this.settle();
      if (returned > 0) return returned;
      this.#batch = { size: Math.ceil(this.#batch.size * this.#growth), sent: 0 };
    }
    if (this.#interval > 0) {
      const now = clock.now();
      if (this.#dueAt > now) await pause(clock, this.#dueAt - now, this.#signal);
      this.#dueAt = Math.max(now, this.#dueAt) + this.#interval;
    }
    return 0;
  }

  /** Waits for the messages of a batch to be handled; resolves to how many came back instead. */
  async settle(): Promise<number> {
    if (!this.#inBatches || this.#batch.sent === 0) return 0;
    await pause(this.#parts.clock, this.#settleTime, this.#signal);
    return this.#signal?.aborted === true ? 0 : this.#parts.returned();
  }

  sent(): void {
    this.#batch.sent++;
  }
}
