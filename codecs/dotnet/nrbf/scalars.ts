import { BigInteger } from "../../../src/core/values/big-integer.ts";
import { DateTimeOffset } from "../../../src/core/values/date-time-offset.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { Decimal } from "../../../src/core/values/decimal.ts";
import { Duration } from "../../../src/core/values/duration.ts";
import { ClassName, Uri, Version } from "../../../src/core/values/named-text.ts";
import { QName } from "../../../src/core/values/q-name.ts";
import { offsetAtClock } from "../../../src/core/values/time-zone.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { Typed } from "../../../src/core/values/typed.ts";
import { shortestSingle } from "../../../src/core/values/single.ts";
import type { ClassView } from "./class-view.ts";
import { dataSet, isBinaryDataSet, isDataSet } from "./data-set.ts";
import { enumOf } from "./enums.ts";
import type { PrimitiveType, PrimitiveValue } from "./nodes.ts";
import { primitiveTypes } from "./record-types.ts";
import type { ValueSettings } from "./value-settings.ts";

type Reader = (view: ClassView, settings: ValueSettings) => unknown;

/** The name of the member in which a boxed primitive stores its value. */
const boxedMember = "m_value";

/** Classes whose objects become JavaScript values; an object that a reader rejects stays an object. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...Array.from(primitiveTypes.values(), (type): [string, Reader] => [`System.${type}`, boxedOf]),
  ["System.IntPtr", (view) => view.long("value")],
  ["System.UIntPtr", (view) => view.long("value")],
  ["System.Decimal", decimal],
  ["System.DateTime", dateTime],
  ["System.TimeSpan", (view) => duration(view.long("_ticks"))],
  ["System.DateTimeOffset", dateTimeOffset],
  ["System.Guid", guid],
  ["System.Uri", uri],
  ["System.Version", version],
  ["System.Numerics.BigInteger", bigInteger],
  ["System.Xml.XmlQualifiedName", qName],
  ["System.UnitySerializationHolder", unity],
  ["System.Globalization.CultureInfo", (view) => view.text("m_name")],
  ["System.Text.StringBuilder", (view) => view.text("m_StringValue")],
  ["System.Collections.BitArray", bitArray],
]);

/** Whether objects of a class with these members may become JavaScript values. */
export function isScalarClass(plainName: string, names: readonly string[]): boolean {
  return (
    readers.has(plainName) ||
    (names.length === 1 && names[0] === "value__") ||
    isDataSet(names) ||
    isBinaryDataSet(names)
  );
}

/** The JavaScript value of an object of a well-known class or of an enum, or `undefined`. */
export function scalarOf(view: ClassView, settings: ValueSettings): unknown {
  const reader = readers.get(view.plainName);
  if (reader !== undefined) return reader(view, settings);
  if (isBinaryDataSet(view.names))
    settings.warnings.add(
      `An object of ${view.plainName} was written with RemotingFormat.Binary: its members are shown, its columns and records among them, not its rows.`,
    );
  return isDataSet(view.names) ? dataSet(view, settings) : enumOf(view, settings.enums, settings.warnings);
}

/** The JavaScript value of a primitive: 64-bit integers are always bigints. */
export function primitiveOf(type: PrimitiveType, value: PrimitiveValue, settings: ValueSettings): unknown {
  switch (type) {
    case "Char":
      return charOf(String(value));
    case "Decimal":
      return new Decimal(String(value));
    case "TimeSpan":
      return Duration.fromTicks(BigInt(value));
    case "Single":
      return typeof value === "number" ? shortestSingle(value) : value;
    case "DateTime":
      return dateTimeOf(BigInt(value), settings);
    default:
      return value;
  }
}

/** A char, which may be half of a surrogate pair. */
function charOf(unit: string): Typed<"char"> {
  return unit.isWellFormed() ? typed.char(unit) : new Typed("char", unit);
}

function boxedOf(view: ClassView, settings: ValueSettings): unknown {
  const member = view.member(boxedMember);
  return member?.kind === "primitive" ? primitiveOf(member.type, member.value, settings) : undefined;
}

const maxScale = 28;

/** The 32 bits of an Int32, unsigned. */
function word(part: number): bigint {
  return BigInt(part >>> 0);
}

function decimal(view: ClassView): Decimal | undefined {
  const [flags, high, middle, low] = [view.int("flags"), view.int("hi"), view.int("mid"), view.int("lo")];
  if (flags === undefined || high === undefined || middle === undefined || low === undefined) return undefined;
  const scale = (flags >>> 16) & 0xff;
  if (scale > maxScale || (flags & 0x7f00_ffff) !== 0) throw view.malformed();
  const digits = `${(word(high) << 64n) | (word(middle) << 32n) | word(low)}`.padStart(scale + 1, "0");
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return new Decimal(`${flags < 0 ? "-" : ""}${text}`);
}

const ticksMask = (1n << 62n) - 1n;

/**
 * The 64 bits that .NET calls `dateData`: two for the kind, 62 for the ticks of the value's own clock. In the hour that
 * occurs twice in autumn, kind 3 is local in the first one, in summer time, and kind 2 in the second.
 */
function dateTimeOf(bits: bigint, { timeZone, warnings }: ValueSettings): DateTime {
  const ticks = bits & ticksMask;
  const kind = bits >> 62n;
  if (kind < 2n) return new DateTime(ticks, kind === 1n ? "utc" : "unspecified");
  if (timeZone === undefined) warnings.add(zoneAssumed);
  return new DateTime(ticks, "local", offsetAtClock(ticks, timeZone, kind === 3n ? "earlier" : "later"));
}

const zoneAssumed =
  "Local times were written without their offset, and the time zone of this process was assumed. Set that of the senders with timeZone.";

function dateTime(view: ClassView, settings: ValueSettings): DateTime | undefined {
  const bits = view.long("dateData");
  // .NET 1.1 wrote only ticks.
  const ticks = bits ?? view.long("ticks");
  return ticks === undefined ? undefined : dateTimeOf(BigInt.asUintN(64, ticks), settings);
}

function duration(ticks: bigint | undefined): Duration | undefined {
  return ticks === undefined ? undefined : Duration.fromTicks(ticks);
}

function dateTimeOffset(view: ClassView): DateTimeOffset | undefined {
  const minutes = view.int("OffsetMinutes");
  const member = view.member("DateTime");
  const bits = member?.kind === "primitive" ? member.value : view.inner("DateTime")?.long("dateData");
  if (minutes === undefined || typeof bits !== "bigint") return undefined;
  return new DateTimeOffset(bits & ticksMask, minutes);
}

function guid(view: ClassView): Typed<"uuid"> | undefined {
  const parts = ["_a", "_b", "_c", "_d", "_e", "_f", "_g", "_h", "_i", "_j", "_k"].map((name) => view.int(name));
  const hex = parts
    .map((part, index) => {
      const digits = index === 0 ? 8 : index < 3 ? 4 : 2;
      return BigInt.asUintN(digits * 4, BigInt(part ?? 0))
        .toString(16)
        .padStart(digits, "0");
    })
    .join("");
  if (parts.includes(undefined)) return undefined;
  return typed.uuid(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
}

/** An absolute URI, or the text of a relative one. */
function uri(view: ClassView): Uri | undefined {
  const absolute = view.text("AbsoluteUri");
  const relative = view.text("RelativeUri");
  if (absolute === undefined && relative === undefined) return undefined;
  return new Uri(absolute === undefined || absolute === "" ? (relative ?? "") : absolute);
}

function version(view: ClassView): Version | undefined {
  const parts = ["_Major", "_Minor", "_Build", "_Revision"].map((name) => view.int(name));
  if (parts[0] === undefined || parts[1] === undefined) return undefined;
  const end = parts.findIndex((part) => part === undefined || part < 0);
  return new Version(parts.slice(0, end === -1 ? 4 : end).join("."));
}

/** Maximum size of an integer in words: converting a longer one to digits takes too long. */
const maxWords = 512;

function bigInteger(view: ClassView, { budget }: ValueSettings): BigInteger | undefined {
  const sign = view.int("_sign");
  const words = view.member("_bits");
  if (sign === undefined || words === undefined) return undefined;
  if (words.kind === "null") return new BigInteger(BigInt(sign));
  if (words.kind !== "primitive-array" || words.type !== "UInt32" || words.values.length > maxWords) return undefined;
  // Many integers can share one array.
  budget.count(words.values.length, view.node.offset);
  const hex = Array.from(words.values, (part) => Number(part).toString(16).padStart(8, "0")).reverse();
  const size = BigInt(`0x0${hex.join("")}`);
  return new BigInteger(sign < 0 ? -size : size);
}

function qName(view: ClassView): QName | undefined {
  const local = view.text("name");
  return local === undefined ? undefined : new QName(view.text("ns") ?? "", local);
}

/** The form in which .NET writes a `Type`: its name; and `DBNull`. */
function unity(view: ClassView): ClassName | null | undefined {
  const runtimeType = 4;
  const dbNull = 2;
  const kind = view.int("UnityType");
  if (kind === dbNull) return null;
  const name = view.text("Data");
  return kind === runtimeType && name !== undefined ? new ClassName(name) : undefined;
}

/** The bits, least significant first in each integer. */
function bitArray(view: ClassView, { budget }: ValueSettings): readonly boolean[] | undefined {
  const words = view.member("m_array");
  const length = view.int("m_length");
  if (words?.kind !== "primitive-array" || words.type !== "Int32" || length === undefined) return undefined;
  if (length < 0 || length > words.values.length * 32) throw view.malformed();
  // Many can share one array.
  budget.count(length, view.node.offset);
  return Array.from({ length }, (_, at) => ((Number(words.values[at >> 5]) >>> (at & 31)) & 1) === 1);
}
