import type { FormulaEvaluation } from "./evaluation.ts";
import { type Formula, typeNames, typeOfValue, type TypeName } from "./formula.ts";
import { canonicalJson } from "../json-value.ts";
import { numbersFor } from "./number-literals.ts";
import type { Restriction } from "./restriction.ts";

/** Services of the search that {@link finiteValues} uses. */
export interface ValueSource {
  readonly evaluation: FormulaEvaluation;
  readonly restriction: Restriction;
}

/** All values that may satisfy a set, as canonical JSON, if they are evidently few; `undefined` otherwise. */
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

/** The possible values of `type`, if formulas list them or the type has only a few. */
export function listedValues(members: readonly Formula[], type: TypeName): readonly unknown[] | undefined {
  if (type === "null") return [null];
  if (type === "boolean") return [true, false];
  const lists = members.flatMap((member) => (member.kind === "values" && !member.negated ? [member.values] : []));
  const shortest = lists.toSorted((a, b) => a.length - b.length)[0];
  return shortest?.filter((value) => typeOfValue(value) === type);
}
