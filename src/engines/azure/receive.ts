import type { Delivery } from "../../engine/delivery.ts";
import type { ReceiveOptions } from "../../engine/engine.ts";
import type { SobreError } from "../../errors/sobre-error.ts";
import type { Deadline } from "../../time/deadlines.ts";

/** One call of a receiver's `receive`: its messages and the end of its wait. */
export class Receive implements Deadline<Receive> {
  dueAt: number = Infinity;
  previous: Receive | undefined = undefined;
  next: Receive | undefined = undefined;
  readonly maxMessages: number;
  readonly taken: Delivery[] = [];
  readonly signal: AbortSignal | undefined;
  readonly outcome: Promise<readonly Delivery[]>;
  /** Whether the broker was given credit for it. */
  asked = false;
  /** Whether its wait is over: it takes what is there. */
  expired: boolean;
  #resolve: (deliveries: readonly Delivery[]) => void = ignore;
  #reject: (error: SobreError) => void = ignore;

  constructor({ maxMessages, maxWaitTime, signal }: ReceiveOptions) {
    this.maxMessages = maxMessages;
    this.expired = maxWaitTime === 0;
    this.signal = signal;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** How many messages it has room for. */
  get room(): number {
    return this.maxMessages - this.taken.length;
  }

  /** Whether it ends as soon as the broker has nothing more at hand. */
  get isEnding(): boolean {
    return this.expired || this.taken.length > 0;
  }

  /** Resolves to the messages taken. */
  finish(): void {
    this.#resolve(this.taken);
  }

  /** Rejects, unless messages were taken: those are not lost. */
  fail(error: SobreError): void {
    if (this.taken.length > 0) this.#resolve(this.taken);
    else this.#reject(error);
  }
}

const ignore = (): void => undefined;
