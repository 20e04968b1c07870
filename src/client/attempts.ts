import { SobreError } from "../errors/sobre-error.ts";
import type { Clock, Timer } from "../time/clock.ts";

/** How long one try may take, and what ends it early. */
export interface TryOptions {
  /** Milliseconds that the call waits by its nature, e.g. for a message, besides the time-out. Default: 0. */
  readonly wait?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the time-out ends the try. */
  readonly timedOut?: (() => void) | undefined;
  /** Called with the result of a try that came after its end, e.g. to give messages back. */
  readonly late?: ((result: never) => void) | undefined;
}

interface Try {
  readonly dueAt: number;
  readonly timeOut: () => void;
}

/** The option of calls that can be ended early. */
export interface AbortOption {
  /** Ends the call at once with `Aborted`; what the broker has done by then stays done. */
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * Bounds each try of a call by a time-out and an abort signal; a result that comes later is ignored.
 *
 * One timer serves all, since most calls are over long before.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #running = new Set<Try>();
  #timer: Timer | undefined;
  #timerAt = Infinity;

  constructor(clock: Clock, timeoutInMs: number) {
    this.#clock = clock;
    this.#timeout = timeoutInMs;
  }

  /** @throws what the operation throws, SobreError `ServiceTimeout` after the time-out, and `Aborted` as soon as the signal is. */
  run<T>(operation: () => Promise<T>, { wait = 0, signal, timedOut, late }: TryOptions = {}): Promise<T> {
    if (signal?.aborted === true) return Promise.reject(aborted(signal));
    return new Promise((resolve, reject) => {
      let isOver = false;
      const leave = (): void => {
        isOver = true;
        this.#running.delete(one);
        signal?.removeEventListener("abort", abort);
      };
      const end = (error: SobreError): void => {
        leave();
        reject(error);
      };
      const abort = (): void => end(aborted(signal));
      const timeOut = (): void => {
        end(new SobreError("ServiceTimeout", tooLate));
        timedOut?.();
      };
      const one: Try = { dueAt: this.#clock.now() + this.#timeout + wait, timeOut };
      this.#running.add(one);
      signal?.addEventListener("abort", abort, { once: true });
      this.#watch(one.dueAt);
      const settle = async (): Promise<void> => {
        try {
          const result = await operation();
          if (isOver && late !== undefined) Reflect.apply(late, undefined, [result]);
          leave();
          resolve(result);
        } catch (error) {
          leave();
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is passed on as it was thrown
          reject(error);
        }
      };
      void settle();
    });
  }

  #watch(dueAt: number): void {
    if (dueAt >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = dueAt;
    this.#timer = this.#clock.setTimer(dueAt, () => {
      this.#timerAt = Infinity;
      const now = this.#clock.now();
      let next = Infinity;
      for (const one of this.#running) {
        if (one.dueAt <= now) one.timeOut();
        else next = Math.min(next, one.dueAt);
      }
      this.#watch(next);
    });
  }
}

const tooLate = "The call was not answered within retryOptions.timeoutInMs. Its outcome is not known.";

/** The error of a call that its signal has ended. */
function aborted(signal: AbortSignal | undefined): SobreError {
  return new SobreError("Aborted", "The operation was ended by its abortSignal.", { cause: signal?.reason });
}

/** @throws SobreError `Aborted` when the signal is. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal);
}
