import { type CodePointRange, type CodePointSet, complement, joined } from "./code-points.ts";
import type { PatternCursor } from "./pattern-cursor.ts";
import { type AtomSet, readEscape, singleSet } from "./read-escape.ts";

/** Reads a class after its opening bracket. `[]` has no character, and `[^]` every one. */
export function readClass(cursor: PatternCursor): CodePointSet {
  const at = cursor.at - 1;
  const isNegated = cursor.take("^");
  const ranges: CodePointRange[] = [];
  while (!cursor.take("]")) {
    if (cursor.isAtEnd) return cursor.fail("a class is not closed", "", at);
    const from = cursor.at;
    const first = readMember(cursor);
    if (cursor.peek() !== "-" || cursor.peek(1) === "]" || cursor.peek(1) === "") {
      ranges.push(...first.set);
      continue;
    }
    cursor.next();
    ranges.push(...rangeOf(first, readMember(cursor), cursor, from));
  }
  const set = joined(ranges);
  return isNegated ? complement(set) : set;
}

function readMember(cursor: PatternCursor): AtomSet {
  if (cursor.isLoose && cursor.match(/^\[:\^?[a-z]+:\]/, 16) !== undefined)
    return cursor.fail("ECMA-262 has no classes with names in [: and :]", "Write a class, e.g. a-z, or \\p{L}.");
  if (cursor.take("\\b")) return singleSet("\b");
  const symbol = cursor.next();
  return symbol === "\\" ? readEscape(cursor, true) : singleSet(symbol);
}

function rangeOf(first: AtomSet, last: AtomSet, cursor: PatternCursor, at: number): readonly CodePointRange[] {
  if (!first.isSingle || !last.isSingle) {
    if (cursor.isLoose) return [...first.set, ...singleSet("-").set, ...last.set];
    return cursor.fail("a range begins or ends with a set", "Write \\- for a hyphen.", at);
  }
  const [low, high] = [first.set[0]?.[0] ?? 0, last.set[0]?.[0] ?? 0];
  if (low > high) return cursor.fail("a range ends before it begins", "Write \\- for a hyphen.", at);
  return [[low, high]];
}
