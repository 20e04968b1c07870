import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";

/** How long an engine waits for its broker. */
export interface Timing {
  readonly clock: Clock;
  /** Milliseconds to wait for the broker's answer. */
  readonly answer: number;
  /** Milliseconds without traffic after which a connection counts as lost. */
  readonly idle: number;
}

/**
 * The promise, with the time limit for the broker's answer.
 *
 * @param wait Additional milliseconds that the answer may take.
 * @throws SobreError `ServiceTimeout` naming the unanswered request, and what the promise throws.
 */
export function inTime<T>(
  { clock, answer }: Omit<Timing, "idle">,
  what: string,
  promise: Promise<T>,
  wait = 0,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(clock.now() + answer + wait, () => reject(late(what, answer)));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** The error of a request that the broker has not answered. */
export const late = (what: string, answer: number): SobreError =>
  new SobreError("ServiceTimeout", `The broker did not answer ${what} within ${answer / 1000} seconds.`);
