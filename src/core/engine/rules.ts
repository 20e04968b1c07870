import { httpNames } from "../envelope/broker-property-table.ts";
import type { ApplicationPropertyValue } from "../envelope/application-properties.ts";

/** Accepts every message, or none. */
export interface BooleanFilter {
  readonly kind: "true" | "false";
}

/** The broker properties that a correlation filter can compare, in the order of its AMQP form. */
export const correlationProperties = [
  "correlationId",
  "messageId",
  "to",
  "replyTo",
  "subject",
  "sessionId",
  "replyToSessionId",
  "contentType",
] as const;

/** A broker property that a correlation filter can compare. */
export type CorrelationProperty = (typeof correlationProperties)[number];

/** The same properties with their HTTP names; AMQP requests use the same in lower case with hyphens. */
export const correlationFields: readonly (readonly [name: string, property: CorrelationProperty])[] =
  correlationProperties.map((property) => [httpNames.get(property) ?? property, property]);

/** Accepts messages that equal it in every given member; strings are compared case-sensitively. */
export interface CorrelationFilter extends Readonly<Partial<Record<CorrelationProperty, string | undefined>>> {
  readonly kind: "correlation";
  readonly applicationProperties?: Readonly<Record<string, ApplicationPropertyValue>> | undefined;
}

/** Accepts messages for which the condition is true. */
export interface SqlFilter {
  readonly kind: "sql";
  /** A condition in Service Bus SQL filter syntax, at most 1,024 characters. */
  readonly expression: string;
  /** Values of `@name` parameters. */
  readonly parameters?: Readonly<Record<string, ApplicationPropertyValue>> | undefined;
}

/** Which messages a rule accepts. */
export type RuleFilter = BooleanFilter | CorrelationFilter | SqlFilter;

/** Changes the copy of an accepted message. */
export interface RuleAction {
  readonly kind: "sql";
  /** `SET` and `REMOVE` statements in Service Bus SQL action syntax, at most 1,024 characters. */
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

/** A filter in the form of `@azure/service-bus`: a SQL condition, or a correlation filter without `kind`. */
export type OfficialRuleFilter =
  | {
      readonly sqlExpression: string;
      readonly sqlParameters?: Readonly<Record<string, ApplicationPropertyValue>> | undefined;
    }
  | Omit<CorrelationFilter, "kind">;

/** An action in the form of `@azure/service-bus`. */
export interface OfficialRuleAction {
  readonly sqlExpression: string;
  readonly sqlParameters?: Readonly<Record<string, ApplicationPropertyValue>> | undefined;
}

/** Filter and action of a new rule, also in the form of the official client. */
export interface RuleInit {
  readonly filter: RuleFilter | OfficialRuleFilter;
  readonly action?: RuleAction | OfficialRuleAction | undefined;
}

/** The name of the rule that a subscription has when it is created without rules. */
export const defaultRuleName = "$Default";
