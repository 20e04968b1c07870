import { linearPattern, type RefusedPattern } from "../../../src/core/regex/linear-pattern.ts";
import type { Random } from "../../random.support.ts";

/** Atoms of every kind that the flag `u` allows. */
const atoms: readonly string[] = [
  ...Array.from("abcA09 -_.é漢🚀\u2028\u00a0\ufeff"),
  ..."\\d \\D \\w \\W \\s \\S \\. \\/ \\n \\r \\t \\v \\f \\cA \\cz \\0 \\x41 \\u0061 \\u000a".split(" "),
  ..."\\u{1F680} \\u{61} \\ud83d\\ude80 \\ud83d \\ude80 \\^ \\$ \\{ \\]".split(" "),
  ..."[] [^] [a-c] [^a-c] [\\w-] [-a] [a\\-z] [\\s\\S] [\\d.] [^\\W_] [🚀é] [^🚀] [\\b]".split(" "),
  ..."[\\u{1F600}-\\u{1F64F}] [\\ud800-\\udbff] [^\\ud83d] [\\ud83d\\ude80] [a-b-c] [--9] [\\]] [^^]".split(" "),
  ..."\\p{L} \\P{L} \\p{Lu} \\p{Cs} \\p{Any} \\P{ASCII} \\p{Script=Greek} \\p{scx=Han} [\\p{L}\\p{N}] [^\\p{L}]".split(
    " ",
  ),
];

/** Parts that the flag refuses, or that no automaton runs. */
const others: readonly string[] = [
  ..."] } { {,3} {2 \\- \\_ \\@ \\é [\\w-.] [a-\\d] [\\d-\\w] \\1 \\k<n> \\Z \\a \\07 \\c \\x1 \\u12 \\u{110000} [b-a] [[:alpha:]]".split(
    " ",
  ),
  ..."(?=a*) (?=(a*))\\1 (?<=(b)) (?<!\\b) ([ab])\\1 (?:(a)|b)*\\1 (?<=(?<z>a)\\k<z>) (?!(a)) (?<=^.) (?=.$)".split(
    " ",
  ),
  ..."\\p{Nonsense} \\p \\p{} * a** (?i)a (?i:a) (?=a) (?!b)* (?<=a) (?<!b) (?>a) ( ) [ \\".split(" "),
];

const quantifiers = "* + ? *? +? ?? {2} {0,2} {1,3} {2,} {0} {1,2}?".split(" ");
const assertions = ["^", "$", "\\b", "\\B"];

/** Characters at which patterns differ. */
const alphabet = Array.from(
  "abcA09 -_.\n\r\t\v\f\0\u0001\b/zZ\u2028\u2029\u00a0\ufeff\u1680éñαΩ漢🚀😀\ud83d\ude80{}]^$",
);

/** A pattern, now and then a broken one, whose quantifiers nest at most three deep: no engine goes back far in short texts. */
function randomPattern(random: Random): string {
  const repeat = (most: number, make: () => string, between = ""): string =>
    Array.from({ length: 1 + random.integer(most) }, make).join(between);
  const atom = (depth: number): string => {
    if (depth === 0 || random.chance(0.65)) return random.pick(random.chance(0.97) ? atoms : others);
    const opening = random.pick(["(?:", "(", `(?<n${random.integer(1e6)}>`]);
    return `${opening}${choice(depth - 1)})`;
  };
  const term = (depth: number): string =>
    random.chance(0.15) ? random.pick(assertions) : atom(depth) + (random.chance(0.3) ? random.pick(quantifiers) : "");
  const sequence = (depth: number): string => (random.chance(0.05) ? "" : repeat(4, () => term(depth)));
  const choice = (depth: number): string =>
    random.chance(0.75) ? sequence(depth) : repeat(3, () => sequence(depth), "|");
  return `${random.chance(0.3) ? "^" : ""}${choice(2)}${random.chance(0.3) ? "$" : ""}`;
}

/** A text of at most eight characters, lone surrogates among them. */
function randomText(random: Random): string {
  return Array.from({ length: random.integer(9) }, () => random.pick(alphabet)).join("");
}

/** Counts of a comparison with the runtime. */
export interface PatternCounts {
  readonly pairs: number;
  readonly matches: number;
  readonly broken: number;
  readonly unsupported: number;
  readonly loose: number;
}

/**
 * Compares random patterns with the runtime's own, on four texts each, until there are that many pairs.
 *
 * @throws Error for the first pattern that is read or matched otherwise.
 */
export function compareWithRuntime(random: Random, wanted: number): PatternCounts {
  const counts = { pairs: 0, matches: 0, broken: 0, unsupported: 0, loose: 0 };
  while (counts.pairs < wanted) {
    const source = randomPattern(random);
    const pattern = linearPattern(source);
    const { automaton, refusal } = pattern;
    const own = runtimePattern(source, "u");
    if (refusal !== undefined) {
      // Without the flag the runtime also accepts what could mean something else.
      if (refusal.kind === "broken" && own !== undefined) throw new Error(`${refusal.message} The runtime accepts it.`);
      counts[refusal.kind === "broken" ? "broken" : "unsupported"]++;
      if (own === undefined) continue;
      for (let count = 0; count < 4; count++) compareTrial(pattern, own, randomText(random));
      continue;
    }
    const loose = own === undefined ? runtimePattern(source, "") : undefined;
    const expected = own ?? loose;
    if (expected === undefined) throw new Error(`The runtime refuses ${JSON.stringify(source)}.`);
    // Without the flag the runtime sees halves of characters.
    if (loose !== undefined && /[\ud800-\udfff]|\\ud[89a-f]/i.test(source)) continue;
    for (let count = 0; count < 4; count++) {
      const text = loose === undefined ? randomText(random) : randomText(random).replaceAll(/[\ud800-\udfff]/g, "");
      const isMatch = isFound(expected, text);
      if (automaton.test(text) !== isMatch)
        throw new Error(`${JSON.stringify(source)} matches ${JSON.stringify(text)}: ${isMatch} by the runtime.`);
      counts.pairs++;
      if (isMatch) counts.matches++;
      if (loose !== undefined) counts.loose++;
    }
  }
  return counts;
}

/** Compares what backtracking finds, where it comes to an end; only that confirms messages with patterns that are refused. */
function compareTrial(pattern: RefusedPattern, own: RegExp, text: string): void {
  const found = pattern.test(text);
  if (found !== undefined && found !== isFound(own, text))
    throw new Error(
      `${JSON.stringify(pattern.source)} is ${found ? "" : "not "}found in ${JSON.stringify(text)} by trying.`,
    );
}

/**
 * Whether the runtime finds the pattern at a character. V8 (13.6) also finds what matches no character, e.g. `\\B`, between
 * the halves of one, where ECMA-262 has no place.
 */
function isFound(pattern: RegExp, text: string): boolean {
  const found = pattern.exec(text);
  if (found === null || !isWithinPair(text, found.index)) return found !== null;
  const sticky = new RegExp(pattern, "uy");
  for (let at = 0; at <= text.length; at++) {
    sticky.lastIndex = at;
    if (!isWithinPair(text, at) && sticky.test(text)) return true;
  }
  return false;
}

function isWithinPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function runtimePattern(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
