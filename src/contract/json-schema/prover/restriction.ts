import { type Formula, typeOfLiteral, typeOfValue, type TypeName } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import { memberTruth, membersKnown, noMembers } from "./known-members.ts";
import { isObject } from "../json-value.ts";

/** A set of formulas about a value of one type, reduced; `undefined` when it contradicts itself. */
export type Reduced = readonly Formula[] | undefined;

/** Listed objects and arrays that are refused are described member by member, unless they are many. */
const maxDescribedValues = 8;

/** Reduces formulas to what they say of one type, with every consequence that needs no search. */
export class Restriction {
  readonly #pool: FormulaPool;
  readonly #memos = new Map<TypeName, Map<number, Formula>>();

  constructor(pool: FormulaPool) {
    this.#pool = pool;
  }

  /** The formula as it reads for a value of `type`. */
  restrict(formula: Formula, type: TypeName): Formula {
    const memo = this.#memos.get(type) ?? new Map<number, Formula>();
    this.#memos.set(type, memo);
    const known = memo.get(formula.id);
    if (known !== undefined) return known;
    const made = this.#make(formula, type);
    memo.set(formula.id, made);
    return made;
  }

  #make(formula: Formula, type: TypeName): Formula {
    const pool = this.#pool;
    switch (formula.kind) {
      case "all":
        return pool.all(formula.of.map((part) => this.restrict(part, type)));
      case "any":
        return pool.any(formula.of.map((part) => this.restrict(part, type)));
      case "types":
        return formula.types.includes(type) ? pool.always : pool.never;
      case "values": {
        const values = formula.values.filter((value) => typeOfValue(value) === type);
        const structured = type === "array" || type === "object";
        if (!formula.negated || !structured || values.length > maxDescribedValues)
          return pool.values(values, formula.negated);
        return pool.all(values.map((value) => this.restrict(pool.not(this.#exactly(value)), type)));
      }
      default: {
        const own = typeOfLiteral(formula);
        return own === undefined || own === type ? formula : pool.always;
      }
    }
  }

  /** All consequences that need no case distinction. */
  saturate(formulas: readonly Formula[], type: TypeName): Reduced {
    // Most schemas name one type, so that five of six cases end here.
    if (formulas.some((formula) => formula.kind === "types" && !formula.types.includes(type))) return undefined;
    return this.#closure(
      new Map(),
      formulas.map((formula) => this.restrict(formula, type)),
      type,
    );
  }

  /** All consequences of a reduced set and one more formula. */
  extend(reduced: readonly Formula[], more: Formula, type: TypeName): Reduced {
    this.#pool.meter.spend(reduced.length);
    return this.#closure(new Map(reduced.map((member) => [member.id, member])), [this.restrict(more, type)], type);
  }

  #closure(members: Map<number, Formula>, queue: Formula[], type: TypeName): Reduced {
    // A reference that is a member was unfolded when it became one.
    const unfolded = new Set<number>();
    for (;;) {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        this.#pool.meter.spend();
        if (next === this.#pool.never) return undefined;
        if (next.kind === "all") queue.push(...next.of);
        else if (!members.has(next.id)) {
          members.set(next.id, next);
          if (next.kind !== "any" && this.#implied(this.#negation(next, type), members)) return undefined;
          if (next.kind === "reference" && !unfolded.has(next.id)) {
            unfolded.add(next.id);
            queue.push(this.restrict(this.#pool.unfold(next), type));
          }
        }
      }
      if (!this.#propagate(members, type, queue)) return undefined;
      if (queue.length === 0) return Array.from(members.values());
    }
  }

  /** Drops alternatives that the other members refute; false when one has none left. */
  #propagate(members: Map<number, Formula>, type: TypeName, queue: Formula[]): boolean {
    const alternatives = Array.from(members.values()).filter((member) => member.kind === "any");
    if (alternatives.length === 0) return true;
    const known = type === "object" ? membersKnown(members.values()) : noMembers;
    for (const member of alternatives) {
      members.delete(member.id);
      this.#pool.meter.spend(member.of.length);
      if (member.of.some((part) => memberTruth(part, known) === true || this.#implied(part, members))) continue;
      const left = member.of.filter(
        (part) => memberTruth(part, known) !== false && !this.#implied(this.#negation(part, type), members),
      );
      if (left.length === 0) return false;
      const reduced = left.length === member.of.length ? member : this.#pool.any(left);
      if (reduced.kind === "any") members.set(reduced.id, reduced);
      else queue.push(reduced);
    }
    return true;
  }

  #negation(formula: Formula, type: TypeName): Formula {
    return this.restrict(this.#pool.not(formula), type);
  }

  #implied(formula: Formula, members: ReadonlyMap<number, Formula>): boolean {
    if (members.has(formula.id)) return true;
    if (formula.kind === "all") return formula.of.every((part) => this.#implied(part, members));
    return formula.kind === "any" && formula.of.some((part) => this.#implied(part, members));
  }

  /** The formula that only `value` satisfies, one level deep. */
  #exactly(value: unknown): Formula {
    const pool = this.#pool;
    if (Array.isArray(value)) {
      return pool.all([
        pool.types(["array"]),
        pool.size("array", value.length, value.length),
        ...value.map((item, at) => pool.everyItem(at, at + 1, pool.values([item]))),
      ]);
    }
    const members = isObject(value) ? Object.entries(value) : [];
    return pool.all([
      pool.types(["object"]),
      ...members.map(([name, member]) => pool.someProperty(pool.values([name]), pool.values([member]))),
      pool.everyProperty(
        pool.values(
          members.map(([name]) => name),
          true,
        ),
        pool.never,
      ),
    ]);
  }
}
