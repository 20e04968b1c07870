import { runInNewContext } from "node:vm";
import { type Automaton, createAutomaton } from "./automaton.ts";
import { UnsupportedPattern } from "./parser.ts";

/** A pattern that can be asked about strings in bounded time. */
export interface Matcher {
  /** Set unless the pattern needs backtracking. */
  readonly automaton: Automaton | undefined;
  /** `undefined` if a backtracking pattern ran out of time. */
  test(text: string): boolean | undefined;
}

/** Milliseconds for one string and one pattern that needs backtracking. */
const patience = 50;

/**
 * The matcher of a pattern of ECMA-262: an automaton where there is one, and otherwise the engine of the runtime in a
 * context that is stopped after 50 ms.
 *
 * @throws SyntaxError when the pattern is broken.
 */
export function matcherOf(source: string): Matcher {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const made = create(source);
  if (cache.size > 256) cache.clear();
  cache.set(source, made);
  return made;
}

const cache = new Map<string, Matcher>();

function create(source: string): Matcher {
  // The runtime reports broken syntax in its own words.
  const native = compile(source);
  try {
    const automaton = createAutomaton(source);
    return { automaton, test: (text) => run(automaton, text) };
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    const answers = new Map<string, boolean | undefined>();
    return {
      automaton: undefined,
      test(text) {
        if (answers.has(text)) return answers.get(text);
        const answer = stoppable(native, text);
        if (answers.size > 512) answers.clear();
        answers.set(text, answer);
        return answer;
      },
    };
  }
}

function compile(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    try {
      // Patterns of old schemas contain escapes that the flag `u` forbids.
      return new RegExp(source, "");
    } catch {
      throw error;
    }
  }
}

function run(automaton: Automaton, text: string): boolean {
  let place = automaton.start;
  for (const symbol of text) place = automaton.step(place, symbol.codePointAt(0) ?? 0);
  return place.matches;
}

function stoppable(pattern: RegExp, text: string): boolean | undefined {
  try {
    return runInNewContext("pattern.test(text)", { pattern, text }, { timeout: patience }) === true;
  } catch {
    return undefined;
  }
}
