import { type ArrayLiterals, arrayLiterals, itemFormulas } from "./array-items.ts";
import { finiteValues } from "./listed-values.ts";
import type { Formula, FormulaOf } from "./formula.ts";
import { valueOf } from "./object-outcome.ts";
import type { SearchOutcome, Proof } from "./proof.ts";
import type { Searcher } from "./searcher.ts";

/** Searches for an array that satisfies literals, or a proof that there is none. */
export function arrayOutcome(members: readonly Formula[], searcher: Searcher): SearchOutcome {
  return new ArraySearch(searcher).search(members, []);
}

type Limit = readonly [at: number, proof: Proof];

const maxItems = 3000;
const maxPairs = 400;

class ArraySearch {
  readonly #searcher: Searcher;

  constructor(searcher: Searcher) {
    this.#searcher = searcher;
  }

  /** `tail` holds the formulas of items that were placed at or after the boundary. */
  search(members: readonly Formula[], tail: readonly Formula[]): SearchOutcome {
    const literals = arrayLiterals(members);
    if (literals.min > literals.max) return { kind: "closed", proof: { rule: "clash" } };
    const short = this.#reachable(literals);
    if (short !== undefined && short[0] < literals.min)
      return { kind: "closed", proof: { rule: "item", at: short[0], proof: short[1] } };
    const bounded = { ...literals, max: Math.min(literals.max, short?.[0] ?? Infinity) };
    const refusal = this.#counted(bounded, short);
    if (refusal !== undefined) return { kind: "closed", proof: refusal };
    // If several items of a kind are required, that includes one.
    const some = literals.some.find(
      ({ from, to, of }) => from > 0 || to < Infinity || !literals.least.some((least) => least.of === of),
    );
    if (some !== undefined) return this.#place(some, members, tail);
    if (literals.duplicate !== undefined) return this.#repeat(literals.duplicate, members, tail);
    return this.#build(members, bounded, tail);
  }

  /** The first position that no item can take. */
  #reachable(literals: ArrayLiterals): Limit | undefined {
    for (let at = 0; at <= literals.boundary && at < literals.max; at++) {
      const outcome = this.#searcher.inside(itemFormulas(at, literals));
      if (outcome.kind === "closed") return [at, outcome.proof];
    }
    return undefined;
  }

  #counted(literals: ArrayLiterals, limit: Limit | undefined): Proof | undefined {
    for (const literal of literals.least) {
      const proof = this.#containsPossible(literal, literals, limit);
      if (proof !== undefined) return proof;
    }
    for (const literal of literals.most) {
      const proof = this.#containsForced(literal, literals) ?? this.#containsExceeded(literal, literals);
      if (proof !== undefined) return proof;
    }
    if (!literals.unique || literals.min < 2 || literals.min > 300) return undefined;
    const known = new Set<string>();
    for (let at = 0; at < literals.min; at++) {
      const values = finiteValues(itemFormulas(at, literals), this.#searcher);
      if (values === undefined) return undefined;
      for (const value of values) known.add(value);
      if (at >= literals.boundary) break;
    }
    return known.size < literals.min ? { rule: "pigeonhole" } : undefined;
  }

  #containsPossible(
    of: FormulaOf<"containsLeast">,
    literals: ArrayLiterals,
    limit: Limit | undefined,
  ): Proof | undefined {
    const refused: (readonly [number, Proof])[] = [];
    const end = Math.min(literals.boundary, literals.max);
    for (let at = 0; at < end; at++) {
      const outcome = this.#searcher.inside([...itemFormulas(at, literals), of.of]);
      if (outcome.kind === "closed") refused.push([at, outcome.proof]);
    }
    const behind = literals.max > literals.boundary;
    const tail = behind ? this.#searcher.inside([...itemFormulas(literals.boundary, literals), of.of]) : undefined;
    const more = tail === undefined || tail.kind === "closed" ? 0 : literals.max - literals.boundary;
    if (end - refused.length + more >= of.count) return undefined;
    return { rule: "containsPossible", of, refused, tail: tail?.kind === "closed" ? tail.proof : undefined, limit };
  }

  #containsForced(of: FormulaOf<"containsMost">, literals: ArrayLiterals): Proof | undefined {
    const { pool } = this.#searcher;
    const forced: (readonly [number, Proof])[] = [];
    let count = 0;
    for (let at = 0; at < literals.min && at <= literals.boundary; at++) {
      const outcome = this.#searcher.inside([...itemFormulas(at, literals), pool.not(of.of)]);
      if (outcome.kind !== "closed") continue;
      forced.push([at, outcome.proof]);
      count += at === literals.boundary ? literals.min - at : 1;
    }
    return count > of.count ? { rule: "containsForced", of, forced } : undefined;
  }

  #containsExceeded(most: FormulaOf<"containsMost">, literals: ArrayLiterals): Proof | undefined {
    for (const least of literals.least) {
      if (least.count <= most.count) continue;
      const outcome = this.#searcher.inside([least.of, this.#searcher.pool.not(most.of)]);
      if (outcome.kind === "closed") return { rule: "containsExceeded", least, most, proof: outcome.proof };
    }
    return undefined;
  }

  /** Tries every position for an item that is wanted somewhere. */
  #place(some: FormulaOf<"someItem">, members: readonly Formula[], tail: readonly Formula[]): SearchOutcome {
    const { pool } = this.#searcher;
    const literals = arrayLiterals(members);
    const rest = members.filter((member) => member !== some);
    const at: (readonly [number, Proof])[] = [];
    let unknown: SearchOutcome | undefined;
    for (let position = some.from; position < Math.min(some.to, literals.boundary, literals.max); position++) {
      const here = [pool.everyItem(position, position + 1, some.of), pool.size("array", position + 1, Infinity)];
      const outcome = this.search([...rest, ...here], tail);
      if (outcome.kind === "open") return outcome;
      if (outcome.kind === "closed") at.push([position, outcome.proof]);
      else unknown = outcome;
    }
    const { boundary } = literals;
    if (some.to <= boundary || literals.max <= boundary)
      return unknown ?? { kind: "closed", proof: { rule: "itemPlacement", of: some, at, tail: undefined } };
    const value = this.#searcher.inside([...itemFormulas(boundary, literals), some.of]);
    if (value.kind === "closed") {
      const closing: Proof = { rule: "itemPlacement", of: some, at, tail: { by: "value", proof: value.proof } };
      return unknown ?? { kind: "closed", proof: closing };
    }
    const outcome = this.search([...rest, pool.size("array", boundary + 1, Infinity)], [...tail, some.of]);
    if (outcome.kind !== "closed") return outcome.kind === "open" ? outcome : (unknown ?? outcome);
    const proof: Proof = { rule: "itemPlacement", of: some, at, tail: { by: "rest", proof: outcome.proof } };
    return unknown ?? { kind: "closed", proof };
  }

  /** Tries every pair of positions for two equal items. */
  #repeat(duplicate: FormulaOf<"unique">, members: readonly Formula[], tail: readonly Formula[]): SearchOutcome {
    const { pool } = this.#searcher;
    const literals = arrayLiterals(members);
    const { boundary, max } = literals;
    if (boundary * boundary > maxPairs) return { kind: "unknown", why: "too many pairs of items" };
    const rest = members.filter((member) => member !== duplicate);
    const pairs: (readonly [number, number, Proof | undefined])[] = [];
    let unknown: SearchOutcome | undefined;
    for (let left = 0; left <= boundary; left++) {
      for (let right = left === boundary ? boundary : left + 1; right <= boundary; right++) {
        const [first, second] = [left, right === left ? right + 1 : right];
        if (second >= max) {
          pairs.push([left, right, undefined]);
          continue;
        }
        const both = this.#searcher.inside([...itemFormulas(left, literals), ...itemFormulas(right, literals)]);
        if (both.kind === "closed") {
          pairs.push([left, right, both.proof]);
          continue;
        }
        const value = valueOf(both);
        unknown ??= { kind: "unknown", why: "two equal items are not decided" };
        if (value === undefined) continue;
        const same = pool.values([value.value]);
        const here = [first, second].map((position) => pool.everyItem(position, position + 1, same));
        const outcome = this.search([...rest, ...here, pool.size("array", second + 1, Infinity)], tail);
        if (outcome.kind === "open") return outcome;
      }
    }
    return unknown ?? { kind: "closed", proof: { rule: "duplicate", pairs } };
  }

  /** Makes an array item by item. */
  #build(members: readonly Formula[], literals: ArrayLiterals, tail: readonly Formula[]): SearchOutcome {
    const { pool } = this.#searcher;
    const anywhere = literals.least.flatMap(({ count, of }) =>
      Array.from({ length: Math.min(count, maxItems) }, () => of),
    );
    const wanted = [...tail, ...anywhere];
    const start = Math.min(literals.boundary, literals.max);
    const tailRoom = literals.max - start;
    const inPrefix = Math.max(0, wanted.length - tailRoom);
    const length = Math.max(
      literals.min,
      wanted.length === 0 ? 0 : Math.min(literals.max, start + wanted.length - inPrefix),
    );
    if (length > maxItems) return { kind: "unknown", why: "the arrays are too long" };
    const items: unknown[] = [];
    let unsure = false;
    let pending = wanted;
    for (let at = 0; at < length; at++) {
      const base = itemFormulas(at, literals);
      const taken = literals.unique && items.length > 0 ? [pool.values(items, true)] : [];
      const left = length - at;
      const [next] = pending;
      // An item that was placed after the boundary counts only there.
      const counts = at >= start || pending.length <= anywhere.length;
      const wish =
        next !== undefined && (at >= start || pending.length >= left || literals.boundary === 0) ? [next] : [];
      const avoid = wish.length > 0 ? [] : literals.most.map(({ of }) => pool.not(of));
      const outcome = this.#firstOpen([
        [...base, ...taken, ...wish, ...avoid],
        [...base, ...taken, ...wish],
        [...base, ...taken, ...(next === undefined ? [] : [next])],
        [...base, ...taken],
      ]);
      const value = outcome === undefined ? undefined : valueOf(outcome);
      if (value === undefined) return { kind: "unknown", why: "an item is not decided" };
      if (outcome?.kind === "unknown") unsure = true;
      items.push(value.value);
      pending =
        next !== undefined && counts && this.#searcher.evaluation.truth(next, value.value) === true
          ? pending.slice(1)
          : pending;
    }
    const truths = members.map((member) => this.#searcher.evaluation.truth(member, items));
    if (truths.every((truth) => truth === true)) return { kind: "open", value: items };
    const why = unsure ? "an item is not decided" : "no array was found";
    return truths.includes(false) ? { kind: "unknown", why } : { kind: "unknown", why, candidate: { value: items } };
  }

  #firstOpen(sets: readonly (readonly Formula[])[]): SearchOutcome | undefined {
    let last: SearchOutcome | undefined;
    for (const set of sets) {
      const outcome = this.#searcher.inside(set);
      if (outcome.kind === "open") return outcome;
      if (outcome.kind === "unknown") last ??= outcome;
    }
    return last;
  }
}
