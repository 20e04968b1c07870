import type { Clock } from "./clock.ts";

/** Resolves after `milliseconds` of the clock, or when the signal is aborted; keeps the process alive meanwhile. */
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

/** The result, or `late` if it takes longer than `milliseconds` of the clock. @throws what the result rejects with. */
export function inTime<T>(clock: Clock, milliseconds: number, result: Promise<T>, late: T): Promise<T> {
  const done = new AbortController();
  const isLate = pause(clock, milliseconds, done.signal).then(() => late);
  return Promise.race([result, isLate]).finally(() => done.abort());
}

/** Keeps the process alive while `run` waits for at most this many milliseconds of the clock. */
export async function heldOpen<T>(clock: Clock, milliseconds: number, run: () => Promise<T>): Promise<T> {
  // A little longer than the operation, whose own timer may be due a moment later.
  const timer = clock.setTimer(clock.now() + milliseconds + 1_000, () => undefined);
  timer.keepAlive?.(true);
  try {
    return await run();
  } finally {
    timer.cancel();
  }
}
