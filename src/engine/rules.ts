import { httpNames } from "../envelope/broker-property-table.ts";
import type { ApplicationPropertyValue } from "../envelope/application-properties.ts";

/** Lets every message through, or none. */
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

/** The name of a broker property that a correlation filter can compare. */
export type CorrelationProperty = (typeof correlationProperties)[number];

/** Those properties with their names over HTTP; in requests of AMQP they are the same in lower case with hyphens. */
export const correlationFields: readonly (readonly [name: string, property: CorrelationProperty])[] =
  correlationProperties.map((property) => [httpNames.get(property) ?? property, property]);

/** Lets messages through that equal it in every member given; text is compared with case. */
export interface CorrelationFilter extends Readonly<Partial<Record<CorrelationProperty, string | undefined>>> {
  readonly kind: "correlation";
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

/** Changes the copy that a rule lets through. */
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

/** A filter as `@azure/service-bus` writes it: a SQL condition, or a correlation filter without `kind`. */
export type OfficialRuleFilter =
  | {
      readonly sqlExpression: string;
      readonly sqlParameters?: Readonly<Record<string, ApplicationPropertyValue>> | undefined;
    }
  | Omit<CorrelationFilter, "kind">;

/** An action as `@azure/service-bus` writes it. */
export interface OfficialRuleAction {
  readonly sqlExpression: string;
  readonly sqlParameters?: Readonly<Record<string, ApplicationPropertyValue>> | undefined;
}

/** Filter and action of a new rule; filters and actions of the official client are understood. */
export interface RuleInit {
  readonly filter: RuleFilter | OfficialRuleFilter;
  readonly action?: RuleAction | OfficialRuleAction | undefined;
}

/** The name of the rule that a subscription has when it is created without rules. */
export const defaultRuleName = "$Default";
