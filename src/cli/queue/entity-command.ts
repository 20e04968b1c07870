import { correlationProperties } from "../../core/engine/rules.ts";
import { Command, type Finish } from "../commander.ts";
import { type EndpointOptions, openBroker, withEndpointOptions } from "./endpoint.ts";
import { type EntityKind, kinds } from "./entity-kinds.ts";
import { givenOptions, type Holder, withEntityOptions } from "./entity-options.ts";
import { Misuse } from "../misuse.ts";
import { pairsOf } from "./pairs.ts";
import type { RuleOptions } from "./rules.ts";
import type { Terminal } from "../terminal.ts";

const exits = "Exit codes: 0 done, 1 the broker refused, 2 wrong usage.";

interface Shown extends EndpointOptions {
  readonly json?: boolean;
}

/** Summaries as the overall help has them; one line stands for all four commands. */
const summaries: Readonly<Record<Holder, string>> = {
  queue: "create, delete, list, show queues; also: topic, subscription, rule",
  topic: "create, delete, list and show topics",
  subscription: "create, delete, list and show subscriptions",
};

const examples: Readonly<Record<Holder, string>> = {
  queue: `sobre queue create orders --lock-duration 30s --max-delivery-count 5
  sobre queue list
  sobre queue show orders --json | jq .activeMessageCount`,
  topic: `sobre topic create prices --default-message-time-to-live 1d
  sobre topic list`,
  subscription: `sobre subscription create prices eu --requires-session
  sobre subscription list prices`,
};

/** `sobre queue`, `sobre topic` or `sobre subscription` with its four commands. */
export function entityCommand(holder: Holder, terminal: Terminal, finish: Finish): Command {
  const kind = kinds[holder];
  return new Command(holder)
    .summary(summaries[holder])
    .description(`Manages the ${holder}s of any Service Bus namespace, or of \`sobre serve\`.`)
    .addCommand(createCommand(kind, terminal, finish))
    .addCommand(deleteCommand(kind, terminal, finish))
    .addCommand(listCommand(kind, terminal, finish))
    .addCommand(showCommand(kind, terminal, finish))
    .addHelpText("after", `\nExamples:\n  ${examples[holder]}\n\n${exits}`);
}

function createCommand(kind: EntityKind, terminal: Terminal, finish: Finish): Command {
  const { holder } = kind;
  const command = named(new Command("create"), kind)
    .summary(`create a ${holder}`)
    .description(
      `Creates a ${holder}; the options are those of @azure/service-bus.\nA TIME is 500ms, 30s, 5m, 1h or 2d, or ISO 8601, e.g. PT30S.`,
    );
  return withEndpointOptions(withEntityOptions(command, holder))
    .addHelpText("after", `\nExamples:\n  ${examples[holder].split("\n")[0] ?? ""}\n\n${exits}`)
    .action(async () => {
      const parsed = command.opts<EndpointOptions & Readonly<Record<string, unknown>>>();
      const { createEntity } = await import("./entities.ts");
      const request = { kind, path: command.args, options: givenOptions(parsed, holder) };
      finish(await createEntity(await openBroker(parsed), request, terminal));
    });
}

function deleteCommand(kind: EntityKind, terminal: Terminal, finish: Finish): Command {
  const command = named(new Command("delete"), kind)
    .summary(`delete a ${kind.holder} with its messages`)
    .description(`Deletes a ${kind.holder} and every message in it, without confirmation.`);
  return withEndpointOptions(command)
    .addHelpText("after", `\nExamples:\n  sobre ${kind.holder} delete ${sampleOf(kind)}\n\n${exits}`)
    .action(async () => {
      const { deleteEntity } = await import("./entities.ts");
      const request = { kind, path: command.args };
      finish(await deleteEntity(await openBroker(command.opts<EndpointOptions>()), request, terminal));
    });
}

function listCommand(kind: EntityKind, terminal: Terminal, finish: Finish): Command {
  const { holder, names } = kind;
  const command = new Command("list")
    .summary(`one line per ${holder}, with its counts`)
    .description(`Lists the ${holder}s with their counts; the columns that fit the terminal.`)
    .option("-j, --json", `one line of JSON per ${holder}, with settings (times in ms) and counts`);
  for (const name of names.slice(0, -1)) command.argument(`<${name}>`);
  return withEndpointOptions(command)
    .addHelpText("after", `\nExamples:\n  sobre ${holder} list${names.length > 1 ? " prices" : ""} --json\n\n${exits}`)
    .action(async () => {
      const { listEntities } = await import("./entities.ts");
      const { json, ...broker } = command.opts<Shown>();
      finish(await listEntities(await openBroker(broker), { kind, path: command.args, json }, terminal));
    });
}

function showCommand(kind: EntityKind, terminal: Terminal, finish: Finish): Command {
  const command = named(new Command("show"), kind)
    .summary(`settings and counts of a ${kind.holder}`)
    .description(`Shows every setting of a ${kind.holder}, and its counts.`)
    .option("-j, --json", "one line of JSON, times in milliseconds");
  return withEndpointOptions(command)
    .addHelpText("after", `\nExamples:\n  sobre ${kind.holder} show ${sampleOf(kind)}\n\n${exits}`)
    .action(async () => {
      const { showEntity } = await import("./entities.ts");
      const { json, ...broker } = command.opts<Shown>();
      finish(await showEntity(await openBroker(broker), { kind, path: command.args, json }, terminal));
    });
}

function named(command: Command, { names }: EntityKind): Command {
  for (const name of names) command.argument(`<${name}>`);
  return command;
}

const sampleOf = ({ names }: EntityKind): string => (names.length > 1 ? "prices eu" : "orders");

/** `sobre rule` with its four commands. */
export function ruleCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("rule")
    .summary("create, delete, list and show the rules of a subscription")
    .description(
      "Manages the rules of a subscription. A new subscription has\nthe rule $Default, which matches everything: delete it once there are others.",
    )
    .addCommand(createRuleCommand(terminal, finish))
    .addCommand(ruleAction("delete", "delete a rule", { terminal, finish }))
    .addCommand(ruleAction("list", "one line per rule", { terminal, finish }))
    .addCommand(ruleAction("show", "filter and action of a rule", { terminal, finish }))
    .addHelpText(
      "after",
      `
Examples:
  sobre rule create prices eu large --sql "total > 100"
  sobre rule delete prices eu '$Default'

${exits}`,
    );
}

function ruleAction(
  name: "delete" | "list" | "show",
  summary: string,
  { terminal, finish }: { readonly terminal: Terminal; readonly finish: Finish },
): Command {
  const command = rulePath(new Command(name))
    .summary(summary)
    .description(`${summary.replace(/^./, (letter) => letter.toUpperCase())}.`);
  if (name !== "list") command.argument("<RULE>");
  if (name !== "delete") command.option("-j, --json", "one line of JSON per rule");
  const sample = name === "list" ? "prices eu" : "prices eu large";
  return withEndpointOptions(command)
    .addHelpText("after", `\nExamples:\n  sobre rule ${name} ${sample}\n\n${exits}`)
    .action(async () => {
      const [topic = "", subscription = "", rule = ""] = command.args;
      const { json, ...broker } = command.opts<Shown>();
      const { deleteRule, listRules, showRule } = await import("./rules.ts");
      const act = { delete: deleteRule, list: listRules, show: showRule }[name];
      finish(await act(await openBroker(broker), { topic, subscription, rule, json }, terminal));
    });
}

function createRuleCommand(terminal: Terminal, finish: Finish): Command {
  const command = rulePath(new Command("create"))
    .argument("<RULE>")
    .summary("create a rule")
    .description("Creates a rule. A subscription gets the messages that match at least one rule.")
    .option("--sql <EXPRESSION>", 'a condition, e.g. "total > 100"')
    .option("--correlation <NAME=TEXT>", "a broker property that must be equal; may be repeated", correlationOf)
    .option(
      "--property <NAME=TEXT>",
      "the same for an application property; NAME:=5 is a number",
      pairsOf("--property"),
    )
    .option("--action <STATEMENTS>", "changes to the copy, e.g. \"SET size = 'large'\"");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      `
NAME of --correlation: ${correlationProperties.slice(0, 5).join(", ")},
${correlationProperties.slice(5).join(", ")}.

Examples:
  sobre rule create prices eu large --sql "total > 100"
  sobre rule create prices eu mine --correlation subject=order --property n:=1

${exits}`,
    )
    .action(async () => {
      const [topic = "", subscription = "", rule = ""] = command.args;
      const { createRule } = await import("./rules.ts");
      const options = command.opts<EndpointOptions & RuleOptions>();
      finish(await createRule(await openBroker(options), { ...options, topic, subscription, rule }, terminal));
    });
}

const rulePath = (command: Command): Command => command.argument("<TOPIC>").argument("<SUBSCRIPTION>");

const correlationPairs = pairsOf("--correlation");

function correlationOf(pair: string, before?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const pairs = correlationPairs(pair, before);
  const unknown = Object.keys(pairs).find((name) => !correlationProperties.some((known) => known === name));
  if (unknown === undefined) return pairs;
  throw new Misuse(
    `--correlation: unknown property ${unknown}. Expected one of: ${correlationProperties.join(", ")}. Use --property for application properties`,
  );
}
