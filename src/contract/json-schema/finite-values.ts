import type { Evaluation } from "./evaluation.ts";
import { type Formula, typeNames } from "./formula.ts";
import { canonicalJson } from "./json-value.ts";
import { numbersFor } from "./number-literals.ts";
import { listedValues } from "./listed-values.ts";
import type { Restriction } from "./restriction.ts";

/** What {@link finiteValues} needs. */
export interface ValueSource {
  readonly evaluation: Evaluation;
  readonly restriction: Restriction;
}

/** All values that may satisfy a set, as canonical JSON, when it is plain that they are few; `undefined` otherwise. */
export function finiteValues(
  formulas: readonly Formula[],
  { evaluation, restriction }: ValueSource,
): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  for (const type of typeNames) {
    const members = restriction.saturate(formulas, type);
    if (members === undefined) continue;
    let listed = listedValues(members, type);
    if (listed === undefined && type === "number") {
      const numbers = numbersFor(members);
      listed = numbers === "none" ? [] : numbers.finite ? numbers.candidates : undefined;
    }
    if (listed === undefined && isEmptyOnly(members, type))
      listed = [type === "string" ? "" : type === "array" ? [] : {}];
    if (listed === undefined || listed.length > 1000) return undefined;
    for (const value of listed)
      if (members.every((member) => evaluation.truth(member, value) !== false)) found.add(canonicalJson(value));
  }
  return found;
}

function isEmptyOnly(members: readonly Formula[], type: string): boolean {
  return members.some((member) => member.kind === "size" && member.type === type && member.max === 0);
}
