import type { RuleFilter, RuleProperties } from "../../engine/rules.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import { correlation, type IndexKey } from "./correlation.ts";
import type { Incoming } from "./incoming.ts";
import { compileSqlAction } from "./sql/action.ts";
import type { Effort, Subject } from "./sql/effort.ts";
import { compileSqlFilter } from "./sql/filter.ts";

/** The subscription of a rule. */
export interface Subscriber {
  /** Takes the copies in that its rules make. */
  take(incoming: Incoming, rules: readonly Rule[], effort: Effort, now: number): void;
  /** Handles a message for which a rule could not be evaluated. */
  fail(incoming: Incoming, error: unknown, now: number): void;
}

/** A rule that has been read once and is evaluated for every message. */
export interface Rule {
  readonly subscription: Subscriber;
  readonly properties: RuleProperties;
  /** A value that every accepted message has; found without evaluating the rule. */
  readonly indexKey: IndexKey | undefined;
  /** @throws SobreError when it cannot be evaluated for the message. */
  matches(subject: Subject): boolean;
  /** Changes the copy of an accepted message. @throws SobreError when it cannot. */
  readonly act: ((subject: Subject) => Envelope) | undefined;
}

/** @throws SobreError `InvalidArgument` with the offset at which an expression cannot be read. */
export function compileRule(subscription: Subscriber, properties: RuleProperties): Rule {
  const { filter, action } = properties;
  const act = action === undefined ? undefined : compileSqlAction(action.expression, action.parameters);
  return { subscription, properties, act, ...compileFilter(filter) };
}

function compileFilter(filter: RuleFilter): Pick<Rule, "matches" | "indexKey"> {
  switch (filter.kind) {
    case "true":
      return { indexKey: undefined, matches: () => true };
    case "false":
      return { indexKey: undefined, matches: () => false };
    case "correlation":
      return correlation(filter);
    case "sql":
      return { indexKey: undefined, matches: compileSqlFilter(filter.expression, filter.parameters) };
    default:
      return filter satisfies never;
  }
}
