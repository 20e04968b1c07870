import { findText, type FoundText, type WantedText } from "../../../core/regex/find-text.ts";
import { linearPattern } from "../../../core/regex/linear-pattern.ts";
import { matcherOf } from "../pattern-matcher.ts";
import type { FormatTests } from "../formats.ts";
import type { Formula } from "./formula.ts";

/** Whether formats are read as what a text surely has or lacks, or as what it may have or lack. */
export type FormatReading = "surely" | "possibly";

/**
 * Finds a string for the patterns, formats, lengths and refused strings among `members`; of a pattern that cannot be run only
 * what is necessary counts.
 * If formats are read as `possibly` and none is found, there is none.
 */
export function stringFor(members: readonly Formula[], formats: FormatTests, reading: FormatReading): FoundText {
  const wanted = wantedOf(members, formats, reading);
  return wanted === undefined ? "unknown" : findText(wanted);
}

function wantedOf(members: readonly Formula[], formats: FormatTests, reading: FormatReading): WantedText | undefined {
  const automata: WantedText["automata"][number][] = [];
  const refused: string[] = [];
  let [min, max] = [0, Infinity];
  for (const member of members) {
    if (member.kind === "size") [min, max] = [Math.max(min, member.min), Math.min(max, member.max)];
    else if (member.kind === "values" && member.negated)
      refused.push(...member.values.filter((value) => typeof value === "string"));
    else if (member.kind === "pattern") {
      const pattern = linearPattern(member.source);
      if (pattern.automaton !== undefined) automata.push({ automaton: pattern.automaton, matches: !member.negated });
      else if (!member.negated) automata.push(...pattern.necessary);
    } else if (member.kind === "format") {
      // A text surely lacks a format when the outer pattern does not match it, and may lack it when the inner one does not.
      const isInner = (reading === "surely") !== member.negated;
      const source = isInner ? formats.inner(member.name) : formats.outer(member.name);
      const automaton = source === undefined ? undefined : matcherOf(source).automaton;
      if (automaton !== undefined) automata.push({ automaton, matches: !member.negated });
      else if (reading === "surely") return undefined;
    }
  }
  if (refused.length > 0) {
    const { automaton } = linearPattern(`^(${refused.map(escaped).join("|")})$`);
    if (automaton === undefined) return undefined;
    automata.push({ automaton, matches: false });
  }
  return { automata, min, max };
}

function escaped(text: string): string {
  return Array.from(text, (symbol) => `\\u{${(symbol.codePointAt(0) ?? 0).toString(16)}}`).join("");
}
