import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Automaton } from "../../core/regex/automaton.ts";
import { linearPattern } from "../../core/regex/linear-pattern.ts";
import { memo } from "../../core/values/memo.ts";

/** A pattern that can be asked about texts in bounded time. */
export interface PatternMatcher {
  /** `undefined` for a pattern that `jsonSchema()` refuses. */
  readonly automaton: Automaton | undefined;
  /** Whether the pattern is found; `undefined` where a refused pattern takes too many steps. */
  test(text: string): boolean | undefined;
}

/** Answers that are kept for one refused pattern. */
const maxAnswers = 512;
const matchers = new WeakMap<object, PatternMatcher>();

/**
 * The matcher of a pattern. One that `jsonSchema()` refuses is tried by backtracking: that confirms breaks elsewhere in a
 * schema, and proves nothing.
 *
 * @throws SobreError `InvalidArgument` when the pattern is broken.
 */
export function matcherOf(source: string): PatternMatcher {
  const pattern = linearPattern(source);
  const { automaton, refusal } = pattern;
  if (refusal?.kind === "broken") throw new SobreError("InvalidArgument", refusal.message);
  return memo(matchers, pattern, () =>
    automaton === undefined
      ? { automaton, test: remembered((text) => pattern.test(text)) }
      : { automaton, test: (text) => automaton.test(text) },
  );
}

function remembered(test: PatternMatcher["test"]): PatternMatcher["test"] {
  const answers = new Map<string, boolean | undefined>();
  return (text) => {
    if (answers.has(text)) return answers.get(text);
    const answer = test(text);
    if (answers.size >= maxAnswers) answers.clear();
    answers.set(text, answer);
    return answer;
  };
}
