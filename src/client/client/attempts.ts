import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";
import { type Deadline, Deadlines } from "../../core/time/deadlines.ts";
import { pause } from "../../core/time/pause.ts";

/** The time limit of one try, and what may end it early. */
export interface TryOptions {
  /** Milliseconds that the call itself waits, e.g. for a message, on top of the time-out. Default: 0. */
  readonly wait?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /** Called when the time-out ends a try. */
  readonly timedOut?: (() => void) | undefined;
  /** Called with a result that arrives after the try has ended, e.g. to release its messages. */
  readonly late?: ((result: never) => void) | undefined;
  /** Called once, just before the call resolves or rejects; with its error if it rejects. */
  readonly ended?: ((isDone: boolean, error?: unknown) => void) | undefined;
}

/** {@link TryOptions} of a call that is repeated. */
export interface RunOptions extends TryOptions {
  /** Whether an error is transient. Default: when it is retryable. */
  readonly mayPass?: ((error: unknown) => boolean) | undefined;
  /** The error to reject with, or to go on after; `isAnswerLost` when an earlier try may have succeeded. */
  readonly explain?: ((error: unknown, isAnswerLost: boolean) => unknown) | undefined;
}

/** The option of calls that can be ended early. */
export interface AbortOption {
  /** Ends the call immediately with `Aborted`; what the broker has already done is not undone. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** A try under way. */
interface Try extends Deadline<Try> {
  timeOut(): void;
}

/** The bounds of all calls of a client. */
export interface CallBounds {
  readonly clock: Clock;
  /** Milliseconds that one try may take. */
  readonly timeout: number;
  /** The option that sets this limit, for the error. */
  readonly timeoutOption: string;
  /** Milliseconds to wait after this many failures in a row. */
  readonly delay: (failures: number) => number;
  /** Called before each wait. */
  readonly retrying: (error: unknown, attempt: number, delayInMs: number) => void;
  /** The tries under way. */
  readonly tries: Deadlines<Try>;
}

/** The tries of a client, with one timer for all their time limits. */
export const triesOf = (clock: Clock): Deadlines<Try> => new Deadlines<Try>(clock, (one) => one.timeOut());

/** A call that is tried until it succeeds, fails permanently or is aborted: one object for all its tries. */
export class RetriedCall<T> implements Try {
  dueAt: number = Infinity;
  previous: Try | undefined = undefined;
  next: Try | undefined = undefined;
  readonly #bounds: CallBounds;
  readonly #operation: () => Promise<T>;
  readonly #options: RunOptions;
  readonly #maxRetries: number;
  #resolve: (result: T) => void = ignore;
  #reject: (error: unknown) => void = ignore;
  #abort: (() => void) | undefined;
  #failures = 0;
  #isAnswerLost = false;

  constructor(bounds: CallBounds, operation: () => Promise<T>, options: RunOptions, maxRetries: number) {
    this.#bounds = bounds;
    this.#operation = operation;
    this.#options = options;
    this.#maxRetries = maxRetries;
  }

  /**
   * @throws what the last try threw, SobreError `ServiceTimeout` after the time-out, `Aborted` when the signal is
   * aborted.
   */
  run(): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#try();
    });
  }

  /** Runs without a promise: `ended` of the options alone says how it ended. */
  start(): void {
    this.#try();
  }

  timeOut(): void {
    const what = `No answer came within ${this.#bounds.timeoutOption}; the outcome of the call is unknown.`;
    this.#failed(new SobreError("ServiceTimeout", what));
    this.#options.timedOut?.();
  }

  #try(): void {
    const { abortSignal, wait = 0 } = this.#options;
    if (abortSignal?.aborted === true) {
      this.#fail(aborted(abortSignal));
      return;
    }
    const { clock, timeout, tries } = this.#bounds;
    const number = this.#failures;
    tries.add(this, clock.now() + timeout + wait);
    if (abortSignal !== undefined) {
      this.#abort = () => {
        if (this.#leave(number)) this.#fail(aborted(abortSignal));
      };
      abortSignal.addEventListener("abort", this.#abort, { once: true });
    }
    void this.#outcome(number);
  }

  async #outcome(number: number): Promise<void> {
    try {
      const result = await this.#operation();
      if (this.#leave(number)) {
        this.#options.ended?.(true);
        this.#resolve(result);
      } else if (this.#options.late !== undefined) Reflect.apply(this.#options.late, undefined, [result]);
    } catch (error) {
      if (this.#leave(number)) this.#failed(error);
    }
  }

  /** Ends a try; false when it has already ended. */
  #leave(number: number): boolean {
    if (number !== this.#failures || !this.#bounds.tries.remove(this)) return false;
    this.#unlisten();
    return true;
  }

  #unlisten(): void {
    if (this.#abort !== undefined) this.#options.abortSignal?.removeEventListener("abort", this.#abort);
  }

  #fail(error: unknown): void {
    this.#options.ended?.(false, error);
    this.#reject(error);
  }

  #failed(thrown: unknown): void {
    this.#unlisten();
    const { mayPass = isRetryable, explain, abortSignal } = this.#options;
    const error = explain === undefined ? thrown : explain(thrown, this.#isAnswerLost);
    if (!mayPass(error) || this.#failures >= this.#maxRetries) {
      this.#fail(error);
      return;
    }
    this.#isAnswerLost ||= error instanceof SobreError && answerLost.has(error.code);
    this.#failures++;
    const { clock, delay, retrying } = this.#bounds;
    const delayInMs = delay(this.#failures);
    retrying(error, this.#failures, delayInMs);
    void pause(clock, delayInMs, abortSignal).then(() => this.#try());
  }
}

const ignore = (): void => undefined;

/** Whether the same call may succeed when tried again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof SobreError && error.retryable;
}

/** Codes after which it is unknown whether a call took effect. */
const answerLost: ReadonlySet<string> = new Set(["ServiceCommunicationProblem", "ServiceTimeout", "GeneralError"]);

/** The error of a call that was aborted by its signal. */
function aborted(signal: AbortSignal | undefined): SobreError {
  return new SobreError("Aborted", "The operation was aborted by its abortSignal.", { cause: signal?.reason });
}

/** @throws SobreError `Aborted` when the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal);
}
