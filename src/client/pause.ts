import type { Clock } from "../time/index.ts";

/** Resolves after `milliseconds` of the clock, or as soon as the signal is aborted. */
export function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.setTimer(clock.now() + milliseconds, end);
    signal?.addEventListener("abort", end);
  });
}
