import { wordCharacters } from "./character-classes.ts";
import { Alphabet } from "./alphabet.ts";
import { type CodePointSet, lastCodePoint } from "./code-points.ts";
import { PatternError } from "./pattern-cursor.ts";
import type { PatternAssertion, PatternNode } from "./pattern-node.ts";

/** A state of a machine that may be in several states at once. */
export type MachineState =
  /** Goes on to `to` with a character of the set. */
  | { readonly kind: "set"; readonly set: CodePointSet; readonly to: number }
  /** Is in all of `to` as well. */
  | { readonly kind: "fork"; readonly to: readonly number[] }
  /** Is in `to` as well where the assertion holds. */
  | { readonly kind: "assertion"; readonly assertion: PatternAssertion; readonly to: number }
  | { readonly kind: "match" };

/** A pattern as states: a text matches if they lead from `entry` to `match` with one of its parts. */
export interface StateMachine {
  readonly states: readonly MachineState[];
  readonly entry: number;
  readonly match: number;
  readonly alphabet: Alphabet;
  /** Whether it matters which characters are part of a word. */
  readonly hasBoundaries: boolean;
}

/** The greatest number of states, forks left aside: characters and classes, each as often as it may be repeated. */
const maxStates = 20_000;

const anything: CodePointSet = [[0, lastCodePoint]];

/**
 * Builds the state machine of a pattern. It leaves look-around out and reads a back-reference as any text, so that the machine
 * matches every text that such a pattern matches, and others.
 *
 * @throws PatternError for a pattern of too many states.
 */
export function createStateMachine(pattern: PatternNode): StateMachine {
  if (sizeOf(pattern) > maxStates)
    throw new PatternError({
      kind: "large",
      what: `takes more than ${maxStates.toLocaleString("en")} states`,
      advice: "Lower its repetitions, or limit the length by maxLength.",
    });
  const states: MachineState[] = [{ kind: "match" }];
  const add = (state: MachineState): number => states.push(state) - 1;
  /** Adds the states of a part that go on to the state `to`, and returns the first one. */
  const build = (node: PatternNode, to: number): number => {
    switch (node.kind) {
      case "empty":
        return to;
      case "set":
        return add({ kind: "set", set: node.set, to });
      case "sequence":
        return node.parts.reduceRight((next, part) => build(part, next), to);
      case "choice":
        return add({ kind: "fork", to: node.parts.map((part) => build(part, to)) });
      case "repeat":
        return repeat(node, to);
      case "group":
        return build(node.part, to);
      case "assertion":
        return add({ kind: "assertion", assertion: node.assertion, to });
      case "look":
        return to;
      default: {
        node.kind satisfies "reference";
        const ways = [to];
        const loop = add({ kind: "fork", to: ways });
        ways.push(add({ kind: "set", set: anything, to: loop }));
        return loop;
      }
    }
  };
  const repeat = ({ part, min, max }: PatternNode & { readonly kind: "repeat" }, to: number): number => {
    // A part without states is the same however often it is repeated.
    if (sizeOf(part) === 0) return build(part, to);
    let entry = to;
    let left = min;
    if (max === Infinity) {
      const ways = [to];
      const loop = add({ kind: "fork", to: ways });
      const body = build(part, loop);
      ways.push(body);
      // The part in the loop is the last one that must be there.
      entry = min === 0 ? loop : body;
      left = Math.max(0, min - 1);
    } else for (let count = min; count < max; count++) entry = add({ kind: "fork", to: [build(part, entry), to] });
    while (left-- > 0) entry = build(part, entry);
    return entry;
  };
  const entry = build(pattern, 0);
  const sets = new Set(states.flatMap((state) => (state.kind === "set" ? [state.set] : [])));
  const hasBoundaries = states.some(({ kind, ...state }) => kind === "assertion" && isBoundary(state));
  if (hasBoundaries) sets.add(wordCharacters);
  return { states, entry, match: 0, alphabet: new Alphabet(distinct(sets)), hasBoundaries };
}

function isBoundary(state: object): boolean {
  return "assertion" in state && (state.assertion === "boundary" || state.assertion === "no-boundary");
}

/** Equal sets once: each makes work for the alphabet. */
function distinct(sets: ReadonlySet<CodePointSet>): readonly CodePointSet[] {
  return Array.from(new Map(Array.from(sets, (set) => [set.join(), set])).values());
}

/** The number of states that {@link createStateMachine} would make, without the forks of repetitions. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case "empty":
      return 0;
    case "set":
    case "assertion":
    case "reference":
      return 1;
    case "look":
      return 0;
    case "group":
      return sizeOf(node.part);
    case "sequence":
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 0);
    case "choice":
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 1);
    default: {
      const own = sizeOf(node.part);
      if (own === 0) return 0;
      return own * (node.max === Infinity ? Math.max(node.min, 1) : node.max);
    }
  }
}
