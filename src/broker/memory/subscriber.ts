import type { Rule } from "../policy/rule.ts";
import type { Effort } from "../policy/sql/effort.ts";
import type { Incoming } from "./incoming.ts";

/** The subscription of a rule. */
export interface Subscriber {
  /** Accepts the copies that its rules make. */
  take(incoming: Incoming, rules: readonly Rule<Subscriber>[], effort: Effort, now: number): void;
  /** Handles a message for which a rule could not be evaluated. */
  fail(incoming: Incoming, error: unknown, now: number): void;
}
