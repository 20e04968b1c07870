import { ticksPerMinute, ticksToMilliseconds } from "./ticks.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Minutes east of UTC at a moment in UTC ticks, in an IANA zone as `Europe/Madrid`; default: the zone of this process.
 *
 * @throws RangeError for a zone that this JavaScript engine does not know.
 */
export function offsetAt(utcTicks: bigint, timeZone: string | undefined): number {
  const milliseconds = ticksToMilliseconds(utcTicks);
  if (timeZone === undefined) return -Math.round(new Date(milliseconds).getTimezoneOffset());
  if (timeZone === "UTC") return 0;
  const day = Math.floor(milliseconds / millisecondsPerDay);
  const known = days.get(timeZone)?.get(day);
  if (known !== undefined) return known;
  const offset = offsetIn(timeZone, milliseconds);
  // A day at both ends of which the offset is the same has no other in between.
  const whole =
    offsetIn(timeZone, day * millisecondsPerDay) === offset &&
    offsetIn(timeZone, (day + 1) * millisecondsPerDay - 1) === offset;
  if (whole) keep(timeZone, day, offset);
  return offset;
}

const millisecondsPerDay = 86_400_000;
const mostDays = 4096;
/** Offsets of whole days by zone, since asking `Intl` takes microseconds. */
const days = new Map<string, Map<number, number>>();

function keep(timeZone: string, day: number, offset: number): void {
  const kept = days.get(timeZone);
  if (kept === undefined || kept.size >= mostDays) days.set(timeZone, new Map([[day, offset]]));
  else kept.set(day, offset);
}

function offsetIn(timeZone: string, milliseconds: number): number {
  const fields = new Map(
    formatOf(timeZone)
      .formatToParts(milliseconds)
      .map(({ type, value }) => [type, value]),
  );
  const field = (type: Intl.DateTimeFormatPartTypes): number => Number(fields.get(type));
  const clock = new Date(0);
  clock.setUTCFullYear(field("year"), field("month") - 1, field("day"));
  clock.setUTCHours(field("hour"), field("minute"), field("second"));
  return Math.round((clock.getTime() - Math.floor(milliseconds / 1000) * 1000) / 60_000);
}

/** Minutes east of UTC when a clock in the zone shows these ticks; of two possible ones the earlier moment's. */
export function offsetAtClock(clockTicks: bigint, timeZone: string | undefined): number {
  const first = offsetAt(clockTicks, timeZone);
  const guess = offsetAt(clockTicks - BigInt(first) * ticksPerMinute, timeZone);
  const before = offsetAt(clockTicks - BigInt(Math.max(first, guess)) * ticksPerMinute, timeZone);
  return before === Math.max(first, guess) ? before : guess;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(timeZone, format);
  return format;
}
