import type { ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import { readTimeSpan } from "../../../core/time/duration.ts";
import { isSymbolText, typed } from "../../../core/values/typed-makers.ts";
import { type AmqpType, Typed } from "../../../core/values/typed.ts";
import { toSql } from "./values.ts";

/** The types that values are converted to. */
type ValueType = Exclude<AmqpType, "described" | "array"> | "boolean" | "string" | "date" | "binary" | "timespan";

/**
 * A value converted to the type of the one that it replaces, which is what `SET` does; one that cannot be converted is left
 * alone. A number is converted only if it stays the same.
 */
export function convertedTo(
  existing: ApplicationPropertyValue | undefined,
  value: ApplicationPropertyValue,
): ApplicationPropertyValue {
  const type = typeOf(existing);
  if (type === undefined || value === null || typeOf(value) === type) return value;
  return convert(value, type) ?? value;
}

/** The text of a value, as a property whose type is text has it; `undefined` for bytes. */
export function propertyText(value: ApplicationPropertyValue): string | undefined {
  if (value instanceof Typed && value.type === "described") return undefined;
  const plain = toSql(value);
  if (typeof plain === "boolean") return plain ? "True" : "False";
  if (plain instanceof Date) return plain.toISOString();
  return plain === undefined || plain instanceof Uint8Array ? undefined : String(plain);
}

/** A time from its text. */
export function propertyTime(value: ApplicationPropertyValue): Date | undefined {
  if (value instanceof Date) return value;
  const time = typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : new Date(time);
}

function typeOf(value: ApplicationPropertyValue | undefined): ValueType | undefined {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "bigint":
      return value < 2n ** 63n ? "long" : "ulong";
    case "number":
      if (!Number.isSafeInteger(value)) return "double";
      return value === (value | 0) ? "int" : "long";
    default:
      if (value instanceof Date) return "date";
      if (value instanceof Uint8Array) return "binary";
      if (!(value instanceof Typed)) return undefined;
      return value.type === "described" ? describedTypeOf(value) : value.type === "array" ? undefined : value.type;
  }
}

const timespan = typed.symbol("com.microsoft:timespan");

function describedTypeOf({ value }: Typed): ValueType | undefined {
  const descriptor = typeof value === "object" && "descriptor" in value ? value.descriptor : undefined;
  return descriptor instanceof Typed && descriptor.value === timespan.value ? "timespan" : undefined;
}

function convert(value: ApplicationPropertyValue, type: ValueType): ApplicationPropertyValue | undefined {
  const text = propertyText(value)?.trim();
  if (text === undefined) return undefined;
  switch (type) {
    case "string":
      return propertyText(value);
    case "boolean":
      return booleanOf(text, toSql(value));
    case "date":
      return propertyTime(value);
    case "timestamp":
    case "binary":
    case "decimal32":
    case "decimal64":
    case "decimal128":
      return undefined;
    case "double":
    case "float":
      return realOf(text, type);
    case "char":
      return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff)
        ? typed.char(text)
        : undefined;
    case "uuid":
      return uuid.test(text) ? typed.uuid(text.replace(/[{}]/g, "").toLowerCase()) : undefined;
    case "symbol":
      return isSymbolText(text) ? typed.symbol(text) : undefined;
    case "timespan":
      return spanOf(text);
    default:
      return wholeOf(text, type);
  }
}

const uuid = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;

function booleanOf(text: string, plain: ReturnType<typeof toSql>): boolean | undefined {
  if (typeof plain === "bigint" || typeof plain === "number") return Number(plain) !== 0;
  const lower = text.toLowerCase();
  return lower === "true" ? true : lower === "false" ? false : undefined;
}

function realOf(text: string, type: "double" | "float"): Typed | undefined {
  const number = text === "" || text.length > 400 ? NaN : Number(text);
  if (Number.isNaN(number)) return undefined;
  return type === "float" ? typed.float(Math.fround(number)) : typed.double(number);
}

const digits = /^[+-]?\d{1,20}(?:\.0{0,20})?$/;

type WholeType = "ubyte" | "ushort" | "uint" | "ulong" | "byte" | "short" | "int" | "long";

/** The smallest and the largest value of each type. */
const bounds: Readonly<Record<WholeType, readonly [least: bigint, most: bigint]>> = {
  ubyte: [0n, 2n ** 8n - 1n],
  ushort: [0n, 2n ** 16n - 1n],
  uint: [0n, 2n ** 32n - 1n],
  ulong: [0n, 2n ** 64n - 1n],
  byte: [-(2n ** 7n), 2n ** 7n - 1n],
  short: [-(2n ** 15n), 2n ** 15n - 1n],
  int: [-(2n ** 31n), 2n ** 31n - 1n],
  long: [-(2n ** 63n), 2n ** 63n - 1n],
};

function wholeOf(text: string, type: WholeType): ApplicationPropertyValue | undefined {
  const shown = text === "True" ? "1" : text === "False" ? "0" : text;
  if (!digits.test(shown)) return undefined;
  const number = BigInt(shown.replace(/^\+|\..*$/g, ""));
  const [least, most] = bounds[type];
  if (number < least || number > most) return undefined;
  if (type === "int") return Number(number);
  if (type === "long") return number;
  return type === "ulong" ? typed.ulong(number) : typed[type](Number(number));
}

function spanOf(text: string): Typed | undefined {
  const milliseconds = readTimeSpan(text);
  return milliseconds === undefined ? undefined : typed.described(timespan, BigInt(Math.round(milliseconds * 10_000)));
}
