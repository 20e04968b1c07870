import type { ItemBudget } from "../../src/codec/binary/cursor.ts";
import { SobreError } from "../../src/errors/sobre-error.ts";
import { BigInteger } from "../../src/values/big-integer.ts";
import { Decimal } from "../../src/values/decimal.ts";
import { IsoTime } from "../../src/values/iso-time.ts";
import { Uri } from "../../src/values/named-text.ts";
import { typed } from "../../src/values/typed-makers.ts";
import { Typed } from "../../src/values/typed.ts";
import { BlockReader, malformed } from "./block-reader.ts";
import { primitiveIn, primitiveSizes } from "./cursor.ts";
import { instantText } from "./iso-text.ts";
import { readJavaTime } from "./java-time.ts";
import type { ObjectNode, PrimitiveArrayNode } from "./nodes.ts";
import { ObjectView } from "./object-view.ts";

type Reader = (view: ObjectView, budget: ItemBudget) => unknown;

const boxed: Reader = (view) => {
  const field = view.field("value");
  if (field?.kind !== "primitive") return undefined;
  return field.code === "C" ? charOf(`${field.value}`) : field.value;
};

/** Classes of which an object is a value in JavaScript; what they do not read stays an object. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...["Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short"].map((name): [string, Reader] => [
    `java.lang.${name}`,
    boxed,
  ]),
  ["java.math.BigInteger", bigInteger],
  ["java.math.BigDecimal", bigDecimal],
  ["java.util.Date", date],
  ["java.sql.Date", date],
  ["java.sql.Time", date],
  ["java.sql.Timestamp", date],
  ["java.util.UUID", uuid],
  ["java.net.URI", (view) => uriOf(view.text("string"))],
  ["java.net.URL", url],
  ["java.time.Ser", time],
]);

/** Whether objects of a class may be values in JavaScript. */
export function isScalarClass(name: string): boolean {
  return readers.has(name);
}

/** The JavaScript value of an object of a well-known class, or `undefined`. */
export function scalarOf(node: ObjectNode, budget: ItemBudget): unknown {
  return readers.get(node.description.name)?.(new ObjectView(node), budget);
}

/** A char; a half of a surrogate pair too. */
export function charOf(unit: string): Typed<"char"> {
  return unit.isWellFormed() ? typed.char(unit) : new Typed("char", unit);
}

/** Beyond this an integer takes too long to write in digits. */
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

function bigInteger(view: ObjectView, budget: ItemBudget): BigInteger | undefined {
  const value = integerOf(view, budget);
  return value === undefined ? undefined : new BigInteger(value);
}

function bigDecimal(view: ObjectView, budget: ItemBudget): Decimal | undefined {
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
  // A Timestamp keeps whole seconds in the Date and the rest in its own field.
  const nanos = view.int("nanos") ?? Number(fraction) * 1_000_000;
  if (nanos < 0 || nanos > 999_999_999) throw malformed("Timestamp", view.node.offset);
  return new IsoTime(instantText((milliseconds - fraction) / 1000n, nanos), "utc");
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
