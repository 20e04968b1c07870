import { SobreError } from "../errors/sobre-error.ts";
import type { Clock } from "../time/clock.ts";
import { checkOptions, countFrom, milliseconds, oneOf, type OptionChecks } from "../options/option-checks.ts";
import { pause } from "./pause.ts";

/** How often and how patiently is tried again; only what is retryable is. Names are those of `@azure/service-bus`. */
export interface RetryOptions {
  /** Default: 3. */
  readonly maxRetries?: number | undefined;
  /** Milliseconds before the first retry, give or take a fifth. Default: 1,000. */
  readonly retryDelayInMs?: number | undefined;
  /** The longest wait in milliseconds. Default: 30,000. */
  readonly maxRetryDelayInMs?: number | undefined;
  /** Whether each wait is twice the one before. Default: `exponential`. */
  readonly mode?: "exponential" | "fixed" | undefined;
}

/** {@link RetryOptions} with a clock, at work. */
export interface Retry {
  /** Milliseconds to wait after so many failures in a row. */
  delay(failures: number): number;
  /**
   * Runs the operation, and again while it fails with what is retryable and retries are left.
   *
   * @throws what the last try threw, and SobreError `Aborted` when the signal ends the waiting.
   */
  run<T>(operation: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

const checks: OptionChecks<RetryOptions> = {
  maxRetries: countFrom(0),
  retryDelayInMs: milliseconds,
  maxRetryDelayInMs: milliseconds,
  mode: oneOf("exponential", "fixed"),
};

/** @throws SobreError `InvalidArgument` naming the option. */
export function createRetry(clock: Clock, options: RetryOptions = {}): Retry {
  checkOptions(options, checks, { prefix: "retryOptions." });
  const { maxRetries = 3, retryDelayInMs: first = 1_000, maxRetryDelayInMs: longest = 30_000, mode } = options;
  const delay = (failures: number): number => {
    const steady = mode === "fixed" ? first : first * 2 ** Math.min(failures - 1, 30);
    // Spread, so that clients that failed together do not come back together.
    return Math.min(steady, longest) * (0.8 + 0.4 * Math.random());
  };
  return {
    delay,
    async run(operation, signal) {
      for (let failures = 0; ;) {
        throwIfAborted(signal);
        try {
          return await operation();
        } catch (error) {
          if (!isRetryable(error) || failures >= maxRetries) throw error;
          failures++;
          await pause(clock, delay(failures), signal);
        }
      }
    },
  };
}

/** @throws SobreError `Aborted` when the signal is. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new SobreError("Aborted", "The operation was ended by its abortSignal.", { cause: signal.reason });
}

/** Whether the same call may succeed when tried again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof SobreError && error.retryable;
}

/** Codes after which a session is accepted anew: it is held by nobody here any more, or by somebody else. */
const sessionGone: ReadonlySet<string> = new Set(["SessionLockLost", "SessionCannotBeLocked", "MessageLockLost"]);

/** Whether accepting the session again may bring it back. */
export function isSessionGone(error: unknown): boolean {
  return error instanceof SobreError && sessionGone.has(error.code);
}
