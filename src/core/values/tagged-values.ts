import { DateTime } from "./date-time.ts";
import { DateTimeOffset } from "./date-time-offset.ts";
import { Decimal } from "./decimal.ts";
import { Duration } from "./duration.ts";
import { EnumValue } from "./enum-value.ts";
import { IsoTime } from "./iso-time.ts";
import { LocalDate, LocalTime } from "./local-time.ts";
import { ClassName, Uri, Version } from "./named-text.ts";
import { QName } from "./q-name.ts";
import { parseTime, ticksPerMinute } from "./ticks.ts";

type Reader = (content: string, rest: Partial<Record<string, unknown>>) => unknown;

const onlyMemberReader =
  (make: (content: string) => unknown): Reader =>
  (content, rest) => {
    if (Object.keys(rest).length > 0) throw new TypeError("a tag is the only member");
    return make(content);
  };

/** One reader per `$` key of `src/core/values` with text content; they throw for content of the wrong form. */
export const valueReaders: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["$decimal", onlyMemberReader((content) => new Decimal(content))],
  ["$date", onlyMemberReader((content) => new LocalDate(content))],
  ["$time", onlyMemberReader((content) => new LocalTime(content))],
  ["$uri", onlyMemberReader((content) => new Uri(content))],
  ["$version", onlyMemberReader((content) => new Version(content))],
  ["$class", onlyMemberReader((content) => new ClassName(content))],
  ["$qname", onlyMemberReader(qName)],
  ["$dateTimeOffset", onlyMemberReader(dateTimeOffset)],
  ["$duration", (content, { ticks, ...others }) => new Duration(content, only(others, optionalInteger(ticks)))],
  ["$enum", (content, { value, ...others }) => new EnumValue(content, only(others, optionalInteger(value)))],
]);

/** A `$dateTime` that a `Date` cannot hold: local, unspecified, finer than a millisecond, or only text. */
export function dateTime(content: string, rest: Partial<Record<string, unknown>>): DateTime | IsoTime {
  const { kind, ticks, ...others } = rest;
  if (kind === "unspecified" && ticks === undefined) return only(others, new IsoTime(content, kind));
  const count = only(others, optionalInteger(ticks));
  if (count === undefined || (kind !== "utc" && kind !== "local" && kind !== "unspecified")) {
    throw new TypeError("not a time");
  }
  const offset = parseTime(content)?.offsetMinutes;
  const read = new DateTime(count, kind, offset);
  if (read.toISO() !== content) throw new TypeError("text and ticks differ");
  return read;
}

function only<T>(others: object, value: T): T {
  if (Object.keys(others).length > 0) throw new TypeError("unknown members");
  return value;
}

function optionalInteger(content: unknown): bigint | undefined {
  if (content === undefined) return undefined;
  // BigInt reads "" as 0 and takes blanks, hexadecimal and more.
  if (typeof content !== "string" || !/^-?\d+$/.test(content)) throw new TypeError("not an integer");
  return BigInt(content);
}

function qName(content: string): QName {
  const [, namespace = "", local = content] = /^\{([^}]*)\}(.*)$/.exec(content) ?? [];
  return new QName(namespace, local);
}

function dateTimeOffset(content: string): DateTimeOffset | IsoTime {
  const ticks = /^@(-?\d+)([+-]\d\d:\d\d)$/.exec(content)?.[1];
  if (ticks !== undefined) return new DateTimeOffset(BigInt(ticks));
  const time = parseTime(content);
  if (time?.offsetMinutes === undefined || time.utc) return new IsoTime(content, "offset");
  const read = new DateTimeOffset(time.ticks - BigInt(time.offsetMinutes) * ticksPerMinute, time.offsetMinutes);
  // Times finer than a tick are kept as text.
  return /\.\d{8}/.test(content) ? new IsoTime(content, "offset") : read;
}
