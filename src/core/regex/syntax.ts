/** An inclusive range of code points. */
export type CodePointRange = readonly [first: number, last: number];

/** A regular expression as a tree; look-around and back references have no finite automaton here. */
export type RegexNode =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly ranges: readonly CodePointRange[] }
  | { readonly kind: "sequence"; readonly parts: readonly RegexNode[] }
  | { readonly kind: "choice"; readonly parts: readonly RegexNode[] }
  | { readonly kind: "repeat"; readonly part: RegexNode; readonly min: number; readonly max: number }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "boundary"; readonly negated: boolean };

/** The greatest code point. */
export const lastCodePoint = 0x10ffff;

/** Sorts and joins ranges. */
export function joined(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const result: CodePointRange[] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = result.at(-1);
    if (before !== undefined && first <= before[1] + 1)
      result[result.length - 1] = [before[0], Math.max(before[1], last)];
    else result.push([first, last]);
  }
  return result;
}

/** All code points except those of `ranges`. */
export function complement(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const result: CodePointRange[] = [];
  let next = 0;
  for (const [first, last] of joined(ranges)) {
    if (first > next) result.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= lastCodePoint) result.push([next, lastCodePoint]);
  return result;
}

/** The code points of words by ECMA-262. */
export function isWord(point: number): boolean {
  return word.some(([first, last]) => point >= first && point <= last);
}

const digits: readonly CodePointRange[] = [[48, 57]];
export const word: readonly CodePointRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const lineEnds: readonly CodePointRange[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const space: readonly CodePointRange[] = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** The sets that a letter behind a backslash names, and the full stop. */
export const namedSets: Readonly<Record<string, readonly CodePointRange[]>> = {
  ".": complement(lineEnds),
  d: digits,
  D: complement(digits),
  w: word,
  W: complement(word),
  s: space,
  S: complement(space),
};

const properties = new Map<string, readonly CodePointRange[]>();

/**
 * The code points with a property of Unicode, e.g. `L` or `Script=Greek`.
 *
 * @throws SyntaxError for a property that the runtime does not know.
 */
export function propertySet(name: string): readonly CodePointRange[] {
  const known = properties.get(name);
  if (known !== undefined) return known;
  const having = new RegExp(`\\p{${name}}+`, "gu");
  const ranges: CodePointRange[] = [];
  for (const [first, last] of planes) {
    const text = Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).join("");
    const width = first > 0xffff ? 2 : 1;
    for (const { 0: run, index } of text.matchAll(having)) {
      const start = first + index / width;
      ranges.push([start, start + run.length / width - 1]);
    }
  }
  const made = joined(ranges);
  properties.set(name, made);
  return made;
}

/** Runs of code points that may be neighbours in a text; those of one run have the same width. */
const planes: readonly CodePointRange[] = [
  [0, 0xd7ff],
  [0xe000, 0xffff],
  ...Array.from({ length: 16 }, (_, plane): CodePointRange => [(plane + 1) * 0x10000, (plane + 2) * 0x10000 - 1]),
];
