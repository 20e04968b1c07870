import type { Envelope } from "../../envelope/envelope.ts";
import { valueOf } from "./correlation.ts";
import type { Rule } from "./rule.ts";

/** The rules of a topic, found by the values that they want; only those that could match are evaluated. */
export class RuleIndex {
  /** Rules by property, then by the value it must have. */
  readonly #indexed = new Map<string, Map<string, Set<Rule>>>();
  readonly #others = new Set<Rule>();

  add(rule: Rule): void {
    if (rule.indexKey === undefined) {
      this.#others.add(rule);
      return;
    }
    const { property, value } = rule.indexKey;
    const byValue = this.#indexed.get(property) ?? new Map<string, Set<Rule>>();
    const rules = byValue.get(value) ?? new Set<Rule>();
    this.#indexed.set(property, byValue.set(value, rules.add(rule)));
  }

  delete(rule: Rule): void {
    this.#others.delete(rule);
    if (rule.indexKey === undefined) return;
    const { property, value } = rule.indexKey;
    const byValue = this.#indexed.get(property);
    const rules = byValue?.get(value);
    rules?.delete(rule);
    if (rules?.size === 0) byValue?.delete(value);
    if (byValue?.size === 0) this.#indexed.delete(property);
  }

  /** The rules that may let a message through; the others do not. */
  *candidates(envelope: Envelope): Generator<Rule> {
    yield* this.#others;
    for (const [property, byValue] of this.#indexed) {
      const value = valueOf(envelope, property);
      const rules = value === undefined ? undefined : byValue.get(value);
      if (rules !== undefined) yield* rules;
    }
  }
}
