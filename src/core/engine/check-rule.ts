import type { SubscriptionOptions } from "./admin.ts";
import { isRecord } from "../envelope/bag.ts";
import { applicationProperties as checkValues } from "../envelope/application-properties.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { checkNames, invalidOption } from "../options/option-checks.ts";
import {
  type CorrelationFilter,
  correlationProperties,
  type RuleAction,
  type RuleFilter,
  type RuleInit,
  type RuleProperties,
  type SqlFilter,
} from "./rules.ts";

/** Maximum length of an expression, in characters. */
const maxExpressionLength = 1024;

/** Maximum length of a rule's name, in characters. */
const maxNameLength = 50;

const members = (...names: readonly string[]): Readonly<Record<string, true>> =>
  Object.fromEntries(names.map((name) => [name, true]));

const ruleMembers = members("name", "filter", "action");
const booleanMembers = members("kind");
const sqlMembers = members("kind", "expression", "parameters");
const officialSqlMembers = members("sqlExpression", "sqlParameters");
const correlationMembers = members("kind", "applicationProperties", ...correlationProperties);

/**
 * The rule in the form of this interface, whether given in that form or in the form of `@azure/service-bus`.
 *
 * @throws SobreError `InvalidArgument` naming the invalid or unknown member.
 */
export function checkRule(name: string, rule: RuleInit): RuleProperties {
  if (typeof name !== "string" || name === "" || name.length > maxNameLength)
    throw invalidOption("name", `must be a string of 1 to ${maxNameLength} characters`);
  checkNames(rule, ruleMembers, { prefix: "rule." });
  return { name, filter: filterOf(rule.filter), action: rule.action === undefined ? undefined : actionOf(rule.action) };
}

/** Applies {@link checkRule} to the rules of a subscription. @throws SobreError `InvalidArgument` likewise. */
export function checkRules(rules: NonNullable<SubscriptionOptions["rules"]>): readonly RuleProperties[] {
  if (!Array.isArray(rules)) throw invalidOption("rules", "must be a list of rules");
  if (rules.some((rule: unknown) => !isRecord(rule))) throw invalidOption("rules", "must be a list of rules");
  return rules.map((rule) => checkRule(rule.name, rule));
}

function filterOf(filter: unknown): RuleFilter {
  if (!isRecord(filter))
    throw invalidOption("filter", 'must be an object such as { kind: "sql", expression: "quantity > 10" }');
  const { kind } = filter;
  switch (kind) {
    case "true":
    case "false":
      checkNames(filter, booleanMembers, { prefix: "filter." });
      return { kind };
    case "sql":
      return sqlOf(filter, "filter");
    case "correlation":
      return correlationOf(filter);
    case undefined:
      return "sqlExpression" in filter ? sqlOf(filter, "filter") : correlationOf(filter);
    default:
      throw invalidOption("filter.kind", "must be one of true, false, correlation, sql");
  }
}

function actionOf(action: unknown): RuleAction {
  const isSql = isRecord(action) && (action["kind"] === "sql" || action["kind"] === undefined);
  if (isSql) return sqlOf(action, "action");
  throw invalidOption("action", 'must be an object such as { kind: "sql", expression: "SET priority = 1" }');
}

function sqlOf(given: Readonly<Record<string, unknown>>, what: "filter" | "action"): SqlFilter {
  const isOfficial = given["kind"] === undefined;
  const [expressionName, parametersName] = isOfficial
    ? (["sqlExpression", "sqlParameters"] as const)
    : (["expression", "parameters"] as const);
  checkNames(given, isOfficial ? officialSqlMembers : sqlMembers, { prefix: `${what}.` });
  const { [expressionName]: expression, [parametersName]: parameters } = given;
  if (typeof expression !== "string" || expression.length > maxExpressionLength)
    throw invalidOption(`${what}.${expressionName}`, `must be a string of at most ${maxExpressionLength} characters`);
  return { kind: "sql", expression, parameters: valuesOf(parameters, `${what}.${parametersName}`) };
}

function correlationOf(given: Readonly<Record<string, unknown>>): CorrelationFilter {
  checkNames(given, correlationMembers, { prefix: "filter." });
  const texts: [string, string][] = [];
  for (const property of correlationProperties) {
    const value = given[property];
    if (value === undefined) continue;
    if (typeof value !== "string") throw invalidOption(`filter.${property}`, "must be a string");
    texts.push([property, value]);
  }
  const applicationProperties = valuesOf(given["applicationProperties"], "filter.applicationProperties");
  if (texts.length === 0 && Object.keys(applicationProperties ?? {}).length === 0)
    throw new SobreError(
      "InvalidArgument",
      `A correlation filter needs at least one of ${correlationProperties.join(", ")} or applicationProperties.`,
      { path: "$.filter" },
    );
  return { kind: "correlation", ...Object.fromEntries(texts), applicationProperties };
}

/** Checks that the values are valid for application properties. */
function valuesOf(values: unknown, path: string): CorrelationFilter["applicationProperties"] {
  if (values === undefined) return undefined;
  try {
    return checkValues(values);
  } catch (error) {
    throw new SobreError(
      "InvalidArgument",
      `${path} must be an object whose values are valid for application properties.`,
      {
        path: `$.${path}`,
        cause: error,
      },
    );
  }
}
