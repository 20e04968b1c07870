import type { Engine } from "../../core/engine/engine.ts";
import type { RuleFilter, RuleProperties } from "../../core/engine/rules.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { columnTable } from "../table.ts";
import { fit, oneLine, visibleJson } from "../display.ts";
import { atBroker, type EndpointOptions } from "./endpoint.ts";
import { exitCodes, Misuse, type Terminal } from "../terminal.ts";

/** A subscription, and how its rules are shown. */
export interface RuleRequest extends EndpointOptions {
  readonly topic: string;
  readonly subscription: string;
  readonly json?: boolean | undefined;
}

/** A rule of it. */
export interface NamedRule extends RuleRequest {
  readonly rule: string;
}

/** Filter and action of a new rule. */
export interface RuleOptions {
  readonly sql?: string;
  readonly correlation?: Readonly<Record<string, string>>;
  readonly property?: Readonly<Record<string, unknown>>;
  readonly action?: string;
}

/** Creates a rule; resolves to the exit code. @throws Misuse for no filter, and for two. */
export function createRule(request: NamedRule & RuleOptions, terminal: Terminal): Promise<number> {
  const { topic, subscription, rule, action } = request;
  const filter = filterOf(request);
  return atBroker(request, terminal, async ({ engine: { admin } }) => {
    const made = { filter, action: action === undefined ? undefined : { sqlExpression: action } };
    await admin.createRule(topic, subscription, rule, made);
    await terminal.out(`created rule ${oneLine(`${topic}/${subscription}/${rule}`)}\n`);
    return exitCodes.done;
  });
}

function filterOf({ sql, correlation, property }: RuleOptions): Parameters<Engine["admin"]["createRule"]>[3]["filter"] {
  const isCorrelated = correlation !== undefined || property !== undefined;
  if ((sql !== undefined) === isCorrelated) throw new Misuse("give either --sql, or --correlation and --property");
  if (sql !== undefined) return { sqlExpression: sql };
  const values = Object.entries(property ?? {}).map(([name, value]) => [name, value] as const);
  return { ...correlation, ...(values.length === 0 ? {} : { applicationProperties: scalars(values) }) };
}

/** The values that a filter compares with. @throws Misuse for lists and objects. */
function scalars(values: readonly (readonly [string, unknown])[]): Readonly<Record<string, string | number | boolean>> {
  return Object.fromEntries(
    values.map(([name, value]) => {
      if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return [name, value];
      throw new Misuse(`--property ${name} must be a string, number, true or false`);
    }),
  );
}

/** Deletes a rule; resolves to the exit code. */
export function deleteRule(request: NamedRule, terminal: Terminal): Promise<number> {
  const { topic, subscription, rule } = request;
  return atBroker(request, terminal, async ({ engine: { admin } }) => {
    await admin.deleteRule(topic, subscription, rule);
    await terminal.out(`deleted rule ${oneLine(`${topic}/${subscription}/${rule}`)}\n`);
    return exitCodes.done;
  });
}

/** Lists the rules of a subscription; resolves to the exit code. */
export function listRules(request: RuleRequest, terminal: Terminal): Promise<number> {
  const { topic, subscription, json } = request;
  return atBroker(request, terminal, async ({ engine: { admin } }) => {
    const rules = await admin.listRules(topic, subscription);
    if (rules.length === 0) terminal.err("sobre: there are no rules, so no message is accepted\n");
    else await terminal.out(`${json === true ? rules.map(asJson).join("\n") : ruleTable(rules, terminal)}\n`);
    return exitCodes.done;
  });
}

/** Shows one rule; resolves to the exit code. */
export function showRule(request: NamedRule, terminal: Terminal): Promise<number> {
  const { topic, subscription, rule: name, json } = request;
  return atBroker(request, terminal, async ({ engine: { admin } }) => {
    const rules = await admin.listRules(topic, subscription);
    const rule = rules.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (rule === undefined) {
      terminal.err(`sobre: ${oneLine(`${topic}/${subscription}`)} has no rule ${oneLine(name)}\n`);
      return exitCodes.failed;
    }
    const lines = [terminal.style.bold(oneLine(rule.name)), `  filter  ${filterText(rule.filter)}`];
    if (rule.action !== undefined) lines.push(`  action  ${oneLine(rule.action.expression)}`);
    await terminal.out(`${json === true ? asJson(rule) : lines.join("\n")}\n`);
    return exitCodes.done;
  });
}

function ruleTable(rules: readonly RuleProperties[], { columns }: Terminal): string {
  // People look for the expression, so it is cut rather than left out.
  const name = Math.max(4, ...rules.map((rule) => Math.min(50, oneLine(rule.name).length)));
  const room = Math.max(12, columns - name - 2);
  const table = [
    { head: "rule", cell: (rule: RuleProperties) => oneLine(rule.name) },
    { head: "accepts", cell: (rule: RuleProperties) => fit(whatItDoes(rule), room) },
  ];
  return columnTable(rules, table, columns);
}

function whatItDoes({ filter, action }: RuleProperties): string {
  return action === undefined ? filterText(filter) : `${filterText(filter)}, then ${oneLine(action.expression)}`;
}

function filterText(filter: RuleFilter): string {
  switch (filter.kind) {
    case "true":
      return "everything";
    case "false":
      return "nothing";
    case "sql":
      return oneLine(filter.expression);
    case "correlation": {
      const { kind: _, applicationProperties = {}, ...properties } = filter;
      return [...Object.entries(properties), ...Object.entries(applicationProperties)]
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${oneLine(name)} = ${visibleJson(valueToJson(value))}`)
        .join(" and ");
    }
    default:
      return filter satisfies never;
  }
}

function asJson({ name, filter, action }: RuleProperties): string {
  return visibleJson(valueToJson({ name, filter, action }));
}
