import { classEscapes, propertySet } from "./character-classes.ts";
import { type CodePointSet, complement } from "./code-points.ts";
import { type PatternCursor, PatternError } from "./pattern-cursor.ts";

/** The characters of one atom; a range in a class may begin and end only with a single one. */
export interface AtomSet {
  readonly set: CodePointSet;
  readonly isSingle: boolean;
}

/** The set of one character. */
export function singleSet(symbol: string): AtomSet {
  return pointSet(symbol.codePointAt(0) ?? 0);
}

function pointSet(point: number): AtomSet {
  return { set: [[point, point]], isSingle: true };
}

/** Reads the rest of an escape for characters, after its backslash. */
export function readEscape(cursor: PatternCursor, isInClass: boolean): AtomSet {
  const at = cursor.at - 1;
  const letter = cursor.next();
  const named = classEscapes.get(letter);
  if (named !== undefined) return { set: named, isSingle: false };
  const control = controls.get(letter);
  if (control !== undefined) return pointSet(control);
  switch (letter) {
    case "":
      return cursor.fail("a backslash ends it", "", at);
    case "0":
      if (/[0-9]/.test(cursor.peek())) return cursor.fail("a number in octal", "Write it as \\x and two digits.", at);
      return pointSet(0);
    case "c": {
      const name = cursor.next();
      if (!/^[a-zA-Z]$/.test(name)) return cursor.fail("\\c needs a letter", "", at);
      return pointSet((name.codePointAt(0) ?? 0) % 32);
    }
    case "x":
      return pointSet(readHex(cursor, 2, at));
    case "u":
      return pointSet(readUnicode(cursor, at));
    case "p":
    case "P": {
      const set = readProperty(cursor, at);
      return { set: letter === "p" ? set : complement(set), isSingle: false };
    }
    default:
      if (isSyntax(letter) || (letter === "-" && isInClass)) return singleSet(letter);
      if (!cursor.isLoose || /[a-zA-Z0-9]/.test(letter)) return failUnknown(cursor, letter, at);
      return singleSet(letter);
  }
}

const controls: ReadonlyMap<string, number> = new Map([
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
]);

function isSyntax(symbol: string): boolean {
  return "^$\\.*+?()[]{}|/".includes(symbol);
}

/** Escapes of other dialects, and what to write here. */
const foreignEscapes: ReadonlyMap<string, string> = new Map([
  ["A", "Write ^ for the start of the text."],
  ["Z", "Write $ for the end of the text."],
  ["z", "Write $ for the end of the text."],
  ["a", "Write \\x07."],
  ["e", "Write \\x1b."],
  ["h", "Write [\\t ], or \\s for every space."],
  ["Q", "Write a backslash before each character that has a meaning."],
  ["E", "Write a backslash before each character that has a meaning."],
]);

function failUnknown(cursor: PatternCursor, letter: string, at: number): never {
  const meant = /[a-zA-Z0-9]/.test(letter) ? foreignEscapes.get(letter) : `Write ${letter} without the backslash.`;
  return cursor.fail(`ECMA-262 has no escape \\${letter}`, meant ?? "", at);
}

function readProperty(cursor: PatternCursor, at: number): CodePointSet {
  requireFlag(cursor);
  const [, name = ""] = cursor.match(/^\{([A-Za-z0-9_=]+)\}/, 100) ?? [];
  if (name === "") return cursor.fail("\\p names no property in braces", "Write one, e.g. \\p{L}.", at);
  try {
    return propertySet(name);
  } catch {
    return cursor.fail(`Unicode has no property ${name} that is known here`, "Write one, e.g. \\p{L}.", at);
  }
}

/** Refuses a pattern for what the flag `u` does not allow, if it has an escape that means nothing without the flag. */
function requireFlag({ refusedByFlag }: PatternCursor): void {
  if (refusedByFlag !== undefined) throw new PatternError(refusedByFlag);
}

function readUnicode(cursor: PatternCursor, at: number): number {
  if (cursor.peek() === "{") {
    requireFlag(cursor);
    const [, digits = ""] = cursor.match(/^\{([0-9a-fA-F]+)\}/, 100) ?? [];
    const point = digits === "" ? Number.NaN : Number.parseInt(digits, 16);
    return point <= 0x10ffff ? point : cursor.fail("\\u needs a code point in its braces", "", at);
  }
  const first = readHex(cursor, 4, at);
  if (first < 0xd800 || first > 0xdbff) return first;
  const [, digits = ""] = cursor.match(/^\\u([dD][c-fC-F][0-9a-fA-F]{2})/, 6) ?? [];
  return digits === "" ? first : 0x10000 + ((first - 0xd800) << 10) + (Number.parseInt(digits, 16) - 0xdc00);
}

function readHex(cursor: PatternCursor, length: 2 | 4, at: number): number {
  const [digits] = cursor.match(/^[0-9a-fA-F]+/, length) ?? [""];
  if (digits.length === length) return Number.parseInt(digits, 16);
  return cursor.fail(`an escape ends before its ${length} digits`, "", at);
}
