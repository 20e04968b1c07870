import { Duration } from "../../src/core/values/duration.ts";
import { IsoTime, type IsoTimeKind } from "../../src/core/values/iso-time.ts";
import { LocalDate, LocalTime } from "../../src/core/values/local-time.ts";
import type { ObjectNode } from "./nodes.ts";
import { ObjectView } from "./object-view.ts";
import { BlockReader } from "./block-reader.ts";
import { dateText, instantText, offsetText, timeText, two, yearText } from "./iso-text.ts";

/** The classes of `java.time` by the first byte of `java.time.Ser`, from 1. */
const classes = [
  "Duration",
  "Instant",
  "LocalDate",
  "LocalTime",
  "LocalDateTime",
  "ZonedDateTime",
  "ZoneRegion",
  "ZoneOffset",
  "OffsetTime",
  "OffsetDateTime",
  "Year",
  "YearMonth",
  "MonthDay",
  "Period",
];

/** The class of `java.time` that an object represents, or `undefined`. */
export function javaTimeType(node: ObjectNode): string | undefined {
  const block = new ObjectView(node).firstBlock("java.time.Ser");
  const name = classes[(block?.bytes[0] ?? 0) - 1];
  return name && `java.time.${name}`;
}

/**
 * The value that `java.time.Ser` wrote: its first byte names the class, the rest is that class's `writeExternal`.
 *
 * `undefined` for a class without a value in JavaScript.
 */
export function readJavaTime(bytes: Uint8Array, offset: number): unknown {
  const reader = new BlockReader(bytes, offset, "java.time value");
  switch (reader.i8()) {
    case 1:
      return duration(reader.i64(), nanos(reader));
    case 2:
      return new IsoTime(instantText(reader.i64(), nanos(reader)), "utc");
    case 3:
      return new LocalDate(date(reader));
    case 4:
      return new LocalTime(time(reader));
    case 5:
      return isoTime(reader, `${date(reader)}T${time(reader)}`, "unspecified");
    case 6:
      return isoTime(reader, `${date(reader)}T${time(reader)}${offsetOf(reader)}${zone(reader)}`, "offset");
    case 7:
      return reader.text();
    case 8:
      return offsetOf(reader);
    case 9:
      return `${time(reader)}${offsetOf(reader)}`;
    case 10:
      return isoTime(reader, `${date(reader)}T${time(reader)}${offsetOf(reader)}`, "offset");
    case 11:
      return reader.i32();
    case 12:
      return `${yearText(reader.i32())}-${two(within(reader, reader.i8(), 1, 12))}`;
    case 13:
      return `--${two(within(reader, reader.i8(), 1, 12))}-${two(within(reader, reader.i8(), 1, 31))}`;
    case 14:
      return period(reader.i32(), reader.i32(), reader.i32());
    default:
      return undefined;
  }
}

function isoTime(reader: BlockReader, text: string, kind: IsoTimeKind): IsoTime {
  try {
    return new IsoTime(text, kind);
  } catch {
    // A day that does not exist in its month, or an invalid zone name.
    throw reader.broken();
  }
}

function within(reader: BlockReader, value: number, least: number, most: number): number {
  if (value < least || value > most) throw reader.broken();
  return value;
}

function nanos(reader: BlockReader): number {
  return within(reader, reader.i32(), 0, 999_999_999);
}

function date(reader: BlockReader): string {
  const year = reader.i32();
  const month = within(reader, reader.i8(), 1, 12);
  return dateText(year, month, within(reader, reader.i8(), 1, 31));
}

/** Hour, minute, second and nanosecond; the last one that is not zero is written inverted, and the rest is omitted. */
function time(reader: BlockReader): string {
  const parts: number[] = [];
  for (const most of [23, 59, 59]) {
    const part = reader.i8();
    parts.push(within(reader, part < 0 ? ~part : part, 0, most));
    if (part < 0) return timeText(parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0, 0);
  }
  return timeText(parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0, nanos(reader));
}

function offsetOf(reader: BlockReader): string {
  const quarters = reader.i8();
  const seconds = quarters === 127 ? reader.i32() : quarters * 900;
  return offsetText(within(reader, seconds, -64_800, 64_800));
}

/** The zone of a `ZonedDateTime`: a region in brackets, or nothing if there is only an offset. */
function zone(reader: BlockReader): string {
  const kind = reader.i8();
  if (kind === 7) return `[${reader.text()}]`;
  if (kind !== 8) throw reader.broken();
  offsetOf(reader);
  return "";
}

function duration(seconds: bigint, nano: number): Duration {
  const billion = 1_000_000_000n;
  const total = seconds * billion + BigInt(nano);
  const size = total < 0n ? -total : total;
  const whole = size / billion;
  const fraction = `${size % billion}`.padStart(9, "0").replace(/0+$/, "");
  const rest = `${whole % 60n}${fraction === "" ? "" : `.${fraction}`}`;
  const parts = [
    [whole / 3600n, "H"],
    [(whole / 60n) % 60n, "M"],
  ] as const;
  const clock = parts.map(([count, unit]) => (count === 0n ? "" : `${count}${unit}`)).join("");
  const text = `${clock}${rest === "0" ? "" : `${rest}S`}`;
  return new Duration(`${total < 0n ? "-" : ""}PT${text === "" ? "0S" : text}`);
}

/** A `Duration` if all parts have the same sign, otherwise Java's text: `P1Y-2M`. */
function period(years: number, months: number, days: number): Duration | string {
  const parts = [
    [years, "Y"],
    [months, "M"],
    [days, "D"],
  ] as const;
  const present = parts.filter(([count]) => count !== 0);
  const negative = present.every(([count]) => count < 0) && present.length > 0;
  if (!negative && present.some(([count]) => count < 0)) {
    return `P${present.map(([count, unit]) => `${count}${unit}`).join("")}`;
  }
  const text = present.map(([count, unit]) => `${Math.abs(count)}${unit}`).join("");
  return new Duration(`${negative ? "-" : ""}P${text === "" ? "0D" : text}`);
}
