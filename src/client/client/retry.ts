import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { RetriedCall, type RunOptions, triesOf, type TryOptions } from "./attempts.ts";
import type { Retrying } from "./signals.ts";

/**
 * How calls are retried, with the names of `@azure/service-bus`: only after a retryable error, and only calls that are
 * safe to repeat.
 */
export interface RetryOptions {
  /** Default: 3. */
  readonly maxRetries?: number | undefined;
  /**
   * Milliseconds that one try may take, on top of the wait that a call asks for; then it ends with `ServiceTimeout`.
   * Default: 60,000.
   */
  readonly timeoutInMs?: number | undefined;
  /** Milliseconds before the first retry, plus or minus 20 %. Default: 1,000. */
  readonly retryDelayInMs?: number | undefined;
  /** The longest wait in milliseconds. Default: 30,000. */
  readonly maxRetryDelayInMs?: number | undefined;
  /** Whether the wait doubles with each retry. Default: `exponential`. */
  readonly mode?: "exponential" | "fixed" | undefined;
}

/** {@link RetryOptions} with a clock. */
export interface Retry {
  /** Milliseconds to wait after this many failures in a row. */
  delay(failures: number): number;
  /**
   * Runs the operation once. @throws what it throws, SobreError `ServiceTimeout`, `Aborted` when the signal is aborted.
   */
  once<T>(operation: () => Promise<T>, options?: TryOptions): Promise<T>;
  /**
   * Runs the operation, and repeats it while it fails with a retryable error and retries are left.
   *
   * @throws what the last try threw, SobreError `Aborted` when the signal is aborted.
   */
  run<T>(operation: () => Promise<T>, options?: RunOptions): Promise<T>;
  /** Runs it as {@link run} does, without a promise: `ended` alone says how it ended. */
  start<T>(operation: () => Promise<T>, options: RunOptions & Required<Pick<RunOptions, "ended">>): void;
  /** Reports a wait before a retry of its caller's own. */
  readonly retrying: Retrying;
  /** The same, with another listener for its retries. */
  reporting(retrying: Retrying): Retry;
}

const retryChecks: OptionChecks<RetryOptions> = {
  maxRetries: is.countFrom(0),
  timeoutInMs: is.milliseconds,
  retryDelayInMs: is.milliseconds,
  maxRetryDelayInMs: is.milliseconds,
  mode: is.oneOf("exponential", "fixed"),
};

/**
 * @param timeoutOption what sets the time limit of a try, for its error.
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function createRetry(
  clock: Clock,
  options: RetryOptions = {},
  timeoutOption: string = "retryOptions.timeoutInMs",
): Retry {
  checkOptions(options, retryChecks, { prefix: "retryOptions." });
  const { maxRetries = 3, retryDelayInMs: first = 1_000, maxRetryDelayInMs: longest = 30_000, mode } = options;
  const delay = (failures: number): number => {
    const steady = mode === "fixed" ? first : first * 2 ** Math.min(failures - 1, 30);
    // Jitter, so that clients that failed together do not retry together.
    return Math.min(steady, longest) * (0.8 + 0.4 * Math.random());
  };
  const limits = { clock, timeout: options.timeoutInMs ?? 60_000, timeoutOption, delay, tries: triesOf(clock) };
  const reporting = (retrying: Retrying): Retry => {
    const bounds = { ...limits, retrying };
    return {
      delay,
      once: (operation, callOptions = noRetryOptions) => new RetriedCall(bounds, operation, callOptions, 0).run(),
      run: (operation, callOptions = noRetryOptions) =>
        new RetriedCall(bounds, operation, callOptions, maxRetries).run(),
      start: (operation, callOptions) => new RetriedCall(bounds, operation, callOptions, maxRetries).start(),
      retrying,
      reporting,
    };
  };
  return reporting(() => undefined);
}

const noRetryOptions = {};

/** Codes after which a session is accepted again: this client does not hold it any more. */
const sessionGone: ReadonlySet<string> = new Set(["SessionLockLost", "SessionCannotBeLocked", "MessageLockLost"]);

/** Whether accepting the session again may succeed. */
export function isSessionGone(error: unknown): boolean {
  return error instanceof SobreError && sessionGone.has(error.code);
}
