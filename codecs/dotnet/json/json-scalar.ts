import { Typed } from "../../../src/envelope/typed.ts";
import { DateTime } from "../../../src/values/date-time.ts";
import { Decimal } from "../../../src/values/decimal.ts";
import { QName } from "../../../src/values/q-name.ts";
import { maxTicks, millisecondsToTicks, ticksPerMinute } from "../../../src/values/ticks.ts";
import type { ScalarKind } from "../data-contract/scalar-kind.ts";
import { notFinite, scalarOfText } from "../data-contract/scalar-text.ts";
import type { JsonScalarNode } from "./json-node.ts";

const dateForm = /^\/Date\((-?\d{1,15})(?:([+-])(\d\d)(\d\d))?\)\/$/;

/** The time of `/Date(1719828000000+0200)/`: UTC milliseconds, and the offset of a local time; or `undefined`. */
export function jsonDate(text: string): DateTime | undefined {
  const match = dateForm.exec(text);
  if (match === null) return undefined;
  const [, milliseconds, sign, hours, minutes] = match;
  const utc = millisecondsToTicks(Number(milliseconds));
  if (sign === undefined) return isTime(utc) ? new DateTime(utc, "utc") : undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const clock = utc + BigInt(offset) * ticksPerMinute;
  return isTime(clock) ? new DateTime(clock, "local", offset) : undefined;
}

function isTime(ticks: bigint): boolean {
  return ticks >= 0n && ticks <= maxTicks;
}

/** The value of a scalar of unknown type; a date is told by its form. */
export function untypedJson(node: JsonScalarNode): unknown {
  if (node.kind === "literal") return node.value;
  return node.kind === "string" ? (jsonDate(node.value) ?? node.value) : untypedNumber(node.text);
}

/** Digits that a double surely keeps, and that .NET writes at most. */
const mostDigits = 17;

function untypedNumber(text: string): unknown {
  const number = Number(text);
  // Zero alone is written so, and -0 is none.
  if (Number.isSafeInteger(number) && text.length <= 16 && !/[.eE]|^-0/.test(text)) return number;
  const special = notFinite.get(text);
  if (special !== undefined) return special;
  if (/^-?\d+$/.test(text)) {
    if (Number.isSafeInteger(number)) return number;
    return text.length <= 64 ? BigInt(text) : new Decimal(text);
  }
  const digits = text
    .replace(/[eE].*/, "")
    .replaceAll(/\D/g, "")
    .replace(/^0+/, "").length;
  // .NET writes doubles without trailing zeros, so 1.10 was a decimal.
  const isDecimal = digits > mostDigits || /\.\d*0$/.test(text) || !Number.isFinite(number);
  return isDecimal ? new Decimal(text) : number;
}

/** The value of a scalar of known type, or `undefined` when the JSON does not fit it. */
export function typedJson(node: JsonScalarNode, kind: ScalarKind): unknown {
  if (node.kind === "literal") return kind === "boolean" ? node.value : undefined;
  if (node.kind === "number") return numberOf(node.text, kind);
  switch (kind) {
    case "dateTime":
      return jsonDate(node.value);
    case "char":
      return node.value.length === 1 ? new Typed("char", node.value) : undefined;
    case "qname":
      return qNameOf(node.value);
    case "string":
    case "guid":
    case "timespan":
    case "uri":
      return scalarOfText(node.value, kind);
    case "decimal":
    case "long":
    case "ulong":
      return scalarOfText(node.value, kind);
    default:
      return undefined;
  }
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
  return numeric.has(kind) ? scalarOfText(text, kind) : undefined;
}

/** `local:namespace`. */
function qNameOf(text: string): QName {
  const colon = text.indexOf(":");
  return colon === -1 ? new QName("", text) : new QName(text.slice(colon + 1), text.slice(0, colon));
}
