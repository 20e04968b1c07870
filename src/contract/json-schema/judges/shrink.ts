import { isObject, objectOf, weight } from "../json-value.ts";

const maxTries = 1500;

/** With more members or items than this, several are removed at a time at first. */
const maxSingleCuts = 8;

/**
 * A smaller value that still passes `keeps`, found by removing and simplifying parts. `take` is asked before each try, with
 * the size of the value to make; the search ends when it returns false.
 */
export function shrink(value: unknown, keeps: (value: unknown) => boolean, take: (steps: number) => boolean): unknown {
  let best = value;
  let size = weight(value);
  let tries = 0;
  for (let improved = true; improved && tries < maxTries;) {
    improved = false;
    for (const candidate of simpler(best)) {
      if (++tries > maxTries || !take(size)) return best;
      const smaller = weight(candidate);
      if (smaller >= size || !keeps(candidate)) continue;
      best = candidate;
      size = smaller;
      improved = true;
      break;
    }
  }
  return best;
}

function* simpler(value: unknown): Generator {
  if (Array.isArray(value)) {
    if (value.length > 0) yield [];
    for (const [from, count] of cuts(value.length)) yield value.toSpliced(value.length - from - count, count);
    for (const [at, item] of value.entries()) for (const smaller of lighter(item)) yield value.with(at, smaller);
  } else if (isObject(value)) {
    const entries = Object.entries(value);
    if (entries.length > 0) yield {};
    for (const [from, count] of cuts(entries.length)) yield objectOf(entries.toSpliced(from, count));
    for (const [at, [name, member]] of entries.entries())
      for (const smaller of lighter(member)) yield objectOf(entries.with(at, [name, smaller]));
  } else if (typeof value === "string") yield* shorter(value);
  else if (typeof value === "number") yield* [0, 1, -1, Math.trunc(value), Math.trunc(value / 2)];
  else if (value === true) yield false;
  if (value !== null && typeof value !== "boolean") yield* [null, 0, ""];
}

function* lighter(value: unknown): Generator {
  const own = weight(value);
  for (const smaller of simpler(value)) if (weight(smaller) < own) yield smaller;
}

/** The runs to remove from a list: halves, then quarters and so on, each from first to last. */
function* cuts(length: number): Generator<readonly [from: number, count: number]> {
  for (let count = length > maxSingleCuts ? length >> 1 : 1; count >= 1; count >>= 1)
    for (let from = 0; from + count <= length; from += count) yield [from, count];
}

function* shorter(text: string): Generator<string> {
  if (text.length === 0) return;
  yield "";
  yield "a";
  const symbols = Array.from(text);
  if (symbols.length > 3) {
    yield symbols.slice(0, symbols.length >> 1).join("");
    yield symbols.slice(symbols.length >> 1).join("");
  }
  for (let at = 0; at < Math.min(symbols.length, 40); at++) yield symbols.toSpliced(at, 1).join("");
}
