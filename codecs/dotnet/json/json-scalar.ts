import { DateTime } from "../../../src/core/values/date-time.ts";
import type { BigInteger } from "../../../src/core/values/big-integer.ts";
import { isDouble } from "../../../src/core/values/single.ts";
import { Decimal } from "../../../src/core/values/decimal.ts";
import { EnumValue } from "../../../src/core/values/enum-value.ts";
import { QName } from "../../../src/core/values/q-name.ts";
import { maxTicks, millisecondsToTicks, ticksPerMinute } from "../../../src/core/values/ticks.ts";
import { Typed } from "../../../src/core/values/typed.ts";
import { bigIntegerOf } from "../data-contract/bcl-values.ts";
import type { ScalarKind } from "../data-contract/scalar-kind.ts";
import { notFinite, scalarOfText } from "../data-contract/scalar-text.ts";
import { enumOfNumber } from "../data-contract/scalar.ts";
import type { ContractEnumShape, ResolvedShape } from "../data-contract/shape.ts";
import { offsetTime, versionOf } from "../data-contract/system-values.ts";
import { jsonKind, type JsonTape } from "./json-tape.ts";

const dateForm = /^\/Date\((-?\d{1,15})(?:([+-])(\d\d)(\d\d))?\)\/$/;

/** The time of `/Date(1719828000000+0200)/`: UTC milliseconds, and the offset of a local time; or `undefined`. */
function jsonDate(text: string): DateTime | undefined {
  const match = dateForm.exec(text);
  if (match === null) return undefined;
  const [, milliseconds, sign, hours, minutes] = match;
  const utc = millisecondsToTicks(Number(milliseconds));
  if (sign === undefined) return isTime(utc) ? new DateTime(utc, "utc") : undefined;
  const written = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  // .NET writes -00:14 as +0014. Where that makes `default(DateTime)` of the time, it is meant.
  const isDefault = sign === "+" && written > 0 && written < 60 && utc === BigInt(written) * ticksPerMinute;
  const offset = isDefault ? -written : written;
  const clock = utc + BigInt(offset) * ticksPerMinute;
  return isTime(clock) ? new DateTime(clock, "local", offset) : undefined;
}

/** Whether text is a date with an offset of less than an hour, of which .NET loses the sign. */
export function hasUnsureOffset(text: string): boolean {
  return /^\/Date\(-?\d{1,15}\+00(?!00)\d\d\)\/$/.test(text);
}

function isTime(ticks: bigint): boolean {
  return ticks >= 0n && ticks <= maxTicks;
}

/** The value of a scalar of unknown type; a date is recognized by its form. */
export function untypedJson(tape: JsonTape, value: number): unknown {
  switch (tape.kind(value)) {
    case jsonKind.integer:
      return shortInteger(tape, value) ?? untypedNumber(tape.written(value));
    case jsonKind.number:
      return untypedNumber(tape.written(value));
    case jsonKind.plain:
    case jsonKind.escaped: {
      const text = tape.string(value);
      return text.startsWith("/Date(") ? (jsonDate(text) ?? text) : text;
    }
    default:
      return literalOf(tape, value);
  }
}

/** The boolean or null of a literal. */
function literalOf(tape: JsonTape, value: number): boolean | null {
  const kind = tape.kind(value);
  return kind === jsonKind.null ? null : kind === jsonKind.true;
}

/** Number of digits that a double always preserves. */
const shortest = 15;

/** A number with few digits, as most have, read without creating its text. */
function shortInteger(tape: JsonTape, value: number): number | undefined {
  const { text } = tape;
  const end = tape.end(value);
  let at = tape.start(value);
  const negative = text.charCodeAt(at) === 0x2d;
  if (negative) at++;
  if (end - at > shortest) return undefined;
  let sum = 0;
  for (; at < end; at++) sum = sum * 10 + text.charCodeAt(at) - 0x30;
  if (!negative) return sum;
  // As a double, -0 differs from 0, so it is not read as an integer.
  return sum === 0 ? undefined : -sum;
}

/** JSON writers say `Infinity`, too, where .NET says `INF`. */
export function withoutInfinity(text: string): string {
  return text.endsWith("Infinity") ? text.replace("Infinity", "INF") : text;
}

function untypedNumber(text: string): unknown {
  const special = notFinite.get(withoutInfinity(text));
  if (special !== undefined) return special;
  const number = Number(text);
  let digits = 0;
  let point = false;
  let last = 0;
  let at = text.charCodeAt(0) === 0x2d ? 1 : 0;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((unit | 0x20) === 0x65) break;
    if (unit === 0x2e) point = true;
    else if (digits > 0 || unit !== 0x30) digits++;
    last = unit;
  }
  if (!point && at === text.length) {
    if (Number.isSafeInteger(number)) return number;
    return text.length <= 64 ? BigInt(text) : new Decimal(text);
  }
  // .NET writes doubles without trailing zeros, so 1.10 was a decimal.
  const trailing = point && at === text.length && last === 0x30;
  return trailing || !Number.isFinite(number) || (digits > shortest && !isDouble(text)) ? new Decimal(text) : number;
}

/** The value of a scalar of known type, or `undefined` when the JSON does not fit it. */
export function typedJson(tape: JsonTape, value: number, kind: ScalarKind): unknown {
  if (tape.isNumber(value)) return numberOf(tape.written(value), kind);
  if (!tape.isString(value)) return kind === "boolean" ? literalOf(tape, value) : undefined;
  const text = tape.string(value);
  switch (kind) {
    case "dateTime":
      // Other writers of JSON use ISO 8601.
      return jsonDate(text) ?? scalarOfText(text, kind);
    case "char":
      return text.length === 1 ? new Typed("char", text) : undefined;
    case "qname":
      return qNameOf(text);
    case "string":
    case "guid":
    case "timespan":
    case "uri":
    case "decimal":
    case "long":
    case "ulong":
    // Other writers of JSON use texts for these.
    case "bytes":
    case "version":
      return scalarOfText(text, kind);
    default:
      return undefined;
  }
}

/** The value of an enumeration: its number, or a name, as from other writers of JSON; `undefined` for anything else. */
export function enumJson(tape: JsonTape, value: number, shape: ContractEnumShape): EnumValue | undefined {
  if (tape.kind(value) === jsonKind.integer && tape.end(value) - tape.start(value) <= 20) {
    return enumOfNumber(BigInt(tape.written(value)), shape);
  }
  if (!tape.isString(value)) return undefined;
  const name = tape.string(value);
  const number = shape.members.get(name) ?? shape.clrMembers.get(name);
  return number === undefined ? undefined : new EnumValue(name, number);
}

/** The bytes of a list of byte values, or `undefined` for any other list. */
export function bytesOf(tape: JsonTape, list: number): Uint8Array | undefined {
  const bytes: number[] = [];
  for (let item = list + 1; item < tape.end(list); item = tape.next(item)) {
    const text = tape.kind(item) === jsonKind.integer ? tape.written(item) : "";
    if (!/^\d{1,3}$/.test(text) || Number(text) > 255) return undefined;
    bytes.push(Number(text));
  }
  return Uint8Array.from(bytes);
}

const numeric: ReadonlySet<ScalarKind> = new Set([
  "byte",
  "sbyte",
  "short",
  "ushort",
  "int",
  "uint",
  "long",
  "ulong",
  "float",
  "double",
  "decimal",
] as const);

function numberOf(text: string, kind: ScalarKind): unknown {
  return numeric.has(kind) ? scalarOfText(withoutInfinity(text), kind) : undefined;
}

/** `local:namespace`. */
function qNameOf(text: string): QName {
  const colon = text.indexOf(":");
  return colon === -1 ? new QName("", text) : new QName(text.slice(colon + 1), text.slice(0, colon));
}

const versionParts = ["_Major", "_Minor", "_Build", "_Revision"];

/** The BigInteger that an object's fields represent, or `undefined`. */
function bigInteger(tape: JsonTape, object: number): BigInteger | undefined {
  const bits = tape.member(object, "_bits");
  const sign = bits === undefined ? undefined : tape.member(object, "_sign");
  if (bits === undefined || sign === undefined || !tape.isNumber(sign)) return undefined;
  if (tape.kind(bits) === jsonKind.null) return bigIntegerOf([], tape.written(sign));
  if (tape.kind(bits) !== jsonKind.list) return undefined;
  const words: string[] = [];
  for (let item = bits + 1; item < tape.end(bits); item = tape.next(item)) words.push(tape.written(item));
  return words.length === 0 ? undefined : bigIntegerOf(words, tape.written(sign));
}

/** The BigInteger, DateTimeOffset or Version that an object represents, or `undefined`. */
export function systemStruct(tape: JsonTape, object: number, shape: ResolvedShape | undefined): unknown {
  if (shape !== undefined && shape.kind !== "scalar") return undefined;
  // In a member declared as object, the first member is the name of the type.
  const count = tape.count(object, 5) - (tape.count(object, 0) > 0 && tape.isNamed(object + 1, "__type") ? 1 : 0);
  if (count === 2) {
    const big = bigInteger(tape, object);
    if (big !== undefined) return big;
    const time = tape.member(object, "DateTime");
    const minutes = time === undefined ? undefined : tape.member(object, "OffsetMinutes");
    if (time === undefined || minutes === undefined || !tape.isString(time)) return undefined;
    const utc = jsonDate(tape.string(time));
    const offset = tape.written(minutes);
    return utc instanceof DateTime && /^-?\d{1,3}$/.test(offset) ? offsetTime(utc, Number(offset)) : undefined;
  }
  if (count !== 4) return undefined;
  const parts: number[] = [];
  for (const name of versionParts) {
    const part = tape.member(object, name);
    if (part === undefined || tape.kind(part) !== jsonKind.integer || tape.end(part) - tape.start(part) > 11) {
      return undefined;
    }
    parts.push(Number(tape.written(part)));
  }
  return versionOf(parts);
}
