import { memo } from "./memo.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { ticksToMilliseconds } from "./ticks.ts";

/**
 * Minutes east of UTC at a moment in UTC ticks, in an IANA zone, e.g. `Europe/Madrid`; default: the zone of this process.
 *
 * @throws SobreError `InvalidArgument` for a zone that this JavaScript engine does not know.
 */
export function offsetAt(utcTicks: bigint, timeZone: string | undefined): number {
  return offsetOf(ticksToMilliseconds(utcTicks), timeZone);
}

/**
 * Minutes east of UTC when a clock in the zone shows these ticks: in the hour that it shows twice those of the earlier or
 * the later one, and in the hour that it leaves out those before.
 */
export function offsetAtClock(clockTicks: bigint, timeZone: string | undefined, which: "earlier" | "later"): number {
  const clock = ticksToMilliseconds(clockTicks);
  const before = offsetOf(clock - farthest, timeZone);
  const after = offsetOf(clock + farthest, timeZone);
  if (before === after) return before;
  const isAt = (offset: number): boolean => offsetOf(clock - offset * millisecondsPerMinute, timeZone) === offset;
  const [first, second] = which === "earlier" ? [before, after] : [after, before];
  return isAt(first) ? first : isAt(second) ? second : before;
}

const millisecondsPerMinute = 60_000;
/** No clock is farther from UTC, and no zone moves its clocks twice in such a time. */
const farthest = 16 * 60 * millisecondsPerMinute;

function offsetOf(milliseconds: number, timeZone: string | undefined): number {
  if (timeZone === undefined) return -Math.round(new Date(milliseconds).getTimezoneOffset());
  if (timeZone === "UTC") return 0;
  return memo(zones, timeZone, () => zoneOf(timeZone)).offsetAt(milliseconds);
}

function zoneOf(timeZone: string): Zone {
  try {
    return new Zone(timeZone);
  } catch (error) {
    throw new SobreError("InvalidArgument", "timeZone must be a time zone known here, e.g. Europe/Madrid.", {
      path: "$.timeZone",
      cause: error,
    });
  }
}

const zones = new Map<string, Zone>();

/** Nothing is known of zones before, and nobody has ruled on what comes behind: the same days move the clocks. */
const firstYear = 1800;
const steadyYear = 2101;
/** Years after which the days of the week are on the same dates again. */
const cycle = 28;
/** The clocks of a zone stay for longer: the shortest time yet is a week, around a Ramadan of Gaza. */
const stride = 6 * 24 * 60 * millisecondsPerMinute;

/** The average year of the Gregorian calendar, in milliseconds. */
const averageYear = 365.2425 * 24 * 60 * millisecondsPerMinute;

/** From a moment on, an offset. */
type OffsetChange = readonly [from: number, offset: number];

/** A year in UTC: when it begins and is over, the offset at its start, and what changes it in its course. */
interface Year {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
  readonly changes: readonly OffsetChange[];
}

/** The offsets of a zone, by the year: asking `Intl` takes microseconds. */
class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new Map<number, Year>();
  #recent: Year = { from: 0, until: 0, offset: 0, changes: [] };

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
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
  }

  offsetAt(milliseconds: number): number {
    let year = this.#recent;
    if (milliseconds < year.from || milliseconds >= year.until) {
      this.#recent = year = this.#yearAt(milliseconds);
    }
    let { offset } = year;
    for (const [from, next] of year.changes) if (from <= milliseconds) offset = next;
    return offset;
  }

  #yearAt(milliseconds: number): Year {
    // Cheaper than a Date, and wrong by a day or two around the turn of a year.
    const about = Math.max(Math.floor(1970 + milliseconds / averageYear), firstYear - 1);
    const year = this.#yearOf(about);
    return milliseconds < year.from
      ? this.#yearOf(about - 1)
      : milliseconds < year.until
        ? year
        : this.#yearOf(about + 1);
  }

  #yearOf(year: number): Year {
    return memo(this.#years, year, () =>
      year < firstYear ? this.#early() : year < steadyYear + cycle ? this.#asked(year) : this.#alike(year),
    );
  }

  #early(): Year {
    const { from: until, offset } = this.#yearOf(firstYear);
    return { from: -Infinity, until, offset, changes: [] };
  }

  #alike(year: number): Year {
    const like = this.#yearOf(likeYear(year));
    const from = startOf(year);
    const changes = like.changes.map(([at, next]): OffsetChange => [at - like.from + from, next]);
    return { from, until: startOf(year + 1), offset: like.offset, changes };
  }

  #asked(year: number): Year {
    const from = startOf(year);
    const until = startOf(year + 1);
    const offset = this.#ask(from);
    const changes: OffsetChange[] = [];
    let last = offset;
    for (let at = from; at < until; at += stride) {
      const to = Math.min(at + stride, until);
      const next = this.#ask(to);
      if (next !== last) changes.push([this.#change(at, to), next]);
      last = next;
    }
    return { from, until, offset, changes };
  }

  /** The first second of another offset than that at `from`. */
  #change(from: number, to: number): number {
    const offset = this.#ask(from);
    let [before, behind] = [from, to];
    while (behind - before > 1000) {
      const middle = before + Math.floor((behind - before) / 2000) * 1000;
      if (this.#ask(middle) === offset) before = middle;
      else behind = middle;
    }
    return behind;
  }

  #ask(milliseconds: number): number {
    let [year, month, day, hour, minute, second] = [0, 0, 0, 0, 0, 0];
    for (const { type, value } of this.#format.formatToParts(milliseconds)) {
      if (type === "year") year = Number(value);
      else if (type === "month") month = Number(value);
      else if (type === "day") day = Number(value);
      else if (type === "hour") hour = Number(value);
      else if (type === "minute") minute = Number(value);
      else if (type === "second") second = Number(value);
    }
    return Math.round((Date.UTC(year, month - 1, day, hour, minute, second) - milliseconds) / millisecondsPerMinute);
  }
}

/** The first moment of a year, whatever its number. */
function startOf(year: number): number {
  const start = new Date(0);
  return start.setUTCFullYear(year, 0, 1);
}

/** The year of the first steady ones that has the same days of the week on its dates. */
function likeYear(year: number): number {
  const days = layoutOf(year);
  let like = steadyYear;
  while (layoutOf(like) !== days) like++;
  return like;
}

function layoutOf(year: number): number {
  const start = startOf(year);
  return new Date(start).getUTCDay() + (startOf(year + 1) - start > 365 * 24 * 60 * millisecondsPerMinute ? 7 : 0);
}
