import { SobreError } from "../errors/sobre-error.ts";

/** A duration: milliseconds, or ISO 8601 such as `PT1M30S` where the official SDK uses that. */
export type DurationLike = number | string;

const iso = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/**
 * A {@link DurationLike} in milliseconds; days, hours, minutes and seconds are supported (ISO 8601 section 4.4.3.2).
 *
 * @throws SobreError `InvalidArgument` naming `name`, for anything else and for negative durations.
 */
export function toMilliseconds(duration: DurationLike, name: string): number {
  const milliseconds =
    typeof duration === "number" ? duration : typeof duration === "string" ? fromIso(duration) : undefined;
  if (milliseconds === undefined || !(milliseconds >= 0)) {
    throw new SobreError(
      "InvalidArgument",
      `${typeof name === "string" ? name : "duration"} must be a number of milliseconds from 0 up, or an ISO 8601 duration such as "PT1M30S".`,
    );
  }
  return milliseconds;
}

function fromIso(text: string): number | undefined {
  const parts = iso.exec(text);
  if (parts === null || text.endsWith("T") || text === "P") return undefined;
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = parts;
  return Math.round(((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A wait in milliseconds: a {@link DurationLike}, or a number with a unit such as `500ms`, `10s`, `1m`, `2h`, `1d`.
 *
 * @throws SobreError `InvalidArgument` naming `name`.
 */
export function delayToMilliseconds(delay: DurationLike, name: string): number {
  const [, count, unit = ""] = (typeof delay === "string" && /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(delay)) || [];
  const milliseconds = count === undefined ? toMilliseconds(delay, name) : Number(count) * (units[unit] ?? NaN);
  if (Number.isFinite(milliseconds)) return milliseconds;
  throw new SobreError("InvalidArgument", `${name} must be a finite time, e.g. "10s".`);
}
