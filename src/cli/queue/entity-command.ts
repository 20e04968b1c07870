import { correlationProperties } from "../../core/engine/rules.ts";
import { type Command, commandOf, pairsOf, type Session } from "../commander.ts";
import { Misuse } from "../terminal.ts";
import { type EndpointOptions, withEndpointOptions } from "./endpoint.ts";
import { type EntityKind, givenOptions, type OptionHolder, kinds, withEntityOptions } from "./entity-kinds.ts";
import type { NamedRule, RuleOptions } from "./rules.ts";

const exits = "0 done, 1 the broker refused, 2 wrong usage.";

interface Shown extends EndpointOptions {
  readonly json?: boolean;
}

/** Summaries as the overall help has them; one line stands for all four commands. */
const summaries: Readonly<Record<OptionHolder, string>> = {
  queue: "create, delete, list, show queues; also: topic, subscription, rule",
  topic: "create, delete, list and show topics",
  subscription: "create, delete, list and show subscriptions",
};

const examples: Readonly<Record<OptionHolder, readonly [create: string, ...others: readonly string[]]>> = {
  queue: [
    "sobre queue create orders --lock-duration 30s --max-delivery-count 5",
    "sobre queue list",
    "sobre queue show orders --json | jq .activeMessageCount",
  ],
  topic: ["sobre topic create prices --default-message-time-to-live 1d", "sobre topic list"],
  subscription: ["sobre subscription create prices eu --requires-session", "sobre subscription list prices"],
};

/** `sobre queue`, `sobre topic` or `sobre subscription` with its four commands. */
export function entityCommand(holder: OptionHolder, session: Session): Command {
  const kind = kinds[holder];
  const about = `Manages the ${holder}s of any Service Bus namespace, or of \`sobre serve\`.`;
  return commandOf(holder, { summary: summaries[holder], about, examples: examples[holder], exits })
    .addCommand(createCommand(kind, session))
    .addCommand(deleteCommand(kind, session))
    .addCommand(listCommand(kind, session))
    .addCommand(showCommand(kind, session));
}

function createCommand(kind: EntityKind, { terminal, finish }: Session): Command {
  const { holder, names } = kind;
  const command = commandOf("create", {
    summary: `create a ${holder}`,
    about: `Creates a ${holder}; the options are those of @azure/service-bus.
A TIME is 500ms, 30s, 5m, 1h or 2d, or ISO 8601, e.g. PT30S.`,
    examples: [examples[holder][0]],
    exits,
  });
  return withEndpointOptions(withEntityOptions(withNames(command, names), holder)).action(async () => {
    const parsed = command.opts<EndpointOptions & Readonly<Record<string, unknown>>>();
    const { createEntity } = await import("./entities.ts");
    const options = givenOptions(parsed, holder);
    finish(await createEntity({ ...parsed, kind, path: command.args, options }, terminal));
  });
}

function deleteCommand(kind: EntityKind, { terminal, finish }: Session): Command {
  const { holder, names } = kind;
  const command = commandOf("delete", {
    summary: `delete a ${holder} with its messages`,
    about: `Deletes a ${holder} and every message in it, without confirmation.`,
    examples: [`sobre ${holder} delete ${sampleOf(kind)}`],
    exits,
  });
  return withEndpointOptions(withNames(command, names)).action(async () => {
    const { deleteEntity } = await import("./entities.ts");
    finish(await deleteEntity({ ...command.opts<EndpointOptions>(), kind, path: command.args }, terminal));
  });
}

function listCommand(kind: EntityKind, { terminal, finish }: Session): Command {
  const { holder, names } = kind;
  const command = commandOf("list", {
    summary: `one line per ${holder}, with its counts`,
    about: `Lists the ${holder}s with their counts; the columns that fit the terminal.`,
    examples: [`sobre ${holder} list${names.length > 1 ? " prices" : ""} --json`],
    exits,
  }).option("-j, --json", `one line of JSON per ${holder}, with settings (times in ms) and counts`);
  return withEndpointOptions(withNames(command, names.slice(0, -1))).action(async () => {
    const { listEntities } = await import("./entities.ts");
    finish(await listEntities({ ...command.opts<Shown>(), kind, path: command.args }, terminal));
  });
}

function showCommand(kind: EntityKind, { terminal, finish }: Session): Command {
  const { holder, names } = kind;
  const command = commandOf("show", {
    summary: `settings and counts of a ${holder}`,
    about: `Shows every setting of a ${holder}, and its counts.`,
    examples: [`sobre ${holder} show ${sampleOf(kind)}`],
    exits,
  }).option("-j, --json", "one line of JSON, times in milliseconds");
  return withEndpointOptions(withNames(command, names)).action(async () => {
    const { showEntity } = await import("./entities.ts");
    finish(await showEntity({ ...command.opts<Shown>(), kind, path: command.args }, terminal));
  });
}

function withNames(command: Command, names: readonly string[]): Command {
  for (const name of names) command.argument(`<${name}>`);
  return command;
}

const sampleOf = ({ names }: EntityKind): string => (names.length > 1 ? "prices eu" : "orders");

/** `sobre rule` with its four commands. */
export function ruleCommand(session: Session): Command {
  return commandOf("rule", {
    summary: "create, delete, list and show the rules of a subscription",
    about: `Manages the rules of a subscription. A new subscription has
the rule $Default, which matches everything: delete it once there are others.`,
    examples: ['sobre rule create prices eu large --sql "total > 100"', "sobre rule delete prices eu '$Default'"],
    exits,
  })
    .addCommand(createRuleCommand(session))
    .addCommand(ruleAction("delete", "Delete a rule", session))
    .addCommand(ruleAction("list", "One line per rule", session))
    .addCommand(ruleAction("show", "Filter and action of a rule", session));
}

function ruleAction(name: "delete" | "list" | "show", about: string, { terminal, finish }: Session): Command {
  const command = commandOf(name, {
    summary: about.replace(/^./, (letter) => letter.toLowerCase()),
    about: `${about}.`,
    examples: [`sobre rule ${name} ${name === "list" ? "prices eu" : "prices eu large"}`],
    exits,
  });
  withNames(command, ["TOPIC", "SUBSCRIPTION", ...(name === "list" ? [] : ["RULE"])]);
  if (name !== "delete") command.option("-j, --json", "one line of JSON per rule");
  return withEndpointOptions(command).action(async () => {
    const { deleteRule, listRules, showRule } = await import("./rules.ts");
    const act = { delete: deleteRule, list: listRules, show: showRule }[name];
    finish(await act({ ...command.opts<Shown>(), ...ruleNamed(command) }, terminal));
  });
}

function createRuleCommand({ terminal, finish }: Session): Command {
  const command = commandOf("create", {
    summary: "create a rule",
    about: "Creates a rule. A subscription gets the messages that match at least one rule.",
    notes: `NAME of --correlation: ${correlationProperties.slice(0, 5).join(", ")},
${correlationProperties.slice(5).join(", ")}.`,
    examples: [
      'sobre rule create prices eu large --sql "total > 100"',
      "sobre rule create prices eu mine --correlation subject=order --property n:=1",
    ],
    exits,
  });
  const properties = pairsOf("--property");
  withNames(command, ["TOPIC", "SUBSCRIPTION", "RULE"])
    .option("--sql <EXPRESSION>", 'a condition, e.g. "total > 100"')
    .option("--correlation <NAME=TEXT>", "a broker property that must be equal; may be repeated", correlationOf)
    .option("--property <NAME=TEXT>", "the same for an application property; NAME:=5 is a number", properties)
    .option("--action <STATEMENTS>", "changes to the copy, e.g. \"SET size = 'large'\"");
  return withEndpointOptions(command).action(async () => {
    const { createRule } = await import("./rules.ts");
    finish(await createRule({ ...command.opts<EndpointOptions & RuleOptions>(), ...ruleNamed(command) }, terminal));
  });
}

function ruleNamed({ args: [topic = "", subscription = "", rule = ""] }: Command): Omit<NamedRule, keyof Shown> {
  return { topic, subscription, rule };
}

const correlationPairs = pairsOf("--correlation");

function correlationOf(pair: string, before?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const pairs = correlationPairs(pair, before);
  const unknown = Object.keys(pairs).find((name) => !correlationProperties.some((known) => known === name));
  if (unknown === undefined) return pairs;
  throw new Misuse(
    `--correlation: unknown property ${unknown}. Expected one of: ${correlationProperties.join(", ")}. Use --property for application properties`,
  );
}
