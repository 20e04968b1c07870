import { Typed } from "../../../src/core/values/typed.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { Decimal } from "../../../src/core/values/decimal.ts";
import { Duration } from "../../../src/core/values/duration.ts";
import { Uri, Version } from "../../../src/core/values/named-text.ts";
import { shortestSingle } from "../../../src/core/values/single.ts";
import { parseTime } from "../../../src/core/values/ticks.ts";
import type { ScalarKind } from "./scalar-kind.ts";

/** Minimum and maximum of the integer types represented as a number. */
const ranges: ReadonlyMap<ScalarKind, readonly [number, number]> = new Map<ScalarKind, readonly [number, number]>([
  ["sbyte", [-0x80, 0x7f]],
  ["byte", [0, 0xff]],
  ["short", [-0x8000, 0x7fff]],
  ["ushort", [0, 0xffff]],
  ["int", [-0x8000_0000, 0x7fff_ffff]],
  ["uint", [0, 0xffff_ffff]],
]);

const longs: ReadonlyMap<ScalarKind, readonly [bigint, bigint]> = new Map<ScalarKind, readonly [bigint, bigint]>([
  ["long", [-(2n ** 63n), 2n ** 63n - 1n]],
  ["ulong", [0n, 2n ** 64n - 1n]],
]);

const guidForm = /^\{?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\}?$/i;
const doubleForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/i;

/**
 * The value of a scalar's text (XML Schema Part 2), or `undefined` for text that is invalid for the type.
 *
 * `any`, `qname` and `dateTimeOffset` need more than text, so the result is `undefined`.
 */
export function scalarOfText(text: string, kind: ScalarKind): unknown {
  switch (kind) {
    case "string":
      return text;
    case "boolean":
      return booleans.get(text.trim());
    case "long":
    case "ulong":
      return longOf(text.trim(), kind);
    case "double":
    case "float":
      return doubleOf(text.trim(), kind === "float");
    case "decimal":
      return /^[+-]?\d{1,64}(?:\.\d{1,64})?$/.test(text.trim()) ? new Decimal(text.trim().replace("+", "")) : undefined;
    case "dateTime":
      return dateTimeOf(text.trim());
    case "timespan":
      return Duration.parse(text.trim());
    case "guid": {
      const guid = guidForm.exec(text.trim())?.[1];
      return guid === undefined ? undefined : new Typed("uuid", guid.toLowerCase());
    }
    case "uri":
      return new Uri(text);
    case "version":
      return /^\d+(?:\.\d+){1,3}$/.test(text.trim()) ? new Version(text.trim()) : undefined;
    case "char":
      return charOf(text);
    case "bytes":
      return bytesOf(text);
    case "any":
    case "qname":
    case "dateTimeOffset":
      return undefined;
    default:
      return integerOf(text.trim(), kind);
  }
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function integerOf(text: string, kind: ScalarKind): number | undefined {
  return /^[+-]?\d{1,12}$/.test(text) ? integerIn(Number(text), kind) : undefined;
}

/** The integer if it is in the type's range; otherwise `undefined`. */
export function integerIn(value: number, kind: ScalarKind): number | undefined {
  const [least, most] = ranges.get(kind) ?? [0, -1];
  return Number.isInteger(value) && value >= least && value <= most ? value + 0 : undefined;
}

function longOf(text: string, kind: ScalarKind): bigint | undefined {
  return /^[+-]?\d{1,40}$/.test(text) ? longIn(BigInt(text.replace("+", "")), kind) : undefined;
}

/** The integer if it is in the type's range; otherwise `undefined`. */
export function longIn(value: bigint, kind: ScalarKind): bigint | undefined {
  const [least, most] = longs.get(kind) ?? [0n, -1n];
  return value >= least && value <= most ? value : undefined;
}

/** XML Schema's names of numbers that are not finite. */
export const notFinite: ReadonlyMap<string, number> = new Map([
  ["INF", Infinity],
  ["-INF", -Infinity],
  ["NaN", Number.NaN],
]);

function doubleOf(text: string, single: boolean): number | undefined {
  const named = notFinite.get(text);
  if (named !== undefined) return named;
  if (!doubleForm.test(text)) return undefined;
  return single ? shortestSingle(Math.fround(Number(text))) : Number(text);
}

/** A time in XML: UTC with Z, local with an offset, otherwise unspecified. */
function dateTimeOf(text: string): DateTime | undefined {
  const time = parseTime(text);
  if (time === undefined) return undefined;
  if (time.utc) return new DateTime(time.ticks, "utc");
  return time.offsetMinutes === undefined
    ? new DateTime(time.ticks, "unspecified")
    : new DateTime(time.ticks, "local", time.offsetMinutes);
}

/** XML carries a char as its number, since XML does not allow every char. */
function charOf(text: string): Typed<"char"> | undefined {
  if (!/^\d{1,5}$/.test(text.trim())) return text.length === 1 ? new Typed("char", text) : undefined;
  const code = Number(text.trim());
  return code <= 0xffff ? charOfCode(code) : undefined;
}

/** The char of a UTF-16 unit; it may be half of a surrogate pair. */
export function charOfCode(code: number): Typed<"char"> {
  return new Typed("char", String.fromCharCode(code));
}

function bytesOf(text: string): Uint8Array | undefined {
  const compact = text.replaceAll(/[\t\n\r ]/g, "");
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return undefined;
  return Uint8Array.from(atob(compact), (character) => character.charCodeAt(0));
}

/**
 * The most likely value of untyped text: a number or boolean, if that would be written as exactly this text.
 *
 * `01`, `1.10` and `1E+100` stay text, so no digit is lost.
 */
export function canonicalScalar(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  if (text.length > 24 || !/^-?\d/.test(text)) return text;
  const number = Number(text);
  return String(number) === text && (Number.isSafeInteger(number) || !Number.isInteger(number)) ? number : text;
}
