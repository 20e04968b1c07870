import { SobreError } from "../../errors/sobre-error.ts";
import type { Clock } from "../../time/clock.ts";

/** How long an engine waits for its broker. */
export interface Timing {
  readonly clock: Clock;
  /** Milliseconds that the broker has to answer. */
  readonly answer: number;
  /** Milliseconds of silence after which a connection is given up. */
  readonly idle: number;
}

/**
 * The promise, bounded by the time that the broker has to answer.
 *
 * @param wait Milliseconds that the answer takes by its nature, besides.
 * @throws SobreError `ServiceTimeout` naming what was not answered, and what the promise throws.
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

/** The error of what the broker has not answered. */
export const late = (what: string, answer: number): SobreError =>
  new SobreError("ServiceTimeout", `The broker has not answered ${what} within ${answer / 1000} seconds.`);
