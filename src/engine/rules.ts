import type { ApplicationPropertyValue } from "../envelope/application-properties.ts";

/** Lets every message through, or none. */
export interface BooleanFilter {
  readonly kind: "true" | "false";
}

/** Lets messages through that equal it in every member given; values are compared with case. */
export interface CorrelationFilter {
  readonly kind: "correlation";
  readonly contentType?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly replyToSessionId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly subject?: string | undefined;
  readonly to?: string | undefined;
  readonly applicationProperties?: Readonly<Record<string, ApplicationPropertyValue>> | undefined;
}

/** Lets messages through for which the condition is true. */
export interface SqlFilter {
  readonly kind: "sql";
  /** A condition of the Service Bus SQL filter syntax, at most 1,024 characters. */
  readonly expression: string;
  /** Values of `@name` parameters. */
  readonly parameters?: Readonly<Record<string, ApplicationPropertyValue>> | undefined;
}

/** Which messages a rule lets through. */
export type RuleFilter = BooleanFilter | CorrelationFilter | SqlFilter;

/** What a rule does to the copy that it lets through. */
export interface RuleAction {
  readonly kind: "sql";
  /** `SET` and `REMOVE` statements of the Service Bus SQL action syntax, at most 1,024 characters. */
  readonly expression: string;
  /** Values of `@name` parameters. */
  readonly parameters?: Readonly<Record<string, ApplicationPropertyValue>> | undefined;
}

/** A rule of a subscription. */
export interface RuleProperties {
  readonly name: string;
  readonly filter: RuleFilter;
  readonly action?: RuleAction | undefined;
}

/** The name of the rule that a subscription has when it is created without rules. */
export const defaultRuleName = "$Default";
