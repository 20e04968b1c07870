import type { RuleFilter, RuleProperties } from "../../core/engine/rules.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { correlation, type IndexKey } from "./correlation.ts";
import { compileSqlAction } from "./sql/action.ts";
import type { RuleSubject } from "./sql/effort.ts";
import { compileSqlFilter } from "./sql/filter.ts";

/** A rule that has been read once and is evaluated for every message. */
export interface Rule<Subscription> {
  /** The receiver of the messages that it accepts. */
  readonly subscription: Subscription;
  readonly properties: RuleProperties;
  /** A value that every accepted message has; it can be looked up without evaluating the rule. */
  readonly indexKey: IndexKey | undefined;
  /** @throws SobreError when it cannot be evaluated for the message. */
  matches(subject: RuleSubject): boolean;
  /** Changes the copy of an accepted message. @throws SobreError when it cannot. */
  readonly act: ((subject: RuleSubject) => Envelope) | undefined;
}

/** @throws SobreError `InvalidArgument` with the offset of a syntax error in an expression. */
export function compileRule<Subscription>(subscription: Subscription, properties: RuleProperties): Rule<Subscription> {
  const { filter, action } = properties;
  const act = action === undefined ? undefined : compileSqlAction(action.expression, action.parameters);
  return { subscription, properties, act, ...compileFilter(filter) };
}

function compileFilter(filter: RuleFilter): Pick<Rule<never>, "matches" | "indexKey"> {
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
