/** An inclusive range of code points. */
export type CodePointRange = readonly [first: number, last: number];

/** A set of code points: ranges in order that neither overlap nor touch. */
export type CodePointSet = readonly CodePointRange[];

/** The greatest code point. */
export const lastCodePoint = 0x10ffff;

/** The set of all code points in any of the ranges. */
export function joined(ranges: readonly CodePointRange[]): CodePointSet {
  const result: CodePointRange[] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = result.at(-1);
    if (before !== undefined && first <= before[1] + 1)
      result[result.length - 1] = [before[0], Math.max(before[1], last)];
    else result.push([first, last]);
  }
  return result;
}

/** All code points that are not in the set. */
export function complement(set: CodePointSet): CodePointSet {
  const result: CodePointRange[] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) result.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= lastCodePoint) result.push([next, lastCodePoint]);
  return result;
}

/** Whether a code point is in the set. */
export function contains(set: CodePointSet, point: number): boolean {
  let [low, high] = [0, set.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = set[middle] ?? [0, -1];
    if (point < first) high = middle - 1;
    else if (point > last) low = middle + 1;
    else return true;
  }
  return false;
}
