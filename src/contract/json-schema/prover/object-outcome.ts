import type { Formula, FormulaOf } from "./formula.ts";
import { objectOf } from "../json-value.ts";
import { memberFormulas, type ObjectLiterals, objectLiterals, openEvery } from "./object-members.ts";
import type { OtherNameProof, SearchOutcome, Proof } from "./proof.ts";
import type { Searcher } from "./searcher.ts";

/** A member under a name that no formula mentions. */
interface OtherMember {
  readonly name: string;
  readonly value: unknown;
}

type OtherOutcome =
  | { readonly kind: "closed"; readonly proof: OtherNameProof }
  | { readonly kind: "open"; readonly member: OtherMember; readonly sure: boolean }
  | { readonly kind: "unknown" };

/** Searches for an object that satisfies literals, or a proof that there is none. */
export function objectOutcome(members: readonly Formula[], searcher: Searcher): SearchOutcome {
  return new ObjectSearch(searcher).search(members, []);
}

class ObjectSearch {
  readonly #searcher: Searcher;

  constructor(searcher: Searcher) {
    this.#searcher = searcher;
  }

  search(members: readonly Formula[], placed: readonly OtherMember[]): SearchOutcome {
    this.#searcher.pool.meter.spend(members.length);
    const literals = objectLiterals(members);
    const { named, min, max } = literals;
    if (named.size > max || min > max) return { kind: "closed", proof: { rule: "membersRequired" } };
    const found = new Map<string, unknown>(placed.map(({ name, value }) => [name, value]));
    let unsure = false;
    for (const name of named.keys()) {
      const outcome = this.#member(name, literals);
      if (outcome.kind === "closed") return { kind: "closed", proof: { rule: "member", name, proof: outcome.proof } };
      const value = valueOf(outcome);
      if (outcome.kind === "unknown") unsure = true;
      if (value !== undefined) found.set(name, value.value);
    }
    const [some] = literals.some;
    if (some !== undefined) return this.#place(some, members, placed);
    const refusal = this.#fill(literals, found);
    if (refusal !== undefined) return { kind: "closed", proof: refusal };
    return this.#judged(members, found, unsure);
  }

  #judged(members: readonly Formula[], found: ReadonlyMap<string, unknown>, unsure: boolean): SearchOutcome {
    const value = objectOf(found);
    const truths = members.map((member) => this.#searcher.evaluation.truth(member, value));
    if (truths.every((truth) => truth === true)) return { kind: "open", value };
    const why = unsure ? "a member is not decided" : "no object was found";
    return truths.includes(false) ? { kind: "unknown", why } : { kind: "unknown", why, candidate: { value } };
  }

  #member(name: string, literals: ObjectLiterals): SearchOutcome {
    return this.#searcher.inside(memberFormulas(name, literals, this.#searcher.evaluation));
  }

  /** Tries every place for a member that is required under some name of a kind. */
  #place(some: FormulaOf<"someProperty">, members: readonly Formula[], placed: readonly OtherMember[]): SearchOutcome {
    const { pool, evaluation } = this.#searcher;
    const rest = members.filter((member) => member !== some);
    const literals = objectLiterals(members);
    const names: (readonly [string, Proof])[] = [];
    let unknown: SearchOutcome | undefined;
    for (const name of literals.names) {
      if (evaluation.truth(some.names, name) === false) continue;
      const outcome = this.search([...rest, pool.someProperty(pool.values([name]), some.of)], placed);
      if (outcome.kind === "open") {
        if (evaluation.truth(some, outcome.value) === true) return outcome;
        unknown = { kind: "unknown", why: "a name is not decided" };
      } else if (outcome.kind === "closed") names.push([name, outcome.proof]);
      else unknown = outcome;
    }
    const other = this.#otherMember(literals, some, placed);
    if (other.kind === "unknown") return unknown ?? { kind: "unknown", why: "another name is not decided" };
    if (other.kind === "closed")
      return unknown ?? { kind: "closed", proof: { rule: "placement", of: some, names, other: other.proof } };
    const outcome = this.search(rest, [...placed, other.member]);
    if (outcome.kind === "closed" && unknown === undefined)
      return {
        kind: "closed",
        proof: { rule: "placement", of: some, names, other: { by: "rest", proof: outcome.proof } },
      };
    return outcome.kind === "open" ? outcome : (unknown ?? outcome);
  }

  /** Searches for a member under a name that no formula mentions. */
  #otherMember(
    literals: ObjectLiterals,
    { names, of }: { readonly names: Formula; readonly of: Formula },
    placed: readonly OtherMember[],
  ): OtherOutcome {
    const { pool } = this.#searcher;
    if (literals.named.size + 1 > literals.max) return { kind: "closed", proof: { by: "count" } };
    const fresh = pool.all([pool.types(["string"]), pool.values(literals.names, true), names]);
    return this.#region([fresh], [of], { open: openEvery(literals), taken: placed.map(({ name }) => name) });
  }

  #region(
    names: readonly Formula[],
    values: readonly Formula[],
    left: { readonly open: readonly FormulaOf<"everyProperty">[]; readonly taken: readonly string[] },
  ): OtherOutcome {
    const searcher = this.#searcher;
    const { pool } = searcher;
    const name = searcher.inside(names);
    if (name.kind === "closed") return { kind: "closed", proof: { by: "name", proof: name.proof } };
    const value = searcher.inside(values);
    if (value.kind === "closed") return { kind: "closed", proof: { by: "value", proof: value.proof } };
    const [every, ...open] = left.open;
    if (every !== undefined) {
      const next = { ...left, open };
      const outside = this.#region([...names, pool.not(every.names)], values, next);
      if (outside.kind === "open" && outside.sure) return outside;
      const inside = this.#region([...names, every.names], [...values, every.of], next);
      if (inside.kind === "open" && inside.sure) return inside;
      if (outside.kind === "closed" && inside.kind === "closed")
        return { kind: "closed", proof: { by: "split", every, inside: inside.proof, outside: outside.proof } };
      return outside.kind === "open" ? outside : inside.kind === "open" ? inside : { kind: "unknown" };
    }
    const free = left.taken.length === 0 ? name : searcher.inside([...names, pool.values(left.taken, true)]);
    const [nameFound, valueFound] = [valueOf(free), valueOf(value)];
    if (typeof nameFound?.value !== "string" || valueFound === undefined) return { kind: "unknown" };
    const sure = free.kind === "open" && value.kind === "open";
    return { kind: "open", member: { name: nameFound.value, value: valueFound.value }, sure };
  }

  /** Adds members until there are enough; gives the proof when there never are. */
  #fill(literals: ObjectLiterals, found: Map<string, unknown>): Proof | undefined {
    const { min, max, names } = literals;
    const refused: (readonly [string, Proof])[] = [];
    for (const name of names) {
      if (found.size >= min) return undefined;
      if (found.has(name)) continue;
      const outcome = this.#member(name, literals);
      if (outcome.kind === "closed") refused.push([name, outcome.proof]);
      else found.set(name, valueOf(outcome)?.value ?? null);
    }
    while (found.size < min && found.size < Math.min(max, maxMembers)) {
      const { pool } = this.#searcher;
      const taken = Array.from(found, ([name, value]) => ({ name, value }));
      const other = this.#otherMember(literals, { names: pool.always, of: pool.always }, taken);
      if (other.kind === "open") found.set(other.member.name, other.member.value);
      else if (other.kind === "unknown") return undefined;
      else {
        const possible = names.filter((name) => !refused.some(([closed]) => closed === name));
        return possible.length < min ? { rule: "membersPossible", refused, other: other.proof } : undefined;
      }
    }
    return undefined;
  }
}

const maxMembers = 2000;

/** The value that an outcome has to offer. */
export function valueOf(outcome: SearchOutcome): { readonly value: unknown } | undefined {
  if (outcome.kind === "open") return { value: outcome.value };
  return outcome.kind === "unknown" ? outcome.candidate : undefined;
}
