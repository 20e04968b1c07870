import type { Envelope } from "../../core/envelope/envelope.ts";
import type { IndexKey } from "./correlation.ts";
import { tooManyRules } from "../../core/engine/refusals.ts";
import type { Rule } from "./rule.ts";

/** The rules that require a value of one property, by that value. */
interface PropertyIndex<Subscription> {
  readonly read: IndexKey["read"];
  readonly byValue: Map<string, Set<Rule<Subscription>>>;
}

/** Maximum number of rules per topic, as in the quotas of Azure Service Bus. */
const maxOtherRules = 2000;
const maxIndexedRules = 100_000;

/** The rules of a topic, indexed by the values that they require; only those that could match are evaluated. */
export class RuleIndex<Subscription> {
  readonly #columns = new Map<string, PropertyIndex<Subscription>>();
  /** The rules that are evaluated for every message. */
  readonly #others = new Set<Rule<Subscription>>();
  #indexed = 0;

  /** @throws SobreError `QuotaExceeded` for rules beyond the limits of Azure Service Bus, which bound the cost of a message. */
  checkRoom(rules: readonly Pick<Rule<unknown>, "indexKey">[]): void {
    const others = rules.filter(({ indexKey }) => indexKey === undefined).length;
    if (this.#others.size + others > maxOtherRules) throw tooManyRules(maxOtherRules, "SQL, true and false filters");
    if (this.#indexed + rules.length - others > maxIndexedRules)
      throw tooManyRules(maxIndexedRules, "correlation filters");
  }

  add(rule: Rule<Subscription>): void {
    if (rule.indexKey === undefined) {
      this.#others.add(rule);
      return;
    }
    this.#indexed++;
    const { property, value, read } = rule.indexKey;
    const column = this.#columns.get(property) ?? { read, byValue: new Map<string, Set<Rule<Subscription>>>() };
    const rules = column.byValue.get(value) ?? new Set<Rule<Subscription>>();
    column.byValue.set(value, rules.add(rule));
    this.#columns.set(property, column);
  }

  delete(rule: Rule<Subscription>): void {
    if (rule.indexKey === undefined) {
      this.#others.delete(rule);
      return;
    }
    const { property, value } = rule.indexKey;
    const byValue = this.#columns.get(property)?.byValue;
    const rules = byValue?.get(value);
    if (rules?.delete(rule) === true) this.#indexed--;
    if (rules?.size === 0) byValue?.delete(value);
    if (byValue?.size === 0) this.#columns.delete(property);
  }

  /** The rules that may accept a message; the others do not. */
  *candidates(envelope: Envelope): Generator<Rule<Subscription>> {
    yield* this.#others;
    for (const { read, byValue } of this.#columns.values()) {
      const value = read(envelope);
      const rules = value === undefined ? undefined : byValue.get(value);
      if (rules !== undefined) yield* rules;
    }
  }
}
