import type { Automaton } from "./automaton.ts";
import { type CodePointRange, lastCodePoint } from "./code-points.ts";
import { PatternError } from "./pattern-cursor.ts";

/** The texts to find: each automaton matches or not as given, and the length in code points is within bounds. */
export interface WantedText {
  readonly automata: readonly { readonly automaton: Automaton; readonly matches: boolean }[];
  readonly min: number;
  readonly max: number;
}

/** A shortest such text; `none` if there is none, `unknown` if the budget of steps ended first. */
export type FoundText = { readonly text: string } | "none" | "unknown";

interface SearchNode {
  /** The place of each automaton. */
  readonly places: readonly number[];
  readonly length: number;
  readonly from: SearchNode | undefined;
  readonly codePoint: number;
}

/** Searches breadth first through the product of the automata, at most `budget` steps. */
export function findText(wanted: WantedText, budget = 60_000): FoundText {
  const { automata, min, max } = wanted;
  if (min > max) return "none";
  if (automata.length === 0) return min > 10_000_000 ? "unknown" : { text: "a".repeat(min) };
  try {
    return search(wanted, budget);
  } catch (error) {
    if (error instanceof PatternError) return "unknown";
    throw error;
  }
}

function search({ automata, min, max }: WantedText, budget: number): FoundText {
  for (const { automaton } of automata) automaton.trim();
  const alphabet = jointAlphabet(automata.map(({ automaton }) => automaton));
  const root: SearchNode = {
    places: automata.map(({ automaton }) => automaton.start),
    length: 0,
    from: undefined,
    codePoint: 0,
  };
  const seen = new Set([keyOf(root, min)]);
  let layer: SearchNode[] = [root];
  let steps = 0;
  while (layer.length > 0) {
    const next: SearchNode[] = [];
    for (const node of layer) {
      const isWanted = ({ automaton, matches }: WantedText["automata"][number], at: number): boolean =>
        automaton.isMatch(node.places[at] ?? 0) === matches;
      if (node.length >= min && automata.every(isWanted)) return { text: spell(node) };
      if (node.length >= max) continue;
      for (const { codePoint, classes } of alphabet) {
        if (++steps > budget) return "unknown";
        const places = automata.map(({ automaton }, at) => automaton.step(node.places[at] ?? 0, classes[at] ?? 0));
        // No continuation from there is wanted.
        if (automata.some(({ automaton, matches }, at) => isHopeless(automaton, places[at] ?? 0, matches))) continue;
        const made: SearchNode = { places, length: node.length + 1, from: node, codePoint };
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

function isHopeless(automaton: Automaton, place: number, matches: boolean): boolean {
  return automaton.isSettled(place) && automaton.isMatch(place) !== matches;
}

/** The key of a node; lengths beyond the least one allowed are alike, as the search meets shorter texts first. */
function keyOf({ places, length }: SearchNode, min: number): string {
  return `${Math.min(length, min)}:${places.join()}`;
}

function spell(node: SearchNode): string {
  const symbols: string[] = [];
  for (let at: SearchNode | undefined = node; at?.from !== undefined; at = at.from)
    symbols.push(String.fromCodePoint(at.codePoint));
  return symbols.reverse().join("");
}

/** A code point with its class in each automaton. */
interface JointClass {
  readonly codePoint: number;
  readonly classes: readonly number[];
}

/** One code point of each combination of classes, readable ones first. */
function jointAlphabet(automata: readonly Automaton[]): readonly JointClass[] {
  const starts = Array.from(new Set(automata.flatMap(({ alphabet }) => Array.from(alphabet.starts)))).toSorted(
    (a, b) => a - b,
  );
  const found = new Map<string, JointClass>();
  for (const [at, start] of starts.entries()) {
    const codePoint = readable(start, (starts[at + 1] ?? lastCodePoint + 1) - 1);
    const classes = automata.map(({ alphabet }) => alphabet.classOf(start));
    const key = classes.join();
    const known = found.get(key);
    if (known === undefined || rank(codePoint) < rank(known.codePoint)) found.set(key, { codePoint, classes });
  }
  return Array.from(found.values()).toSorted(
    (a, b) => rank(a.codePoint) - rank(b.codePoint) || a.codePoint - b.codePoint,
  );
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
