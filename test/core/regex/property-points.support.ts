import { contains } from "../../../src/core/regex/code-points.ts";
import { propertySet } from "../../../src/core/regex/character-classes.ts";

/** Properties of each kind: small and large ones, aliases, scripts, binary ones. */
export const comparedProperties: readonly string[] = "L Cn Co Cs C Any Assigned NChar scx=Zzzz Emoji".split(" ");

/** The code points out of some that have a property by the runtime and not by our set, or the other way around. */
export function differingPoints(property: string, points: Iterable<number>): readonly number[] {
  const set = propertySet(property);
  const having = new RegExp(`^\\p{${property}}$`, "u");
  return Array.from(points).filter((point) => having.test(String.fromCodePoint(point)) !== contains(set, point));
}

/** The code points at both ends of each range of a property, and one in 97 of all. */
export function* sampledPoints(property: string): Generator<number> {
  for (const [first, last] of propertySet(property))
    for (const point of [first - 1, first, last, last + 1]) if (point >= 0 && point <= 0x10ffff) yield point;
  for (let point = 0; point <= 0x10ffff; point += 97) yield point;
}
