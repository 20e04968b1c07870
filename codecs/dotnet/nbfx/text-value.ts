import { Typed } from "../../../src/core/values/typed.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { Decimal } from "../../../src/core/values/decimal.ts";
import { Duration } from "../../../src/core/values/duration.ts";
import { maxTicks, ticksPerDay, ticksPerMinute } from "../../../src/core/values/ticks.ts";
import { offsetAt } from "../../../src/core/values/time-zone.ts";
import type { NbfxCursor } from "./cursor.ts";

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
/** The order of a .NET Guid's bytes in its text: the first three fields are little-endian. */
const guidOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15] as const;

/** The text of a Guid of 16 bytes. */
export function readGuidText(cursor: NbfxCursor): string {
  const start = cursor.take(16);
  let text = "";
  for (const [index, from] of guidOrder.entries()) {
    text += `${index === 4 || index === 6 || index === 8 || index === 10 ? "-" : ""}${hex[cursor.bytes[start + from] ?? 0]}`;
  }
  return text;
}

/** UuidText: a Guid. */
export function readUuid(cursor: NbfxCursor): Typed<"uuid"> {
  return new Typed("uuid", readGuidText(cursor));
}

/** DecimalText: OLE's DECIMAL of 16 bytes. */
export function readDecimal(cursor: NbfxCursor): Decimal {
  const start = cursor.take(16);
  const { view } = cursor;
  const scale = view.getUint8(start + 2);
  const sign = view.getUint8(start + 3);
  if (scale > 28 || (sign & 0x7f) !== 0 || view.getUint16(start, true) !== 0) {
    throw cursor.broken("has a decimal that .NET does not have", start);
  }
  const high = view.getUint32(start + 4, true);
  const middle = view.getUint32(start + 12, true);
  const low = view.getUint32(start + 8, true);
  const small = high === 0 && middle < 0x20_0000;
  const digits = small
    ? String(middle * 0x1_0000_0000 + low)
    : ((BigInt(high) << 64n) | (BigInt(middle) << 32n) | BigInt(low)).toString();
  const padded = digits.padStart(scale + 1, "0");
  const point = padded.length - scale;
  const text = scale === 0 ? padded : `${padded.slice(0, point)}.${padded.slice(point)}`;
  return new Decimal(sign === 0 ? text : `-${text}`);
}

const kindShift = 62n;
const ticksMask = (1n << kindShift) - 1n;

/** DateTimeText: DateTime.ToBinary; a local time is stored as UTC. */
export function readDateTime(cursor: NbfxCursor, timeZone: string | undefined): DateTime {
  const start = cursor.take(8);
  const bits = cursor.view.getBigUint64(start, true);
  const kind = Number(bits >> kindShift);
  let ticks = bits & ticksMask;
  // East of Greenwich, the first hours of year 1 are before year 1 in UTC: negative numbers of 62 bits.
  if (kind >= 2 && ticks > ticksMask - ticksPerDay) ticks -= ticksMask + 1n;
  if (ticks > maxTicks + (kind >= 2 ? ticksPerDay : 0n)) throw cursor.broken("has a time beyond the year 9999", start);
  if (kind < 2) return new DateTime(ticks, kind === 1 ? "utc" : "unspecified");
  const offset = offsetAt(ticks, timeZone);
  const clock = ticks + BigInt(offset) * ticksPerMinute;
  // .NET clamps times that the zone moves beyond its calendar.
  return new DateTime(clock < 0n ? 0n : clock > maxTicks ? maxTicks : clock, "local", offset);
}

/** TimeSpanText: ticks. */
export function readTimeSpan(cursor: NbfxCursor): Duration {
  return Duration.fromTicks(cursor.view.getBigInt64(cursor.take(8), true));
}

/** BoolText: 0 or 1. */
export function readBool(cursor: NbfxCursor): boolean {
  const start = cursor.at;
  const byte = cursor.byte();
  if (byte > 1) throw cursor.broken("has a boolean that is neither 0 nor 1", start);
  return byte === 1;
}

/** A length of two bytes. */
export function readUint16(cursor: NbfxCursor): number {
  return cursor.view.getUint16(cursor.take(2), true);
}

/** A length of four bytes; its highest bit does not count. */
export function readInt31(cursor: NbfxCursor): number {
  const start = cursor.take(4);
  const length = cursor.view.getInt32(start, true);
  if (length < 0) throw cursor.broken("has a negative length", start);
  return length;
}
