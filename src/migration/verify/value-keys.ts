import { BigInteger } from "../../core/values/big-integer.ts";
import { DateTime } from "../../core/values/date-time.ts";
import { Decimal } from "../../core/values/decimal.ts";
import { Instant } from "../../core/values/instant.ts";
import { isDouble, shortestSingle } from "../../core/values/single.ts";
import { TaggedScalar } from "../../core/values/tagged-value.ts";
import { Typed } from "../../core/values/typed.ts";
import { scalarText } from "../target/lower-value.ts";

/**
 * Keys under which a value is looked up: `s` and text, `n` and a number, `b` and a boolean, `x` and bytes; and meanings
 * of text: `g` a Guid, `c` a time without a zone, `l`, `u` and `z` the clock, the UTC time and both of one with a zone, `d` a duration,
 * `m` a decimal, `q` a local name.
 * Values of two formats are equal if they share a key.
 */
export type ValueKey = string;

/** The key of a number: its digits without leading and trailing zeros, and its exponent. */
export function numberKey(text: string): ValueKey | undefined {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  const minus = sign === "-" ? "-" : "";
  if (kept === "") return `n${minus}0`;
  return `n${minus}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** The keys of a number as such. */
export function keysOfNumber(value: number | bigint): readonly ValueKey[] {
  if (typeof value === "number" && !Number.isFinite(value)) {
    const text = Number.isNaN(value) ? "NaN" : value > 0 ? "INF" : "-INF";
    return [`n${text}`, `s${text}`];
  }
  if (typeof value === "number" && Number.isSafeInteger(value) && !Object.is(value, -0)) return [integerKey(value)];
  return [numberKey(Object.is(value, -0) ? "-0" : `${value}`) ?? `n${value}`];
}

/** The keys of a decimal number: .NET writes some doubles with 17 digits, not all of which are needed. */
export function keysOfDigits(text: string): readonly ValueKey[] {
  const key = numberKey(text);
  if (key === undefined) return [];
  if (key.length < 16) return [key];
  const double = isDouble(text) ? numberKey(`${Number(text)}`) : undefined;
  return double === undefined || double === key ? [key] : [key, double];
}

/** {@link numberKey} of most numbers, faster. */
function integerKey(value: number): ValueKey {
  if (value === 0) return "n0";
  let left = value;
  let zeros = 0;
  while (left % 10 === 0) {
    left /= 10;
    zeros++;
  }
  return `n${left}e${zeros}`;
}

/** The keys of a 32-bit float, which may be written with the digits of either a float or a double. */
export function keysOfSingle(value: number): readonly ValueKey[] {
  const short = shortestSingle(value);
  return short === value ? keysOfNumber(value) : [...keysOfNumber(short), ...keysOfNumber(value)];
}

/** The key of bytes. */
export function bytesKey(value: Uint8Array): ValueKey {
  return `x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")}`;
}

/** The keys of bytes, which most formats contain as base64. */
function keysOfBytes(value: Uint8Array): readonly ValueKey[] {
  const key = bytesKey(value);
  return [`s${key.slice(1)}`, key];
}

const timeForm =
  /^([+-]?\d{4,10})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d(?::\d\d)?)?)?(?:\[[^\]]*\])?$/;

function keysOfTime(text: string): readonly ValueKey[] {
  const match = timeForm.exec(text);
  if (match === null) return [];
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", zone] = match;
  const days = daysOf(Number(year), Number(month), Number(day));
  const clock = BigInt(days) * 86_400n + BigInt(Number(hour) * 3600 + Number(minute) * 60 + Number(second));
  const part = fraction.replace(/0+$/, "") === "" ? "" : `.${fraction.replace(/0+$/, "")}`;
  if (zone === undefined) return [`c${clock}${part}`];
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(zone) ?? [];
  const offset = BigInt((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * (sign === "-" ? -1n : 1n);
  return [`l${clock}${part}`, `u${clock - offset}${part}`, `z${offset} ${clock}${part}`];
}

/** The keys of a local time in a zone that is not known. */
export function clockKeys(text: string): readonly ValueKey[] {
  return [`s${text}`, ...keysOfTime(text).slice(0, 1)];
}

/** The keys of a time in UTC that is shown with an offset in minutes, e.g. of a DateTimeOffset. */
export function keysWithOffset(text: string, minutes: number): readonly ValueKey[] {
  const [, clock, part = ""] = /^u(-?\d+)(.*)$/.exec(keysOfTime(text)[1] ?? "") ?? [];
  if (clock === undefined || !Number.isInteger(minutes)) return [];
  return [`z${minutes * 60} ${BigInt(clock) + BigInt(minutes * 60)}${part}`];
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar. */
function daysOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const ofEra = y - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}

const durationForm = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,9}))?S)?)?$/;

function keysOfDuration(text: string): readonly ValueKey[] {
  const match = durationForm.exec(text);
  if (match === null) return [];
  const [, minus = "", days = "0", hours = "0", minutes = "0", seconds = "0", fraction = ""] = match;
  const whole = ((BigInt(days) * 24n + BigInt(hours)) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  return [durationKey(whole * 1_000_000_000n + BigInt(fraction.padEnd(9, "0")), minus)];
}

function durationKey(nanoseconds: bigint, minus: string = ""): ValueKey {
  return nanoseconds === 0n ? "d0" : `d${minus}${nanoseconds}`;
}

const guidForm = /^\{?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\}?$/i;

/** The keys of the meanings of text, besides the text itself. */
export function meaningsOf(text: string): readonly ValueKey[] {
  const first = text.charCodeAt(0);
  // Nearly all text is just text.
  if (first === 0x50 || (first === 0x2d && text.charCodeAt(1) === 0x50)) return keysOfDuration(text);
  const guid = text.length >= 36 && text.length <= 38 ? guidForm.exec(text)?.[1] : undefined;
  if (guid !== undefined) return [`g${guid.toLowerCase()}`];
  const isYear = text.charCodeAt(4) === 0x2d || first === 0x2b || first === 0x2d;
  if (isYear && text.length >= 10 && timeForm.test(text)) return keysOfTime(text);
  if (first === 0x2d || first === 0x2e || (first >= 0x30 && first <= 0x39)) {
    const number = text.length <= 4400 ? numberKey(text) : undefined;
    return number === undefined ? [] : [`m${number.slice(1)}`];
  }
  const end = first === 0x7b ? text.lastIndexOf("}") : -1;
  return end > 0 ? [`q${text.slice(end + 1)}`] : [];
}

/**
 * The keys of the meanings of source text: a time with an offset matches only that time with that offset; text matches a number only
 * if all numbers are text.
 */
export function sourceMeanings(text: string): readonly ValueKey[] {
  const keys = meaningsOf(text);
  const [first = ""] = keys;
  if (first.startsWith("m")) return [];
  return first.startsWith("l") ? keys.slice(-1) : keys;
}

/** The keys of text that may be any scalar: untyped XML, and values typed by a contract. */
export function keysOfUntyped(text: string): readonly ValueKey[] {
  const key = `s${text}`;
  const first = text.charCodeAt(0);
  // Nearly all text starts with a letter and has no other meaning.
  if (first > 0x39 && !special.has(first)) return [key];
  const plain = text.trim();
  const keys = [key, ...sourceMeanings(plain)];
  if (plain !== text) keys.push(`s${plain}`);
  if (plain.length <= 64 && /^[-+.\d]/.test(plain)) keys.push(...keysOfDigits(plain));
  if (plain === "true" || plain === "false") keys.push(`b${plain}`);
  else if (plain === "NaN" || plain === "INF" || plain === "-INF") keys.push(`n${plain}`);
  return keys;
}

/** The keys of text that may be a number or boolean in its shortest form, and otherwise stays as it is. */
export function keysOfGuessed(text: string): readonly ValueKey[] {
  const trimmed = `s${text.trim()}`;
  return keysOfUntyped(text).filter((key, index) => {
    if (key.startsWith("n")) return String(Number(text)) === text;
    return index === 0 || (key.startsWith("b") ? key.length === text.length + 1 : key !== trimmed);
  });
}

/** First characters of text that may have another type, besides digits and signs: `N`, `I`, `P`, `t`, `f`, `{`, and the digits of Guids. */
const special: ReadonlySet<number> = new Set(Array.from("NIPtf{abcdeABCDEF", (letter) => letter.charCodeAt(0)));

/** The keys of a qualified name in XML, which is looked up with its namespace. */
export function keysOfName([key = ""]: readonly ValueKey[]): readonly ValueKey[] {
  const colon = key.startsWith("s") ? key.indexOf(":") : -1;
  return colon < 0 ? [] : [`q${key.slice(colon + 1).trim()}`];
}

/** The keys of a scalar that a reader returned. */
export function keysOfScalar(value: unknown): readonly ValueKey[] {
  switch (typeof value) {
    case "string":
      return [`s${value}`];
    case "boolean":
      return [`b${value}`];
    case "number":
    case "bigint":
      return keysOfNumber(value);
    default:
      return typeof value === "object" && value !== null ? keysOfObject(value) : [];
  }
}

function keysOfObject(value: object): readonly ValueKey[] {
  if (value instanceof Uint8Array) return keysOfBytes(value);
  if (value instanceof Typed)
    return value.type === "uuid" ? sourceMeanings(String(value.value)) : keysOfScalar(value.value);
  if (value instanceof Date || value instanceof Instant || value instanceof TaggedScalar) {
    const text = scalarText(value);
    // The offset of a local time is that of a zone, which the tokens do not name.
    const isLocal = value instanceof DateTime && value.kind === "local" && value.offsetMinutes !== undefined;
    const keys = [`s${text}`, ...(isLocal ? meaningsOf(text).slice(1, 2) : sourceMeanings(text))];
    const number = value instanceof Decimal || value instanceof BigInteger ? numberKey(text) : undefined;
    return number === undefined ? keys : [...keys, number];
  }
  return [];
}
