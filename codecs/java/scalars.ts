import type { ItemBudget } from "../../src/core/codec/binary/cursor.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { BigInteger } from "../../src/core/values/big-integer.ts";
import { Decimal } from "../../src/core/values/decimal.ts";
import { IsoTime } from "../../src/core/values/iso-time.ts";
import { LocalDate } from "../../src/core/values/local-time.ts";
import { millisecondsToTicks } from "../../src/core/values/ticks.ts";
import { offsetAt } from "../../src/core/values/time-zone.ts";
import { Uri } from "../../src/core/values/named-text.ts";
import { typed } from "../../src/core/values/typed-makers.ts";
import { Typed } from "../../src/core/values/typed.ts";
import { BlockReader, malformed } from "./block-reader.ts";
import { primitiveIn, primitiveSizes } from "./cursor.ts";
import { instantText, offsetText } from "./iso-text.ts";
import { readJavaTime } from "./java-time.ts";
import type { ObjectNode, PrimitiveArrayNode } from "./nodes.ts";
import { ObjectView } from "./object-view.ts";

/** The reader's input besides the stream. */
export interface JavaSettings {
  readonly budget: ItemBudget;
  /** The zone of the senders. */
  readonly timeZone: string | undefined;
  /** Everything assumed, one sentence each. */
  readonly warnings: Set<string>;
}

type Reader = (view: ObjectView, settings: JavaSettings) => unknown;

const boxed: Reader = (view) => {
  const field = view.field("value");
  if (field?.kind !== "primitive") return undefined;
  return field.code === "C" ? charOf(`${field.value}`) : field.value;
};

/** Classes whose objects become JavaScript values; an object that a reader rejects stays an object. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...["Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short"].map((name): [string, Reader] => [
    `java.lang.${name}`,
    boxed,
  ]),
  ["java.math.BigInteger", bigInteger],
  ["java.math.BigDecimal", bigDecimal],
  ["java.util.Date", date],
  ["java.sql.Date", sqlDate],
  ["java.sql.Time", date],
  ["java.sql.Timestamp", date],
  ["java.util.UUID", uuid],
  ["java.net.URI", (view) => uriOf(view.text("string"))],
  ["java.net.URL", url],
  ["java.time.Ser", time],
  ["java.util.GregorianCalendar", calendar],
  ["java.util.Locale", locale],
  ["java.util.Currency", (view) => view.text("currencyCode")],
  ["java.lang.StringBuilder", stringBuilder],
  ["java.lang.StringBuffer", stringBuilder],
]);

/** Whether objects of a class may become JavaScript values. */
export function isScalarClass(name: string): boolean {
  return readers.has(name);
}

/** The JavaScript value of an object of a well-known class, or `undefined`. */
export function scalarOf(node: ObjectNode, settings: JavaSettings): unknown {
  return readers.get(node.description.name)?.(new ObjectView(node), settings);
}

/** A char, which may be half of a surrogate pair. */
export function charOf(unit: string): Typed<"char"> {
  return unit.isWellFormed() ? typed.char(unit) : new Typed("char", unit);
}

/** Maximum size of an integer in bytes: converting a longer one to digits takes too long. */
const maxMagnitude = 2048;

function integerOf(view: ObjectView, budget: ItemBudget): bigint | undefined {
  const magnitude = view.field("magnitude");
  const signum = view.int("signum");
  if (magnitude?.kind !== "primitive-array" || magnitude.code !== "B" || signum === undefined) return undefined;
  if (magnitude.length > maxMagnitude) {
    const text = `The integer at byte ${view.node.offset} of the Java stream takes more than ${maxMagnitude} bytes.`;
    throw new SobreError("LimitExceeded", text, { offset: view.node.offset });
  }
  // Many integers can share one array of digits, and many decimals one integer.
  budget.count(magnitude.length >> 3, view.node.offset);
  const { buffer, byteOffset } = magnitude.bytes;
  const size =
    magnitude.length === 0 ? 0n : BigInt(`0x${Buffer.from(buffer, byteOffset, magnitude.length).toString("hex")}`);
  if (Math.abs(signum) > 1 || (signum === 0) !== (size === 0n)) throw malformed("BigInteger", view.node.offset);
  return signum < 0 ? -size : size;
}

function bigInteger(view: ObjectView, { budget }: JavaSettings): BigInteger | undefined {
  const value = integerOf(view, budget);
  return value === undefined ? undefined : new BigInteger(value);
}

function bigDecimal(view: ObjectView, { budget }: JavaSettings): Decimal | undefined {
  const scale = view.int("scale");
  const unscaled = view.field("intVal");
  if (scale === undefined || unscaled?.kind !== "object") return undefined;
  const value = integerOf(new ObjectView(unscaled), budget);
  if (value === undefined) return undefined;
  const digits = `${value < 0n ? -value : value}`;
  return new Decimal(`${value < 0n ? "-" : ""}${decimalText(digits, scale)}`);
}

/** Digits with a scale, in the form of `BigDecimal.toString`; an exponent is never expanded. */
function decimalText(digits: string, scale: number): string {
  const exponent = digits.length - 1 - scale;
  if (scale === 0) return digits;
  if (scale > 0 && exponent >= -6) {
    const padded = digits.padStart(scale + 1, "0");
    return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
  }
  const mantissa = digits.length === 1 ? digits : `${digits.slice(0, 1)}.${digits.slice(1)}`;
  return exponent === 0 ? mantissa : `${mantissa}E${exponent > 0 ? "+" : ""}${exponent}`;
}

function date(view: ObjectView): IsoTime | undefined {
  const block = view.firstBlock("java.util.Date");
  if (block === undefined) return undefined;
  const milliseconds = new BlockReader(block.bytes, view.node.offset, "Date").i64();
  const fraction = ((milliseconds % 1000n) + 1000n) % 1000n;
  // A Timestamp stores whole seconds in the Date and the rest in its own field.
  const nanos = view.int("nanos") ?? Number(fraction) * 1_000_000;
  if (nanos < 0 || nanos > 999_999_999) throw malformed("Timestamp", view.node.offset);
  return new IsoTime(instantText((milliseconds - fraction) / 1000n, nanos), "utc");
}

/** A date, which Java stores as its midnight in the sender's time zone. */
function sqlDate(view: ObjectView, settings: JavaSettings): IsoTime | LocalDate | undefined {
  const { timeZone, warnings } = settings;
  const moment = date(view);
  if (moment === undefined) return undefined;
  if (timeZone === undefined) {
    warnings.add(zoneNeeded);
    return moment;
  }
  const milliseconds = moment.toDate().getTime();
  if (Number.isNaN(milliseconds)) return moment;
  const offset = offsetAt(millisecondsToTicks(milliseconds), timeZone);
  return new LocalDate(instantText(BigInt(Math.floor(milliseconds / 1000) + offset * 60), 0).slice(0, -10));
}

const zoneNeeded =
  "A java.sql.Date is a day in the zone of its sender, and was read as a moment in UTC; name the zone with timeZone.";

/** An instant with the local time of its zone. */
function calendar(view: ObjectView): IsoTime | undefined {
  const milliseconds = view.long("time");
  const zone = view.field("zone");
  if (milliseconds === undefined || zone?.kind !== "object") return undefined;
  const zoneView = new ObjectView(zone);
  const id = zoneView.text("ID");
  const rawOffset = zoneView.int("rawOffset");
  const seconds = zoneSeconds(id, milliseconds) ?? (rawOffset === undefined ? undefined : Math.trunc(rawOffset / 1000));
  // No clock is a day off.
  if (id === undefined || seconds === undefined || Math.abs(seconds) >= 86_400) return undefined;
  const fraction = Number(((milliseconds % 1000n) + 1000n) % 1000n);
  const clock = (milliseconds - BigInt(fraction)) / 1000n + BigInt(seconds);
  const text = instantText(clock, fraction * 1_000_000).slice(0, -1);
  const region = /^[A-Z][A-Za-z]+\/[\w/+-]+$/.test(id) ? `[${id}]` : "";
  return new IsoTime(`${text}${offsetText(seconds)}${region}`, "offset");
}

/** Seconds east of UTC at an instant, or `undefined` for a zone unknown to this JavaScript engine. */
function zoneSeconds(id: string | undefined, milliseconds: bigint): number | undefined {
  try {
    return id === undefined || !dateRange(milliseconds)
      ? undefined
      : offsetAt(millisecondsToTicks(Number(milliseconds)), id) * 60;
  } catch {
    return undefined;
  }
}

/** Whether a Date can represent these milliseconds. */
function dateRange(milliseconds: bigint): boolean {
  return milliseconds <= 8_640_000_000_000_000n && milliseconds >= -8_640_000_000_000_000n;
}

/** The tag of a locale (BCP 47), e.g. `es-ES`. */
function locale(view: ObjectView): string | undefined {
  const language = view.text("language");
  if (language === undefined) return undefined;
  const rest = ["script", "country", "variant", "extensions"].map((name) => view.text(name) ?? "");
  return [language === "" ? "und" : language, ...rest]
    .filter((part) => part !== "")
    .join("-")
    .replaceAll("_", "-");
}

/** The characters in use, without spare capacity. */
function stringBuilder(view: ObjectView): string | undefined {
  const [written] = view.written("java.lang.StringBuilder");
  const characters = view.field("value") ?? written;
  const count = view.int("count") ?? view.writtenInt("java.lang.StringBuilder", 0);
  if (characters?.kind !== "primitive-array" || characters.code !== "C" || count === undefined) return undefined;
  if (count < 0 || count > characters.length) throw malformed("StringBuilder", view.node.offset);
  // Half of a surrogate pair and a byte-order mark are characters here.
  return Buffer.from(characters.bytes.subarray(0, count * 2))
    .swap16()
    .toString("utf16le");
}

function uuid(view: ObjectView): Typed<"uuid"> | undefined {
  const most = view.long("mostSigBits");
  const least = view.long("leastSigBits");
  if (most === undefined || least === undefined) return undefined;
  const hex = [most, least].map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, "0")).join("");
  return typed.uuid(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
}

function uriOf(text: string | undefined): Uri | undefined {
  return text === undefined ? undefined : new Uri(text);
}

/** As `URL.toExternalForm` writes it. */
function url(view: ObjectView): Uri | undefined {
  const protocol = view.text("protocol");
  if (protocol === undefined) return undefined;
  const authority = view.text("authority") ?? "";
  const ref = view.text("ref");
  const host = authority === "" ? "" : `//${authority}`;
  return new Uri(`${protocol}:${host}${view.text("file") ?? ""}${ref === undefined ? "" : `#${ref}`}`);
}

function time(view: ObjectView): unknown {
  const block = view.firstBlock("java.time.Ser");
  return block === undefined ? undefined : readJavaTime(block.bytes, view.node.offset);
}

/** The value of an array of primitives: a view of its bytes, or a list. */
export function primitivesOf({ code, length, bytes }: PrimitiveArrayNode): Uint8Array | readonly unknown[] {
  if (code === "B") return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = primitiveSizes[code];
  const values: unknown[] = [];
  for (let at = 0; at < length * size; at += size) {
    const value = primitiveIn(view, code, at);
    values.push(code === "C" ? charOf(String(value)) : value);
  }
  return values;
}
