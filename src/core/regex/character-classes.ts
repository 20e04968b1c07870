import { memo } from "../values/memo.ts";
import { type CodePointRange, type CodePointSet, complement, joined } from "./code-points.ts";

/** The characters of `\w`, which also decide where `\b` is (ECMA-262, WordCharacters, without the flag `i`). */
export const wordCharacters: CodePointSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

const digits: CodePointSet = [[0x30, 0x39]];

/** ECMA-262, LineTerminator. */
const lineEnds: CodePointSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** ECMA-262, WhiteSpace and LineTerminator. */
const spaces: CodePointSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** The characters of the full stop. */
export const anyButLineEnds: CodePointSet = complement(lineEnds);

/** The characters that a letter behind a backslash stands for. */
export const classEscapes: ReadonlyMap<string, CodePointSet> = new Map([
  ["d", digits],
  ["D", complement(digits)],
  ["w", wordCharacters],
  ["W", complement(wordCharacters)],
  ["s", spaces],
  ["S", complement(spaces)],
]);

const properties = new Map<string, CodePointSet>();

/**
 * The code points with a property of Unicode, e.g. `L` or `Script=Greek`, in the version of Unicode that the runtime has.
 *
 * @throws SyntaxError for a property that the runtime does not know.
 */
export function propertySet(name: string): CodePointSet {
  return memo(properties, name, findProperty);
}

function findProperty(name: string): CodePointSet {
  const having = new RegExp(`\\p{${name}}+`, "gu");
  const one = new RegExp(`\\p{${name}}`, "u");
  const ranges: CodePointRange[] = [];
  const addAll = (first: number, last: number): void => {
    if (one.test(String.fromCodePoint(first))) ranges.push([first, last]);
  };
  for (const [first, last] of mixed) {
    const width = first > 0xffff ? 2 : 1;
    for (const { 0: found, index } of textOfRange(first, last).matchAll(having)) {
      const start = first + index / width;
      ranges.push([start, start + found.length / width - 1]);
    }
  }
  // In a text two surrogates would be one character.
  addAll(0xd800, 0xdfff);
  for (const plane of uniformPlanes) {
    addAll(plane * 0x10000, plane * 0x10000 + 0xfffd);
    addAll(plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff);
  }
  return joined(ranges);
}

/** Code points of different properties, in runs whose members have one width and may be neighbours in a text. */
const mixed: readonly CodePointRange[] = [
  [0, 0xd7ff],
  [0xe000, 0xffff],
  ...[1, 2, 3, 14].map((plane): CodePointRange => [plane * 0x10000, plane * 0x10000 + 0xffff]),
];

/** Planes for private use or not in use yet: their code points have the same properties, except the last two. */
const uniformPlanes: readonly number[] = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16];

function textOfRange(first: number, last: number): string {
  const isWide = first > 0xffff;
  const units = new Uint16Array((last - first + 1) * (isWide ? 2 : 1));
  let at = 0;
  for (let point = first; point <= last; point++) {
    if (isWide) units[at++] = 0xd7c0 + (point >> 10);
    units[at++] = isWide ? 0xdc00 + (point & 0x3ff) : point;
  }
  // A call takes only so many arguments.
  const part = 4096;
  return Array.from({ length: Math.ceil(units.length / part) }, (_, index) =>
    String.fromCharCode(...units.subarray(index * part, (index + 1) * part)),
  ).join("");
}
