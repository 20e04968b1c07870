import { arrayOutcome } from "./array-outcome.ts";
import type { FormulaEvaluation } from "./evaluation.ts";
import { formatSamples } from "../formats.ts";
import { type Formula, type FormulaOf, type TypeName, typeNames } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import { isDiscriminated } from "./known-members.ts";
import { listedValues } from "./listed-values.ts";
import { numbersFor } from "./number-literals.ts";
import { objectOutcome } from "./object-outcome.ts";
import type { SearchOutcome, Proof } from "./proof.ts";
import type { Restriction } from "./restriction.ts";
import type { Searcher } from "./searcher.ts";
import { fractionOf, obstacleOf } from "./obstacles.ts";
import { stringFor } from "./string-literals.ts";

/** Options of {@link Refutation}. */
export interface RefutationOptions {
  readonly pool: FormulaPool;
  readonly evaluation: FormulaEvaluation;
  readonly restriction: Restriction;
}

/**
 * Searches for a value that satisfies a set of formulas, by cases; when every case contradicts itself, their tree is the
 * proof that there is none.
 */
export class Refutation implements Searcher {
  readonly pool: FormulaPool;
  readonly evaluation: FormulaEvaluation;
  readonly restriction: Restriction;
  readonly #closed = new Map<string, SearchOutcome>();
  readonly #unions = new Map<number, boolean>();
  readonly #path: ReadonlySet<number>[] = [];
  /** The outermost ancestor that the steps since the last reset have leaned on. */
  #lowest = Infinity;

  constructor(options: RefutationOptions) {
    this.pool = options.pool;
    this.evaluation = options.evaluation;
    this.restriction = options.restriction;
  }

  /** Searches for a separate value. @throws SobreError `LimitExceeded` when the budget is used up. */
  search(formulas: readonly Formula[]): SearchOutcome {
    return this.inside(formulas);
  }

  inside(formulas: readonly Formula[]): SearchOutcome {
    this.pool.meter.spend(stepsOfSearch);
    const flat = this.pool.all(formulas);
    const members = flat.kind === "all" ? flat.of : [flat];
    const ids = new Set(members.map(({ id }) => id));
    const ancestor = this.#path.findIndex((above) => isSubset(above, ids));
    if (ancestor >= 0) {
      this.#lowest = Math.min(this.#lowest, ancestor);
      return { kind: "closed", proof: { rule: "induction", ancestor } };
    }
    const key = `${flat.id}`;
    const known = this.#closed.get(key);
    if (known !== undefined) return known;
    if (this.#path.length >= maxDepth) return { kind: "unknown", why: "the values nest too deep" };
    const before = this.#lowest;
    this.#lowest = Infinity;
    this.#path.push(ids);
    const outcome = this.#verified(flat, this.#byType(members));
    this.#path.pop();
    const leansOnAncestor = this.#lowest < this.#path.length;
    if (outcome.kind === "open" || (outcome.kind === "closed" && !leansOnAncestor)) this.#closed.set(key, outcome);
    this.#lowest = leansOnAncestor ? Math.min(before, this.#lowest) : before;
    return outcome;
  }

  #further(members: readonly Formula[], type: TypeName, more?: Formula): SearchOutcome {
    this.pool.meter.spend(stepsOfSearch);
    const { restriction } = this;
    const reduced = more === undefined ? restriction.saturate(members, type) : restriction.extend(members, more, type);
    if (reduced === undefined) return { kind: "closed", proof: { rule: "clash" } };
    return this.#ofType(reduced, type);
  }

  #verified(formula: Formula, outcome: SearchOutcome): SearchOutcome {
    if (outcome.kind !== "open" || this.evaluation.truth(formula, outcome.value) === true) return outcome;
    return { kind: "unknown", why: "the value that was found does not fit" };
  }

  #byType(members: readonly Formula[]): SearchOutcome {
    const cases: (readonly [TypeName, Proof])[] = [];
    let unknown: SearchOutcome | undefined;
    for (const type of typeNames) {
      const outcome = this.#further(members, type);
      if (outcome.kind === "open") return outcome;
      if (outcome.kind === "closed") cases.push([type, outcome.proof]);
      else unknown = better(unknown, outcome);
    }
    return unknown ?? { kind: "closed", proof: { rule: "types", cases } };
  }

  #ofType(members: readonly Formula[], type: TypeName): SearchOutcome {
    const listed = listedValues(members, type);
    if (listed !== undefined) return this.#amongValues(members, listed, { rule: "values" });
    const alternatives = members.filter((member) => member.kind === "any");
    const literals = members.filter((member) => member.kind !== "any");
    const outcome = this.#byLiterals(literals, type);
    if (outcome.kind === "closed" || alternatives.length === 0) return outcome;
    if (outcome.kind === "open" && this.#holds(members, outcome.value)) return outcome;
    const choice = this.#choiceOf(alternatives);
    return choice === undefined ? outcome : this.#byCases(members, choice, type);
  }

  /** The alternatives to go through: a union with a discriminator, as each of its cases decides others, or else the fewest. */
  #choiceOf(alternatives: readonly Formula[]): FormulaOf<"any"> | undefined {
    let best: { readonly of: FormulaOf<"any">; readonly rank: number } | undefined;
    for (const of of alternatives) {
      if (of.kind !== "any") continue;
      const rank = of.of.length + (this.#isUnion(of) ? 0 : leastOfOthers);
      if (best === undefined || rank < best.rank) best = { of, rank };
    }
    return best?.of;
  }

  #isUnion({ id, of }: FormulaOf<"any">): boolean {
    const known = this.#unions.get(id);
    if (known !== undefined) return known;
    this.pool.meter.spend(of.length);
    const made = of.length > 2 && isDiscriminated(of);
    this.#unions.set(id, made);
    return made;
  }

  #byCases(members: readonly Formula[], of: Formula & { readonly kind: "any" }, type: TypeName): SearchOutcome {
    const others = members.filter((member) => member !== of);
    const cases: Proof[] = [];
    let unknown: SearchOutcome | undefined;
    for (const part of of.of) {
      const outcome = this.#further(others, type, part);
      if (outcome.kind === "open") return outcome;
      if (outcome.kind === "closed") cases.push(outcome.proof);
      else unknown = better(unknown, outcome);
    }
    return unknown ?? { kind: "closed", proof: { rule: "cases", of, cases } };
  }

  #byLiterals(members: readonly Formula[], type: TypeName): SearchOutcome {
    switch (type) {
      case "null":
      case "boolean":
        return { kind: "unknown", why: "no value is listed" };
      case "number": {
        const numbers = numbersFor(members);
        if (numbers === "none") return { kind: "closed", proof: { rule: "numbers" } };
        const proof: Proof | undefined = numbers.finite ? { rule: "numbers" } : undefined;
        const outcome = this.#amongValues(members, numbers.candidates, proof);
        return outcome.kind === "unknown" ? { ...outcome, why: fractionOf(members) ?? outcome.why } : outcome;
      }
      case "string":
        if (members.some(({ kind }) => kind !== "size")) this.pool.meter.spend(stepsOfStrings);
        return this.#byString(members);
      case "object":
        return objectOutcome(members, this);
      default:
        return arrayOutcome(members, this);
    }
  }

  #byString(members: readonly Formula[]): SearchOutcome {
    const { formats } = this.evaluation;
    const found = stringFor(members, formats, "possibly");
    if (found === "none") return { kind: "closed", proof: { rule: "strings" } };
    const candidates = found === "unknown" ? [] : [found.text];
    if (!members.some(({ kind }) => kind === "format" || kind === "pattern"))
      return this.#amongValues(members, candidates, undefined);
    const sure = members.some(({ kind }) => kind === "format") ? stringFor(members, formats, "surely") : "none";
    const first = typeof sure === "object" ? [sure.text] : [];
    const values = [...first, ...candidates, ...formatSamples, "a", "x", "A1"];
    const outcome = this.#amongValues(members, values, undefined);
    return outcome.kind === "unknown" ? { ...outcome, why: obstacleOf(members, formats) ?? outcome.why } : outcome;
  }

  #amongValues(members: readonly Formula[], values: readonly unknown[], proof: Proof | undefined): SearchOutcome {
    let candidate: { readonly value: unknown } | undefined;
    for (const value of values) {
      const truths = members.map((member) => this.evaluation.truth(member, value));
      if (truths.every((truth) => truth === true)) return { kind: "open", value };
      if (!truths.includes(false)) candidate ??= { value };
    }
    if (candidate === undefined && proof !== undefined) return { kind: "closed", proof };
    return { kind: "unknown", why: "no value was found among those tried", ...(candidate ? { candidate } : {}) };
  }

  #holds(members: readonly Formula[], value: unknown): boolean {
    return members.every((member) => this.evaluation.truth(member, value) === true);
  }
}

const maxDepth = 60;

/** Puts alternatives without a discriminator after those with one. */
const leastOfOthers = 1_000_000;

/** The steps that one search for a value counts for, besides those that it takes. */
const stepsOfSearch = 10;

/** The same for strings of more than a length, whose automata have their own limits. */
const stepsOfStrings = 1000;

function better(old: SearchOutcome | undefined, next: SearchOutcome): SearchOutcome {
  return old?.kind === "unknown" && old.candidate !== undefined ? old : next;
}

function isSubset(small: ReadonlySet<number>, large: ReadonlySet<number>): boolean {
  if (small.size > large.size) return false;
  for (const id of small) if (!large.has(id)) return false;
  return true;
}
