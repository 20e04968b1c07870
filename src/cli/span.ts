import { readDuration } from "../core/time/duration.ts";
import { Misuse } from "./misuse.ts";

/** Units of a time on the command line in milliseconds, the largest first. */
const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** Parses a time as `30s`, `1.5h` or ISO 8601 (`PT30S`) into milliseconds. The parser throws Misuse. */
export function spanOf(option: string): (text: string) => number {
  return (text) => {
    const milliseconds = readDuration(text);
    if (milliseconds === undefined) throw new Misuse(`${option} must be a time, e.g. 30s, 5m, 1h, 2d or PT30S`);
    return milliseconds;
  };
}

/** Milliseconds as {@link spanOf} reads them, e.g. `30s`. */
export function spanText(milliseconds: number): string {
  if (milliseconds === Infinity) return "for ever";
  const [unit, size] = Object.entries(units).find(([, one]) => milliseconds % one === 0) ?? ["ms", 1];
  return milliseconds === 0 ? "0s" : `${milliseconds / size}${unit}`;
}
