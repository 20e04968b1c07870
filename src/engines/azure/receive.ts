import type { Delivery } from "../../engine/delivery.ts";
import type { ReceiveOptions } from "../../engine/engine.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import type { Clock, Timer } from "../../time/clock.ts";

/** One call of a receiver's `receive`: what it has got, and when it stops waiting. */
export class Receive {
  readonly maxMessages: number;
  readonly taken: Delivery[] = [];
  readonly outcome: Promise<readonly Delivery[]>;
  /** Whether the broker was given credit for it. */
  asked = false;
  /** Whether its wait is over: it takes what is there. */
  expired: boolean;
  #resolve: (deliveries: readonly Delivery[]) => void = () => undefined;
  #reject: (error: SobreError) => void = () => undefined;
  #timer: Timer | undefined;
  #unlisten: () => void = () => undefined;

  /** @param over Called when the wait ends, by time or by the signal. */
  constructor({ maxMessages, maxWaitTime, signal }: ReceiveOptions, clock: Clock, over: (receive: Receive) => void) {
    this.maxMessages = maxMessages;
    this.expired = maxWaitTime === 0;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const end = (): void => {
      this.expired = true;
      over(this);
    };
    if (!this.expired && Number.isFinite(maxWaitTime)) this.#timer = clock.setTimer(clock.now() + maxWaitTime, end);
    if (signal === undefined) return;
    signal.addEventListener("abort", end, { once: true });
    this.#unlisten = () => signal.removeEventListener("abort", end);
  }

  /** How many messages it has room for. */
  get room(): number {
    return this.maxMessages - this.taken.length;
  }

  /** Whether it ends as soon as the broker has nothing more at hand. */
  get isEnding(): boolean {
    return this.expired || this.taken.length > 0;
  }

  /** Resolves to what was taken. */
  finish(): void {
    this.#clean();
    this.#resolve(this.taken);
  }

  /** Rejects, unless something was taken: that is not lost. */
  fail(error: SobreError): void {
    this.#clean();
    if (this.taken.length > 0) this.#resolve(this.taken);
    else this.#reject(error);
  }

  #clean(): void {
    this.#timer?.cancel();
    this.#unlisten();
  }
}
