import { shortestSingle } from "../../../src/core/values/single.ts";

/** Whether a rendering is the expected one, up to the renaming of ids and the rounding of System.Single. */
export function isExactly(actual: unknown, expected: unknown): boolean {
  return same(actual, expected, new Map());
}

function same(actual: unknown, expected: unknown, ids: Map<unknown, unknown>): boolean {
  if (typeof actual === "number" && typeof expected === "number") {
    return actual === expected || actual === shortestSingle(Math.fround(expected));
  }
  if (!isObject(actual) || !isObject(expected)) return actual === expected;
  if (Array.isArray(actual) !== Array.isArray(expected)) return false;
  const names = Object.keys(actual);
  if (names.length !== Object.keys(expected).length) return false;
  return names.every((name) => {
    if (!Object.hasOwn(expected, name)) return false;
    if (name === "$ref") return ids.get(actual[name]) === expected[name];
    if (name !== "$id") return same(actual[name], expected[name], ids);
    ids.set(actual[name], expected[name]);
    return true;
  });
}

/**
 * Whether a rendering says the same when types are left out: a guid is its text, an enum its name or number, bytes are
 * base64, a number is its digits. A char that came as a number, or a list that came as an object, is a difference.
 */
export function isLexically(actual: unknown, expected: unknown): boolean {
  return alike(bare(actual), bare(expected), new Map());
}

function alike(actual: unknown, expected: unknown, ids: Map<unknown, unknown>): boolean {
  if (typeof actual === "string" && typeof expected === "string") {
    return (
      actual === expected || (isNumber(actual) && isNumber(expected) && sameNumber(Number(actual), Number(expected)))
    );
  }
  if (expected instanceof Set || actual instanceof Set) {
    const left = actual instanceof Set ? actual : new Set([actual]);
    return [...left].some((one) => (expected instanceof Set ? expected.has(one) : expected === one));
  }
  if (!isObject(actual) || !isObject(expected)) return actual === expected;
  if (Array.isArray(actual) !== Array.isArray(expected)) return false;
  // XmlSerializer leaves out members that are null.
  const absent = Object.keys(expected).filter((name) => !Object.hasOwn(actual, name));
  if (absent.some((name) => expected[name] !== null)) return false;
  return Object.keys(actual).every((name) => {
    if (!Object.hasOwn(expected, name)) return false;
    if (name === "$ref") return ids.get(actual[name]) === expected[name];
    if (name !== "$id") return alike(bare(actual[name]), bare(expected[name]), ids);
    ids.set(actual[name], expected[name]);
    return true;
  });
}

function sameNumber(actual: number, expected: number): boolean {
  return actual === expected || actual === shortestSingle(Math.fround(expected));
}

function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:E[+-]?\d+)?$/i.test(text) && String(Number(text)).length <= 22;
}

const scalars = [
  "$int64",
  "$double",
  "$decimal",
  "$bigint",
  "$dateTime",
  "$dateTimeOffset",
  "$duration",
  "$guid",
  "$bytes",
];
const others = ["$char", "$uri", "$version", "$qname", "$class", "$date", "$time"];

/** A scalar as its text; an enum as the set of what it may be. */
function bare(value: unknown): unknown {
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  if (!isObject(value) || Array.isArray(value)) return value;
  for (const tag of [...scalars, ...others]) if (tag in value) return value[tag];
  if ("$enum" in value) return new Set([value["$enum"], value["value"]]);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
