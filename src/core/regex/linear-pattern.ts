import { cut } from "../errors/cut.ts";
import { Automaton } from "./automaton.ts";
import { foundByTrying } from "./backtracking.ts";
import { PatternError, type PatternProblem } from "./pattern-cursor.ts";
import type { PatternNode } from "./pattern-node.ts";
import { readPattern } from "./read-pattern.ts";
import { createStateMachine } from "./state-machine.ts";

/** A pattern that is matched in time linear to the text. */
export interface LinearPattern {
  readonly source: string;
  readonly automaton: Automaton;
  readonly refusal?: undefined;
}

/** A pattern that cannot be matched in linear time. */
export interface RefusedPattern {
  readonly source: string;
  readonly automaton?: undefined;
  readonly refusal: {
    /** `broken` if ECMA-262 does not allow the pattern either. */
    readonly kind: PatternProblem["kind"];
    /** Sentences: what the pattern has, where, and what to write instead. */
    readonly message: string;
  };
  /** Automata that every matching text matches, or does not match, as far as they are known. */
  readonly necessary: readonly { readonly automaton: Automaton; readonly matches: boolean }[];
  /** Whether the pattern is found in a text, by backtracking; `undefined` where that takes too long or cannot be done. */
  test(text: string): boolean | undefined;
}

/** Patterns that are kept, refused ones too. */
const maxKnownPatterns = 256;
const knownPatterns = new Map<string, LinearPattern | RefusedPattern>();

/**
 * Reads a pattern as ECMA-262 does with the flag `u`, which JSON Schema (2020-12, Core, 6.4) asks for: it is searched for
 * anywhere in a text, by code points.
 *
 * Look-around, back-references, inline flags and patterns of more than 20,000 states are refused. Syntax of older schemas
 * that the flag does not allow (`\-` outside classes, a lone `{` or `]`, `[\w-.]`) is read as ECMA-262, Annex B, has it,
 * and refused where it could mean something else (escaped letters, octal numbers, `\p` or `\u{` in the same pattern).
 */
export function linearPattern(source: string): LinearPattern | RefusedPattern {
  const known = knownPatterns.get(source);
  if (known !== undefined) return known;
  if (knownPatterns.size >= maxKnownPatterns) knownPatterns.clear();
  const made = create(source);
  knownPatterns.set(source, made);
  return made;
}

function create(source: string): LinearPattern | RefusedPattern {
  let node: PatternNode | undefined;
  try {
    node = readPattern(source);
    return { source, automaton: new Automaton(createStateMachine(node)) };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const { problem, read } = error;
    const whole = read?.node ?? node;
    return {
      source,
      refusal: { kind: problem.kind, message: messageOf(source, problem) },
      necessary: (read?.necessary ?? []).flatMap(({ node: part, matches }) => {
        const own = automatonOf(part);
        return own === undefined ? [] : [{ automaton: own, matches }];
      }),
      test: (text) => (whole === undefined ? undefined : foundByTrying(whole, text)),
    };
  }
}

function automatonOf(node: PatternNode): Automaton | undefined {
  try {
    return new Automaton(createStateMachine(node));
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}

function messageOf(source: string, { kind, what, advice, at }: PatternProblem): string {
  const pattern = `The pattern ${JSON.stringify(cut(source, 200))}`;
  const place = at === undefined ? "" : ` at character ${at}`;
  const sentences = {
    broken: `${pattern} is broken${place}: ${what}.`,
    unsupported: `${pattern} has ${what}${place}, which cannot be matched in linear time.`,
    large: `${pattern} ${what}.`,
  } as const;
  return advice === "" ? sentences[kind] : `${sentences[kind]} ${advice}`;
}
