import type { Clock } from "../time/clock.ts";

/** Resolves after `milliseconds` of the clock, or as soon as the signal is aborted; the process stays alive for it. */
export function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.setTimer(clock.now() + milliseconds, end);
    timer.keepAlive?.(true);
    signal?.addEventListener("abort", end);
  });
}

/** Runs what waits at most so many milliseconds of the clock, and keeps the process alive for it. */
export async function heldOpen<T>(clock: Clock, milliseconds: number, run: () => Promise<T>): Promise<T> {
  // Longer than what it waits for, whose own timer may be due a moment later.
  const timer = clock.setTimer(clock.now() + milliseconds + 1_000, () => undefined);
  timer.keepAlive?.(true);
  try {
    return await run();
  } finally {
    timer.cancel();
  }
}
