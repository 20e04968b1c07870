import { SobreError } from "../errors/sobre-error.ts";

/**
 * A duration: a number of milliseconds, or text. Text is a number with its unit (`"500ms"`, `"5s"`, `"1.5m"`, `"2h"`, `"7d"`)
 * or ISO 8601 (`"PT5S"`, `"P1DT12H"`), where a year has 365 days and a month 30, as .NET reads them.
 */
export type DurationLike = number | string;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const withUnit = /^(\d{1,15}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;
const iso = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/**
 * A {@link DurationLike} in milliseconds, rounded to whole ones where it is text.
 *
 * @param name The option or argument that has the duration, for the error.
 * @throws SobreError `InvalidArgument` naming `name`, for anything else, `NaN` and negative durations.
 * @example
 * ```ts
 * console.log(toMilliseconds("1.5m", "pause"), toMilliseconds("PT5S", "pause"), toMilliseconds(250, "pause")); // 90000 5000 250
 * ```
 */
export function toMilliseconds(duration: DurationLike, name: string): number {
  const milliseconds = readDuration(duration);
  if (milliseconds !== undefined) return milliseconds;
  const option = typeof name === "string" ? name : "duration";
  throw new SobreError("InvalidArgument", `${option} must be ${wantedDuration}.`, { path: `$.${option}` });
}

/** How errors name the values that are durations. */
export const wantedDuration = 'a number of milliseconds from 0 up, or text such as "5s" or "PT5S"';

/** A {@link DurationLike} in milliseconds; `undefined` for any other value. */
export function readDuration(value: unknown): number | undefined {
  if (typeof value === "number") return value >= 0 ? value : undefined;
  if (typeof value !== "string") return undefined;
  const [, count, unit = ""] = withUnit.exec(value) ?? [];
  return count === undefined ? readIsoDuration(value) : Math.round(Number(count) * (units[unit] ?? NaN));
}

/** An ISO 8601 duration in milliseconds (section 4.4.3.2), for formats that have no other; `undefined` for other text. */
export function readIsoDuration(text: string): number | undefined {
  const parts = iso.exec(text);
  if (parts === null || text.endsWith("T") || text === "P") return undefined;
  const [, years = "0", months = "0", days = "0", hours = "0", minutes = "0", seconds = "0"] = parts;
  const allDays = Number(years) * 365 + Number(months) * 30 + Number(days);
  return Math.round(((allDays * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000);
}

const timeSpan = /^(?:(\d{1,8})\.)?(\d{1,8}):(\d{1,8})(?::(\d{1,8}(?:\.\d{1,9})?))?$/;

/** A span of time as .NET writes it, `[d.]hh:mm[:ss[.fffffff]]`, in milliseconds; `undefined` for other text. */
export function readTimeSpan(text: string): number | undefined {
  const parts = timeSpan.exec(text);
  if (parts === null) return undefined;
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = parts;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000;
}
