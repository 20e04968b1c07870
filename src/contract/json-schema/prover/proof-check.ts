import { arrayLiterals, itemFormulas } from "./array-items.ts";
import type { FormulaEvaluation } from "./evaluation.ts";
import { type Formula, type FormulaOf, type TypeName, typeNames } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import { finiteValues, listedValues } from "./listed-values.ts";
import { numbersFor } from "./number-literals.ts";
import { memberFormulas, type ObjectLiterals, objectLiterals, openEvery } from "./object-members.ts";
import type { ArrayProof, OtherNameProof, Proof } from "./proof.ts";
import type { Restriction } from "./restriction.ts";
import { stringFor } from "./string-literals.ts";

/** The parts that the checker shares with the search: formulas, their reduction to a type, and their truth for a value. */
export interface ProofGround {
  readonly pool: FormulaPool;
  readonly evaluation: FormulaEvaluation;
  readonly restriction: Restriction;
}

/** Whether `proof` shows, step by step, that no value satisfies all of `formulas`. It never searches. */
export function checkProof(formulas: readonly Formula[], proof: Proof, ground: ProofGround): boolean {
  return new ProofCheck(ground).inside(formulas, proof);
}

class ProofCheck {
  readonly #ground: ProofGround;
  readonly #path: ReadonlySet<number>[] = [];
  readonly #done = new Map<Proof, Set<number>>();
  #lowest = Infinity;

  constructor(ground: ProofGround) {
    this.#ground = ground;
  }

  /** A proof about a separate value. */
  inside(formulas: readonly Formula[], proof: Proof): boolean {
    const flat = this.#ground.pool.all(formulas);
    const members = flat.kind === "all" ? flat.of : [flat];
    const ids = new Set(members.map(({ id }) => id));
    if (proof.rule === "induction") {
      this.#lowest = Math.min(this.#lowest, proof.ancestor);
      const above = this.#path[proof.ancestor];
      return above !== undefined && Array.from(above).every((id) => ids.has(id));
    }
    if (proof.rule !== "types") return false;
    if (this.#done.get(proof)?.has(flat.id) === true) return true;
    const before = this.#lowest;
    this.#lowest = Infinity;
    this.#path.push(ids);
    const cases = new Map(proof.cases);
    const holds = typeNames.every((type) => {
      const inner = cases.get(type);
      return inner !== undefined && this.#further(members, type, inner);
    });
    this.#path.pop();
    const leansOnAncestor = this.#lowest < this.#path.length;
    if (holds && !leansOnAncestor) this.#done.set(proof, new Set(this.#done.get(proof)).add(flat.id));
    this.#lowest = leansOnAncestor ? Math.min(before, this.#lowest) : before;
    return holds;
  }

  /** A proof about a value whose type is known. */
  #further(formulas: readonly Formula[], type: TypeName, proof: Proof): boolean {
    return this.#reduced(this.#ground.restriction.saturate(formulas, type), type, proof);
  }

  #reduced(members: readonly Formula[] | undefined, type: TypeName, proof: Proof | undefined): boolean {
    if (members === undefined) return true;
    if (proof === undefined) return false;
    switch (proof.rule) {
      case "values":
        return this.#noneOf(members, listedValues(members, type));
      case "numbers": {
        const numbers = numbersFor(members);
        return numbers === "none" || (numbers.finite && this.#noneOf(members, numbers.candidates));
      }
      case "strings":
        return type === "string" && stringFor(members, this.#ground.evaluation.formats, "possibly") === "none";
      case "cases": {
        const { of } = proof;
        const others = members.filter((member) => member !== of);
        return (
          of.kind === "any" &&
          others.length < members.length &&
          of.of.length === proof.cases.length &&
          of.of.every((part, at) =>
            this.#reduced(this.#ground.restriction.extend(others, part, type), type, proof.cases[at]),
          )
        );
      }
      case "clash":
        return type === "array" && this.#array(members, proof);
      case "induction":
      case "types":
        return false;
      case "member":
      case "placement":
      case "membersRequired":
      case "membersPossible":
        return type === "object" && this.#object(members, proof);
      default:
        return type === "array" && this.#array(members, proof);
    }
  }

  #noneOf(members: readonly Formula[], values: readonly unknown[] | undefined): boolean {
    const { evaluation } = this.#ground;
    if (values === undefined) return false;
    return values.every((value) => members.some((member) => evaluation.truth(member, value) === false));
  }

  #object(members: readonly Formula[], proof: Proof): boolean {
    const { evaluation, pool } = this.#ground;
    const literals = objectLiterals(members);
    switch (proof.rule) {
      case "member":
        return (
          literals.named.has(proof.name) && this.inside(memberFormulas(proof.name, literals, evaluation), proof.proof)
        );
      case "membersRequired":
        return literals.named.size > literals.max || literals.min > literals.max;
      case "placement": {
        const { of } = proof;
        const rest = members.filter((member) => member !== of);
        if (of.kind !== "someProperty" || rest.length === members.length) return false;
        const shown = new Map(proof.names);
        const places = literals.names.filter((name) => evaluation.truth(of.names, name) !== false);
        const closed = places.every((name) => {
          const inner = shown.get(name);
          return inner !== undefined && this.#object([...rest, pool.someProperty(pool.values([name]), of.of)], inner);
        });
        if (!closed) return false;
        return proof.other.by === "rest"
          ? this.#object(rest, proof.other.proof)
          : this.#other(literals, of, proof.other);
      }
      case "membersPossible": {
        const refused = new Set(
          proof.refused
            .filter(([name, inner]) => this.inside(memberFormulas(name, literals, evaluation), inner))
            .map(([name]) => name),
        );
        const possible = literals.names.filter((name) => !refused.has(name));
        return (
          possible.length < literals.min && this.#other(literals, { names: pool.always, of: pool.always }, proof.other)
        );
      }
      default:
        return false;
    }
  }

  #other(
    literals: ObjectLiterals,
    { names, of }: { readonly names: Formula; readonly of: Formula },
    proof: OtherNameProof,
  ): boolean {
    const { pool } = this.#ground;
    if (proof.by === "count") return literals.named.size + 1 > literals.max;
    const fresh = pool.all([pool.types(["string"]), pool.values(literals.names, true), names]);
    return this.#region([fresh], [of], openEvery(literals), proof);
  }

  #region(
    names: readonly Formula[],
    values: readonly Formula[],
    open: readonly FormulaOf<"everyProperty">[],
    proof: OtherNameProof,
  ): boolean {
    switch (proof.by) {
      case "name":
        return this.inside(names, proof.proof);
      case "value":
        return this.inside(values, proof.proof);
      case "split": {
        const every = open.find((literal) => literal === proof.every);
        return (
          every !== undefined &&
          this.#region([...names, every.names], [...values, every.of], open, proof.inside) &&
          this.#region([...names, this.#ground.pool.not(every.names)], values, open, proof.outside)
        );
      }
      default:
        return false;
    }
  }

  #array(members: readonly Formula[], proof: Proof): boolean {
    const { pool } = this.#ground;
    const literals = arrayLiterals(members);
    const { boundary, min, max } = literals;
    const at = (position: number, ...more: readonly Formula[]): readonly Formula[] => [
      ...itemFormulas(position, literals),
      ...more,
    ];
    switch (proof.rule) {
      case "clash":
        return min > max;
      case "item":
        return proof.at < min && this.inside(at(proof.at), proof.proof);
      case "itemPlacement":
        return this.#itemPlacement(members, proof);
      case "containsPossible": {
        const { of, limit } = proof;
        if (of.kind !== "containsLeast" || !members.includes(of)) return false;
        if (limit !== undefined && !this.inside(at(limit[0]), limit[1])) return false;
        const most = Math.min(max, limit?.[0] ?? Infinity);
        const refused = new Set(
          proof.refused
            .filter(([position, inner]) => this.inside(at(position, of.of), inner))
            .map(([position]) => position),
        );
        const behind = most > boundary && !(proof.tail !== undefined && this.inside(at(boundary, of.of), proof.tail));
        const prefix = Array.from({ length: Math.min(boundary, most) }, (_, position) => position);
        return prefix.filter((position) => !refused.has(position)).length + (behind ? most - boundary : 0) < of.count;
      }
      case "containsForced": {
        const { of } = proof;
        if (of.kind !== "containsMost" || !members.includes(of)) return false;
        const forced = new Map(proof.forced);
        const counts = Array.from(forced, ([position, inner]) =>
          position < min && position <= boundary && this.inside(at(position, pool.not(of.of)), inner)
            ? position === boundary
              ? min - position
              : 1
            : 0,
        );
        return counts.reduce((sum, count) => sum + count, 0) > of.count;
      }
      case "containsExceeded": {
        const { least, most } = proof;
        return (
          [least, most].every((one) => members.includes(one)) &&
          least.count > most.count &&
          this.inside([least.of, pool.not(most.of)], proof.proof)
        );
      }
      case "pigeonhole": {
        if (!literals.unique) return false;
        const known = new Set<string>();
        for (let position = 0; position < min && position <= boundary; position++) {
          const values = finiteValues(at(position), this.#ground);
          if (values === undefined) return false;
          for (const value of values) known.add(value);
        }
        return known.size < min;
      }
      case "duplicate":
        return literals.duplicate !== undefined && this.#duplicate(proof, members);
      default:
        return false;
    }
  }

  #itemPlacement(members: readonly Formula[], proof: ArrayProof & { readonly rule: "itemPlacement" }): boolean {
    const { pool } = this.#ground;
    const { of, tail } = proof;
    const rest = members.filter((member) => member !== of);
    if (of.kind !== "someItem" || rest.length === members.length) return false;
    const literals = arrayLiterals(members);
    const { boundary, max } = literals;
    const shown = new Map(proof.at);
    for (let position = of.from; position < Math.min(of.to, boundary, max); position++) {
      const inner = shown.get(position);
      const here = [pool.everyItem(position, position + 1, of.of), pool.size("array", position + 1, Infinity)];
      if (inner === undefined || !this.#array([...rest, ...here], inner)) return false;
    }
    if (of.to <= boundary || max <= boundary) return true;
    if (tail === undefined) return false;
    if (tail.by === "value") return this.inside([...itemFormulas(boundary, literals), of.of], tail.proof);
    return this.#array([...rest, pool.size("array", boundary + 1, Infinity)], tail.proof);
  }

  #duplicate(proof: ArrayProof & { readonly rule: "duplicate" }, members: readonly Formula[]): boolean {
    const literals = arrayLiterals(members);
    const { boundary, max } = literals;
    for (let left = 0; left <= boundary; left++) {
      for (let right = left === boundary ? boundary : left + 1; right <= boundary; right++) {
        if ((right === left ? right + 1 : right) >= max) continue;
        const inner = proof.pairs.find(([first, second]) => first === left && second === right)?.[2];
        const both = [...itemFormulas(left, literals), ...itemFormulas(right, literals)];
        if (inner === undefined || !this.inside(both, inner)) return false;
      }
    }
    return true;
  }
}
