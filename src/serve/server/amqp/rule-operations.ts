import {
  type CorrelationFilter,
  correlationFields,
  correlationProperties,
  type RuleAction,
  type RuleFilter,
  type RuleProperties,
} from "../../../core/engine/rules.ts";
import { typed } from "../../../core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../../core/values/typed.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { ManagementOperation } from "./management-operation.ts";
import { RequestArguments } from "./request-arguments.ts";
import { propertiesOf } from "./settlement-of.ts";

/** Descriptor codes of rules. */
const code = {
  rule: 0x0000_0137_0000_0004n,
  emptyAction: 0x0000_0137_0000_0005n,
  sqlAction: 0x0000_0137_0000_0006n,
  sql: 0x0000_0013_7000_0006n,
  true: 0x0000_0013_7000_0007n,
  false: 0x0000_0013_7000_0008n,
  correlation: 0x0000_0013_7000_0009n,
} as const;

/** The member of a request with this HTTP name. */
const memberOf = (name: string): string => name.replaceAll(/\B[A-Z]/g, "-$&").toLowerCase();

/** @throws SobreError `InvalidOperation` when the entity is not a subscription. */
function subscriptionOf(entity: string): readonly [topic: string, subscription: string] {
  const [, topic, subscription] = /^(.+)\/subscriptions\/([^/]+)$/i.exec(entity) ?? [];
  if (topic !== undefined && subscription !== undefined) return [topic, subscription];
  throw new SobreError("InvalidOperation", `'${entity}' is not a subscription; only subscriptions have rules.`);
}

const add: ManagementOperation = async (given, { engine, entity }) => {
  const [topic, subscription] = subscriptionOf(entity);
  const description = new RequestArguments(given.map("rule-description") ?? null);
  const rule = { filter: filterFrom(description), action: actionFrom(description) };
  await engine.admin.createRule(topic, subscription, given.requiredText("rule-name"), rule);
  return {};
};

function filterFrom(description: RequestArguments): RuleFilter {
  const sql = description.map("sql-filter");
  if (sql !== undefined) return { kind: "sql", expression: new RequestArguments(sql).requiredText("expression") };
  const correlation = description.map("correlation-filter");
  if (correlation === undefined) return { kind: "true" };
  const given = new RequestArguments(correlation);
  const filter: Record<string, string> = {};
  for (const [name, property] of correlationFields) {
    const value = given.text(memberOf(name));
    if (value !== undefined) filter[property] = value;
  }
  return { kind: "correlation", ...filter, applicationProperties: propertiesOf(given.map("properties")) };
}

function actionFrom(description: RequestArguments): RuleAction | undefined {
  const action = description.map("sql-rule-action");
  const expression = action === undefined ? undefined : new RequestArguments(action).text("expression");
  return expression === undefined || expression === "" ? undefined : { kind: "sql", expression };
}

const remove: ManagementOperation = async (given, { engine, entity }) => {
  const [topic, subscription] = subscriptionOf(entity);
  await engine.admin.deleteRule(topic, subscription, given.requiredText("rule-name"));
  return {};
};

const enumerate: ManagementOperation = async (given, { engine, entity }) => {
  const [topic, subscription] = subscriptionOf(entity);
  const skip = given.place("skip") ?? 0;
  const rules = await engine.admin.listRules(topic, subscription);
  const page = rules.slice(skip, skip + (given.place("top") ?? 100));
  if (page.length === 0) return undefined;
  return { rules: page.map((rule) => new AmqpMap([["rule-description", described(rule)]])) };
};

function described({ name, filter, action }: RuleProperties): AmqpValue {
  const act =
    action === undefined
      ? typed.described(typed.ulong(code.emptyAction), [])
      : typed.described(typed.ulong(code.sqlAction), [action.expression]);
  return typed.described(typed.ulong(code.rule), [describedFilter(filter), act, name]);
}

function describedFilter(filter: RuleFilter): AmqpValue {
  switch (filter.kind) {
    case "sql":
      return typed.described(typed.ulong(code.sql), [filter.expression]);
    case "correlation":
      return typed.described(typed.ulong(code.correlation), correlationList(filter));
    case "true":
    case "false":
      // Without fields, as the official clients declare them.
      return typed.described(typed.ulong(code[filter.kind]), []);
    default:
      return filter satisfies never;
  }
}

function correlationList(filter: CorrelationFilter): AmqpValue[] {
  const texts = correlationProperties.map((name) => filter[name] ?? null);
  const properties = filter.applicationProperties;
  // The official client mistakes a trailing null field for a map.
  return properties === undefined ? texts : [...texts, new AmqpMap(Object.entries(properties))];
}

/** Operations on the rules of a subscription, by name. */
export const ruleOperations: Readonly<Record<string, ManagementOperation>> = {
  "add-rule": add,
  "remove-rule": remove,
  "enumerate-rules": enumerate,
};
