import { runInNewContext } from "node:vm";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Automaton } from "../../core/regex/automaton.ts";
import { linearPattern, type RefusedPattern } from "../../core/regex/linear-pattern.ts";

/** A pattern that can be asked about texts in bounded time. */
export interface PatternMatcher {
  /** `undefined` for a pattern that `jsonSchema()` refuses. */
  readonly automaton: Automaton | undefined;
  /** Why it does, in its words. */
  readonly refusal: string | undefined;
  /** `undefined` if a refused pattern ran out of time. */
  test(text: string): boolean | undefined;
}

/** Milliseconds for one text and one refused pattern. */
const patience = 50;

/** Patterns that are kept. */
const mostKept = 256;
const kept = new Map<string, PatternMatcher>();

/**
 * The matcher of a pattern. For one that `jsonSchema()` refuses, and whose meaning is known all the same, that is the
 * runtime's engine, which is stopped after 50 ms: it confirms breaks elsewhere in a schema, and proves nothing.
 *
 * @throws SobreError `InvalidArgument` when the pattern is broken.
 */
export function matcherOf(source: string): PatternMatcher {
  const known = kept.get(source);
  if (known !== undefined) return known;
  const made = create(source);
  if (kept.size >= mostKept) kept.clear();
  kept.set(source, made);
  return made;
}

function create(source: string): PatternMatcher {
  const { automaton, refusal } = linearPattern(source);
  if (automaton !== undefined) return { automaton, refusal: undefined, test: (text) => automaton.test(text) };
  if (refusal.kind === "broken") throw new SobreError("InvalidArgument", refusal.message);
  return refused(source, refusal);
}

function refused(source: string, { message }: RefusedPattern["refusal"]): PatternMatcher {
  const pattern = nativePattern(source);
  const answers = new Map<string, boolean | undefined>();
  return {
    automaton: undefined,
    refusal: message,
    test(text) {
      if (answers.has(text)) return answers.get(text);
      const answer = pattern === undefined ? undefined : stoppable(pattern, text);
      if (answers.size > 512) answers.clear();
      answers.set(text, answer);
      return answer;
    },
  };
}

/** The runtime's pattern; `undefined` for syntax that is newer than the runtime. */
function nativePattern(source: string): RegExp | undefined {
  for (const flag of ["u", ""]) {
    try {
      return new RegExp(source, flag);
    } catch {
      // Without the flag older syntax is allowed.
    }
  }
  return undefined;
}

function stoppable(pattern: RegExp, text: string): boolean | undefined {
  try {
    return runInNewContext("pattern.test(text)", { pattern, text }, { timeout: patience }) === true;
  } catch {
    return undefined;
  }
}
