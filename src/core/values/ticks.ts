import { invalidOption } from "../options/option-checks.ts";
/** Ticks of 100 nanoseconds, as .NET counts time. */
const ticksPerMillisecond = 10_000n;
export const ticksPerSecond = 10_000_000n;
export const ticksPerMinute = 600_000_000n;
export const ticksPerDay = 864_000_000_000n;

/** Ticks from 0001-01-01 to 1970-01-01. */
const ticksToEpoch = 621_355_968_000_000_000n;

/** The last tick of the year 9999, and so the greatest that .NET has. */
export const maxTicks = 3_155_378_975_999_999_999n;

/** Milliseconds since 1970 at or before the tick. */
export function ticksToMilliseconds(ticks: bigint): number {
  if (typeof ticks !== "bigint") throw invalidOption("ticks", "must be a bigint");
  const since = ticks - ticksToEpoch;
  const milliseconds = Number(since / ticksPerMillisecond);
  return since < 0n && since % ticksPerMillisecond !== 0n ? milliseconds - 1 : milliseconds;
}

/** Ticks since 0001-01-01 of milliseconds since 1970. */
export function millisecondsToTicks(milliseconds: number): bigint {
  if (!Number.isInteger(milliseconds)) throw invalidOption("milliseconds", "must be a whole number");
  return BigInt(milliseconds) * ticksPerMillisecond + ticksToEpoch;
}

/** `2024-02-29T23:59:59.1234567` of clock ticks, with up to seven decimals; `@ticks` beyond what a `Date` holds. */
export function clockText(ticks: bigint): string {
  const milliseconds = ticksToMilliseconds(ticks);
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return `@${ticks}`;
  const text = date.toISOString().slice(0, -5);
  const finer = Number(ticks - millisecondsToTicks(milliseconds));
  const fraction = (((milliseconds % 1000) + 1000) % 1000) * 10_000 + finer;
  return fraction === 0 ? text : `${text}.${`${fraction}`.padStart(7, "0").replace(/0+$/, "")}`;
}

const two = (value: number): string => `${value}`.padStart(2, "0");

/** `+02:00` of an offset in minutes. */
export function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The parts of an ISO 8601 time. */
export interface ParsedTime {
  /** Ticks of its own clock. */
  readonly ticks: bigint;
  /** Minutes east of UTC; `undefined` when the text names none. */
  readonly offsetMinutes: number | undefined;
  /** Whether it ends with Z. */
  readonly utc: boolean;
}

const timeForm = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?$/;

/** Reads `2024-02-29T23:59:59.1234567+02:00` (XML Schema dateTime or date), or gives `undefined`; finer than a tick is cut. */
export function parseTime(text: string): ParsedTime | undefined {
  if (typeof text !== "string") throw invalidOption("text", "must be a string");
  const match = timeForm.exec(text);
  if (match === null) return undefined;
  const [, year = "", month = "", day = "", hour = "00", minute = "00", second = "00", fraction = "", zone] = match;
  const midnight = hour === "24" && minute === "00" && second === "00";
  const whole = `${year}-${month}-${day}T${midnight ? "00" : hour}:${minute}:${second}.000Z`;
  const date = new Date(whole);
  // Date moves 30 February to March.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== whole) return undefined;
  const finer = BigInt(fraction.slice(0, 7).padEnd(7, "0"));
  const ticks = millisecondsToTicks(date.getTime()) + finer + (midnight ? ticksPerDay : 0n);
  if (zone === undefined || zone === "Z") {
    return { ticks, offsetMinutes: zone === undefined ? undefined : 0, utc: zone === "Z" };
  }
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return { ticks, offsetMinutes: zone.startsWith("-") ? -minutes : minutes, utc: false };
}
