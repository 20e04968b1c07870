import type { FormulaEvaluation } from "./evaluation.ts";
import { type Formula, type FormulaOf, onlyName } from "./formula.ts";

/** The literals about objects in a set, grouped by what they state. */
export interface ObjectLiterals {
  readonly every: readonly FormulaOf<"everyProperty">[];
  /** The `everyProperty` literals on a single name, by that name. */
  readonly onName: ReadonlyMap<string, readonly Formula[]>;
  /** The other `everyProperty` literals. */
  readonly onNames: readonly FormulaOf<"everyProperty">[];
  /** Members that are required under one given name. */
  readonly named: ReadonlyMap<string, readonly Formula[]>;
  /** Members that are required under some name of a kind. */
  readonly some: readonly FormulaOf<"someProperty">[];
  /** Every name that a formula mentions. */
  readonly names: readonly string[];
  readonly min: number;
  readonly max: number;
}

/** Sorts the literals about objects. */
export function objectLiterals(members: readonly Formula[]): ObjectLiterals {
  const every = members.filter((member) => member.kind === "everyProperty");
  const wanted = members.filter((member) => member.kind === "someProperty");
  const named = new Map<string, Formula[]>();
  const some: FormulaOf<"someProperty">[] = [];
  const onName = new Map<string, Formula[]>();
  const onNames: FormulaOf<"everyProperty">[] = [];
  for (const literal of every) {
    const name = onlyName(literal.names);
    if (name === undefined) onNames.push(literal);
    else add(onName, name, literal.of);
  }
  for (const literal of wanted) {
    const name = onlyName(literal.names);
    if (name === undefined) some.push(literal);
    else add(named, name, literal.of);
  }
  const names = new Set<string>();
  for (const literal of [...every, ...wanted]) collectNames(literal.names, names);
  const sizes = members.filter((member) => member.kind === "size");
  return {
    every,
    onName,
    onNames,
    named,
    some,
    names: Array.from(names),
    min: Math.max(0, ...sizes.map(({ min }) => min)),
    max: Math.min(Infinity, ...sizes.map(({ max }) => max)),
  };
}

/** The formulas of the member `name`, when it is present. */
export function memberFormulas(
  name: string,
  { onName, onNames, named }: ObjectLiterals,
  evaluation: FormulaEvaluation,
): readonly Formula[] {
  return [
    ...(onName.get(name) ?? []),
    ...onNames.filter(({ names }) => evaluation.truth(names, name) === true).map(({ of }) => of),
    ...(named.get(name) ?? []),
  ];
}

/** The formulas on members whose names are not given, which may or may not apply to a further name. */
export function openEvery({ every }: ObjectLiterals): readonly FormulaOf<"everyProperty">[] {
  return every.filter(({ names }) => !(names.kind === "values" && !names.negated));
}

function add(groups: Map<string, Formula[]>, name: string, formula: Formula): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [formula]);
  else group.push(formula);
}

function collectNames(formula: Formula, into: Set<string>): void {
  if (formula.kind === "values") for (const value of formula.values) if (typeof value === "string") into.add(value);
  if (formula.kind === "all" || formula.kind === "any") for (const part of formula.of) collectNames(part, into);
}
