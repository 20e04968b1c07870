import { isTime } from "../../src/core/envelope/bag.ts";

/** Deepest nesting that is written. */
export const maxWrittenDepth = 1000;

/**
 * Whether JSON.stringify writes a value without changing any of it, except for members that are `undefined`, and the value
 * has no member `__proto__`.
 *
 * It runs over every body: what it does not know it leaves to the slower writer, which is exact and names the path.
 */
export function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return isPlainNumber(value);
    case "object":
      return value === null || (depth < maxWrittenDepth && isPlainObject(value, depth + 1));
    default:
      return false;
  }
}

function isPlainObject(value: object, depth: number): boolean {
  if (Array.isArray(value)) return isPlainList(value, depth);
  return isRecord(value) ? isPlainRecord(value, depth) : isPlainDate(value);
}

/** Whether JSON.stringify writes a number so that it comes back as the same number: not `-0`, `NaN` or `2 ** 53`. */
export function isPlainNumber(value: number): boolean {
  const size = Math.abs(value);
  if (size <= Number.MAX_SAFE_INTEGER) return !Object.is(value, -0);
  // Integers beyond 2^53 would come back as bigint. From 1e21 up they are written with an exponent, and do not.
  return size >= 1e21 && size < Infinity;
}

function isPlainList(list: readonly unknown[], depth: number): boolean {
  // A hole reads as undefined, which is not plain.
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item !== "string" && !isPlain(item, depth)) return false;
  }
  return true;
}

function isPlainRecord(record: Readonly<Record<string, unknown>>, depth: number): boolean {
  for (const name in record) {
    const member = record[name];
    // Most members are strings or numbers; a call for each would show.
    if (name === "__proto__") return false;
    if (typeof member === "string" || member === undefined) continue;
    if (typeof member === "number" ? !isPlainNumber(member) : !isPlain(member, depth)) return false;
  }
  return true;
}

/** Whether an object is a plain one, as a literal or JSON.parse makes it. */
export function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isPlainDate(value: object): boolean {
  return isTime(value) && value.toJSON === Date.prototype.toJSON;
}
