import { createAutomaton } from "../regex/automaton.ts";
import { findString, type Found, type Wanted } from "../regex/intersection.ts";
import { matcherOf } from "../regex/matcher.ts";
import { UnsupportedPattern } from "../regex/parser.ts";
import type { Formula } from "./formula.ts";

/** Finds a string for the patterns, lengths and refused strings among `members`; what has no automaton is left out. */
export function stringFor(members: readonly Formula[]): Found {
  const wanted = wantedOf(members);
  if (wanted === undefined) return "unknown";
  try {
    return findString(wanted);
  } catch (error) {
    if (error instanceof UnsupportedPattern) return "unknown";
    throw error;
  }
}

function wantedOf(members: readonly Formula[]): Wanted | undefined {
  const automata: Wanted["automata"][number][] = [];
  const refused: string[] = [];
  let [min, max] = [0, Infinity];
  for (const member of members) {
    if (member.kind === "size") [min, max] = [Math.max(min, member.min), Math.min(max, member.max)];
    else if (member.kind === "values" && member.negated)
      refused.push(...member.values.filter((value) => typeof value === "string"));
    else if (member.kind === "pattern") {
      const { automaton } = matcherOf(member.source);
      if (automaton !== undefined) automata.push({ automaton, matches: !member.negated });
    }
  }
  if (refused.length > 0) {
    try {
      automata.push({ automaton: createAutomaton(`^(${refused.map(escaped).join("|")})$`), matches: false });
    } catch (error) {
      if (error instanceof UnsupportedPattern) return undefined;
      throw error;
    }
  }
  return { automata, min, max };
}

function escaped(text: string): string {
  return Array.from(text, (symbol) => `\\u{${(symbol.codePointAt(0) ?? 0).toString(16)}}`).join("");
}
