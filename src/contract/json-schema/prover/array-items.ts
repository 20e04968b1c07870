import type { Formula, FormulaOf } from "./formula.ts";

/** The literals about arrays in a set, grouped by what they state. */
export interface ArrayLiterals {
  readonly every: readonly FormulaOf<"everyItem">[];
  readonly some: readonly FormulaOf<"someItem">[];
  readonly least: readonly FormulaOf<"containsLeast">[];
  readonly most: readonly FormulaOf<"containsMost">[];
  readonly unique: boolean;
  readonly duplicate: FormulaOf<"unique"> | undefined;
  readonly min: number;
  readonly max: number;
  /** From this position on, all items have the same formulas. */
  readonly boundary: number;
}

/** Sorts the literals about arrays. */
export function arrayLiterals(members: readonly Formula[]): ArrayLiterals {
  const every = members.filter((member) => member.kind === "everyItem");
  const some = members.filter((member) => member.kind === "someItem");
  const uniques = members.filter((member) => member.kind === "unique");
  const sizes = members.filter((member) => member.kind === "size");
  const ends = [...every, ...some].flatMap(({ from, to }) => [from, to]).filter((end) => end !== Infinity);
  return {
    every,
    some,
    least: members.filter((member) => member.kind === "containsLeast"),
    most: members.filter((member) => member.kind === "containsMost"),
    unique: uniques.some(({ negated }) => !negated),
    duplicate: uniques.find(({ negated }) => negated),
    min: Math.max(0, ...sizes.map(({ min }) => min)),
    max: Math.min(Infinity, ...sizes.map(({ max }) => max)),
    boundary: Math.max(0, ...ends),
  };
}

/** The formulas of the item at a position, if it exists; all positions from the boundary on are alike. */
export function itemFormulas(at: number, { every, boundary }: ArrayLiterals): readonly Formula[] {
  const position = Math.min(at, boundary);
  return every.filter(({ from, to }) => from <= position && position < to).map(({ of }) => of);
}
