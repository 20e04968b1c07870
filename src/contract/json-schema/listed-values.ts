import { type Formula, typeOfValue, type TypeName } from "./formula.ts";

/** The values among which one of `type` must be, when formulas list them or the type has few. */
export function listedValues(members: readonly Formula[], type: TypeName): readonly unknown[] | undefined {
  if (type === "null") return [null];
  if (type === "boolean") return [true, false];
  const lists = members.flatMap((member) => (member.kind === "values" && !member.negated ? [member.values] : []));
  const shortest = lists.toSorted((a, b) => a.length - b.length)[0];
  return shortest?.filter((value) => typeOfValue(value) === type);
}
