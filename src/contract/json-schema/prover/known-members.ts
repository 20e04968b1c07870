import { type Formula, onlyName, typeOfValue } from "./formula.ts";
import { canonicalJson } from "../json-value.ts";

/** Facts about a member of an object that literals state directly. */
interface KnownMember {
  /** Whether it is present. */
  present: boolean;
  /** The values that it may have if present, where they are listed. */
  values: readonly unknown[] | undefined;
}

/** Members by name; the discriminators of unions are among them. */
export type KnownMembers = ReadonlyMap<string, KnownMember>;

/** Nothing is known. */
export const noMembers: KnownMembers = new Map<string, KnownMember>();

/** Reads the facts from literals about one object. */
export function membersKnown(literals: Iterable<Formula>): KnownMembers {
  const known = new Map<string, KnownMember>();
  for (const literal of literals) {
    if (literal.kind !== "everyProperty" && literal.kind !== "someProperty") continue;
    const name = onlyName(literal.names);
    if (name === undefined) continue;
    const values = listedIn(literal.of);
    // Names are unique, so if some member with this name has a listed value, the member has it.
    const before = known.get(name) ?? { present: false, values: undefined };
    known.set(name, {
      present: before.present || literal.kind === "someProperty",
      values: fewer(before.values, values),
    });
  }
  return known;
}

function fewer(a: readonly unknown[] | undefined, b: readonly unknown[] | undefined): readonly unknown[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.length <= b.length ? a : b;
}

/** The values that a formula allows, when it lists them; those that its other parts refuse may be among them. */
function listedIn(formula: Formula): readonly unknown[] | undefined {
  if (formula.kind === "values") return formula.negated ? undefined : formula.values;
  if (formula.kind !== "all") return undefined;
  return formula.of.map(listedIn).find((values) => values !== undefined);
}

/** Whether a formula about the object follows from the facts (`true`), contradicts them (`false`), or neither. */
export function memberTruth(formula: Formula, known: KnownMembers): boolean | undefined {
  if (known.size === 0) return undefined;
  switch (formula.kind) {
    case "all": {
      const truths = formula.of.map((part) => memberTruth(part, known));
      return truths.includes(false) ? false : truths.every((truth) => truth === true) ? true : undefined;
    }
    case "any": {
      const truths = formula.of.map((part) => memberTruth(part, known));
      return truths.includes(true) ? true : truths.every((truth) => truth === false) ? false : undefined;
    }
    case "everyProperty":
    case "someProperty": {
      const name = onlyName(formula.names);
      const member = name === undefined ? undefined : known.get(name);
      if (member?.values === undefined) return undefined;
      const truths = member.values.map((value) => valueTruth(formula.of, value));
      const [all, none] = [truths.every((truth) => truth === true), truths.every((truth) => truth === false)];
      if (formula.kind === "everyProperty") return all ? true : none && member.present ? false : undefined;
      return all && member.present ? true : none ? false : undefined;
    }
    default:
      return undefined;
  }
}

/** The truth of a formula for a value, as far as types and listed values decide it. */
function valueTruth(formula: Formula, value: unknown): boolean | undefined {
  switch (formula.kind) {
    case "types":
      return formula.types.includes(typeOfValue(value));
    case "values": {
      const key = canonicalJson(value);
      return formula.values.some((one) => canonicalJson(one) === key) !== formula.negated;
    }
    case "all": {
      const truths = formula.of.map((part) => valueTruth(part, value));
      return truths.includes(false) ? false : truths.every((truth) => truth === true) ? true : undefined;
    }
    case "any": {
      const truths = formula.of.map((part) => valueTruth(part, value));
      return truths.includes(true) ? true : truths.every((truth) => truth === false) ? false : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether no value satisfies both, as their types or a listed member show, e.g. the discriminator of a union. */
export function areDisjoint(one: Formula, other: Formula): boolean {
  const [typesOfOne, typesOfOther] = [typesIn(one), typesIn(other)];
  if (typesOfOne !== undefined && typesOfOther !== undefined && !typesOfOne.some((type) => typesOfOther.includes(type)))
    return true;
  if (typesOfOne?.join() !== "object" || typesOfOther?.join() !== "object") return false;
  const [members, others] = [membersKnown(partsOf(one)), membersKnown(partsOf(other))];
  for (const [name, { present, values }] of members) {
    const same = others.get(name);
    if (values === undefined || same?.values === undefined || !(present || same.present)) continue;
    const keys = new Set(values.map(canonicalJson));
    if (!same.values.some((value) => keys.has(canonicalJson(value)))) return true;
  }
  return false;
}

/** Whether all alternatives require one member and list different values of it: a choice of one excludes all others. */
export function isDiscriminated(alternatives: readonly Formula[]): boolean {
  const [first, ...others] = alternatives.map((part) => membersKnown(partsOf(part)));
  return Array.from(first ?? noMembers).some(([name, member]) => {
    const keys = new Set<string>();
    return [member, ...others.map((known) => known.get(name))].every((one) => {
      if (one?.values === undefined || !one.present) return false;
      const own = one.values.map(canonicalJson);
      const isNew = own.every((key) => !keys.has(key));
      for (const key of own) keys.add(key);
      return isNew;
    });
  });
}

function partsOf(formula: Formula): readonly Formula[] {
  return formula.kind === "all" ? formula.of : [formula];
}

function typesIn(formula: Formula): readonly string[] | undefined {
  return partsOf(formula).flatMap((part) => (part.kind === "types" ? [part.types] : []))[0];
}
