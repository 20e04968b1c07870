import type { Delivery } from "../../core/engine/delivery.ts";
import type { ReceiveOptions } from "../../core/engine/engine.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { Deadline } from "../../core/time/deadlines.ts";

/** One call of a receiver's `receive`: its messages and the end of its wait. */
export class Receive implements Deadline<Receive> {
  dueAt: number = Infinity;
  previous: Receive | undefined = undefined;
  next: Receive | undefined = undefined;
  readonly maxMessages: number;
  readonly taken: Delivery[] = [];
  readonly abortSignal: AbortSignal | undefined;
  /** Whether the broker was given credit for it. */
  asked = false;
  /** Whether its wait is over: it takes what is there. */
  expired: boolean;
  readonly #outcome = Promise.withResolvers<readonly Delivery[]>();

  constructor({ maxMessages, maxWaitTimeInMs, abortSignal }: ReceiveOptions) {
    this.maxMessages = maxMessages;
    this.expired = maxWaitTimeInMs === 0;
    this.abortSignal = abortSignal;
  }

  get outcome(): Promise<readonly Delivery[]> {
    return this.#outcome.promise;
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
    this.#outcome.resolve(this.taken);
  }

  /** Rejects, unless messages were taken: those are not lost. */
  fail(error: SobreError): void {
    if (this.taken.length > 0) this.finish();
    else this.#outcome.reject(error);
  }
}
