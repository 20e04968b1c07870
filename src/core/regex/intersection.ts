import type { Automaton, Place } from "./automaton.ts";
import { type CodePointRange, lastCodePoint } from "./syntax.ts";

/** The strings to find: each automaton matches or not as given, and the length in code points is within bounds. */
export interface Wanted {
  readonly automata: readonly { readonly automaton: Automaton; readonly matches: boolean }[];
  readonly min: number;
  readonly max: number;
}

/** A shortest such string; `none` if there is none, `unknown` if the budget of steps ended first. */
export type Found = { readonly text: string } | "none" | "unknown";

interface Node {
  readonly places: readonly Place[];
  readonly length: number;
  readonly from: Node | undefined;
  readonly codePoint: number;
}

/** Searches breadth first through the product of the automata, at most `budget` steps. */
export function findString({ automata, min, max }: Wanted, budget = 60_000): Found {
  if (min > max) return "none";
  if (automata.length === 0) return min > 10_000_000 ? "unknown" : { text: "a".repeat(min) };
  const alphabet = representatives(automata.flatMap(({ automaton }) => automaton.ranges));
  const root: Node = {
    places: automata.map(({ automaton }) => automaton.start),
    length: 0,
    from: undefined,
    codePoint: 0,
  };
  const seen = new Set([keyOf(root, min)]);
  let layer: Node[] = [root];
  let steps = 0;
  while (layer.length > 0) {
    const next: Node[] = [];
    for (const node of layer) {
      if (node.length >= min && node.places.every(({ matches }, index) => matches === automata[index]?.matches))
        return { text: spell(node) };
      if (node.length >= max) continue;
      for (const codePoint of alphabet) {
        if (++steps > budget) return "unknown";
        const places = automata.map(({ automaton }, index) =>
          automaton.step(node.places[index] ?? automaton.start, codePoint),
        );
        // No continuation from there can match.
        if (places.some(({ isSettled, matches }, index) => isSettled && matches !== automata[index]?.matches)) continue;
        const made: Node = { places, length: node.length + 1, from: node, codePoint };
        const key = keyOf(made, min);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push(made);
      }
    }
    layer = next;
  }
  return "none";
}

/** The key of a state; lengths beyond the least one allowed are alike, as the search meets shorter strings first. */
function keyOf({ places, length }: Node, min: number): string {
  return `${Math.min(length, min)}:${places.map(({ id }) => id).join(",")}`;
}

function spell(node: Node): string {
  const symbols: string[] = [];
  for (let at: Node | undefined = node; at?.from !== undefined; at = at.from)
    symbols.push(String.fromCodePoint(at.codePoint));
  return symbols.reverse().join("");
}

/** One code point of each range in which every automaton behaves alike, readable ones first. */
function representatives(ranges: readonly CodePointRange[]): readonly number[] {
  const edges = new Set([0]);
  for (const [first, last] of ranges) {
    edges.add(first);
    if (last < lastCodePoint) edges.add(last + 1);
  }
  const starts = Array.from(edges).toSorted((a, b) => a - b);
  const points = starts.map((start, index) => readable(start, (starts[index + 1] ?? lastCodePoint + 1) - 1));
  return points.toSorted((a, b) => rank(a) - rank(b));
}

function readable(first: number, last: number): number {
  for (const [low, high] of pleasant) if (first <= high && last >= low) return Math.max(first, low);
  return first;
}

const pleasant: readonly CodePointRange[] = [
  [97, 122],
  [48, 57],
  [65, 90],
  [33, 126],
  [32, 32],
  [0xe0, 0xff],
  [0xa1, 0xd7ff],
  [0xe000, 0xfffd],
  [0x1f400, 0x1f4ff],
];

function rank(point: number): number {
  const index = pleasant.findIndex(([low, high]) => point >= low && point <= high);
  return index < 0 ? pleasant.length : index;
}
