import { readDuration } from "../time/duration.ts";
import type { OptionCheck } from "./option-checks.ts";

/** A `DurationLike` of at least `least` and at most `most` milliseconds, or of any length from `least` up. */
export function durationFrom(least: number, most?: number): OptionCheck {
  const range = most === undefined ? `from ${least} up` : `from ${least} to ${most}`;
  const wanted = `must be a number of milliseconds ${range}, or text such as "5s" or "PT5S"`;
  return (value) => {
    const milliseconds = readDuration(value);
    return milliseconds !== undefined && milliseconds >= least && milliseconds <= (most ?? Infinity)
      ? undefined
      : wanted;
  };
}

/** A `DurationLike`, `Infinity` included. */
export const duration: OptionCheck = durationFrom(0);

/** A `DurationLike` that ends. */
export const finiteDuration: OptionCheck = (value) =>
  value === Infinity ? 'must be a finite duration, e.g. "10s"' : duration(value);
