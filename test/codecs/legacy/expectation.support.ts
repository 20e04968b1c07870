import { shortestSingle } from "../../../src/core/values/single.ts";

/** Whether a rendering is what the conventions expect: up to the numbering of `$id`, the order of members, and floats. */
export function differenceOf(expected: unknown, actual: unknown): string | undefined {
  return difference(expected, actual, "$", { expected: new Map(), actual: new Map() });
}

interface Ids {
  /** Number in the expectation → number in the rendering, and back. */
  readonly expected: Map<unknown, unknown>;
  readonly actual: Map<unknown, unknown>;
}

function difference(expected: unknown, actual: unknown, path: string, ids: Ids): string | undefined {
  if (typeof expected === "number" && typeof actual === "number") {
    // A float's expectation has as many digits as its language prints.
    const isShortest = actual === shortestSingle(Math.fround(expected));
    return expected === actual || isShortest ? undefined : `${path}: ${expected} is ${actual}`;
  }
  if (!isObject(expected) || !isObject(actual)) {
    return expected === actual ? undefined : `${path}: ${JSON.stringify(expected)} is ${JSON.stringify(actual)}`;
  }
  if (Array.isArray(expected) !== Array.isArray(actual)) return `${path}: only one is a list`;
  const names = Object.keys(expected);
  if (names.length !== Object.keys(actual).length || names.some((name) => !Object.hasOwn(actual, name))) {
    return `${path}: the members ${names.join()} are ${Object.keys(actual).join()}`;
  }
  for (const name of names) {
    const left = Reflect.get(expected, name);
    const right = Reflect.get(actual, name);
    if (name === "$id" || name === "$ref") {
      if ((ids.expected.get(left) ?? right) !== right || (ids.actual.get(right) ?? left) !== left)
        return `${path}: refers elsewhere`;
      ids.expected.set(left, right);
      ids.actual.set(right, left);
      continue;
    }
    const found = difference(left, right, `${path}.${name}`, ids);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
