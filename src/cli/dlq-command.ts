import { Command, type Finish, Option, textOf } from "./commander.ts";
import { countOf, type EndpointOptions, openEndpoint, sequenceOf, withEndpointOptions } from "./endpoint.ts";
import { Misuse } from "./misuse.ts";
import { schemaOptions, type SchemaOptions, withSchemaOptions } from "./schema-options.ts";
import type { Terminal } from "./terminal.ts";

/** Options as commander parses them, by long name in camelCase. */
interface Options extends EndpointOptions, SchemaOptions {
  readonly max?: unknown;
  readonly json?: unknown;
  readonly to?: unknown;
  readonly reason?: unknown;
  readonly sequence?: unknown;
  readonly messageIds?: unknown;
  readonly maxRedrives?: unknown;
  readonly dryRun?: unknown;
}

/** `sobre dlq` with its three commands. */
export function dlqCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("dlq")
    .summary("look into a dead-letter queue, and send messages back")
    .description("Looks into the dead-letter queue of a queue or subscription.")
    .addCommand(listCommand(terminal, finish))
    .addCommand(showCommand(terminal, finish))
    .addCommand(redriveCommand(terminal, finish))
    .addHelpText(
      "after",
      `
Examples:
  sobre dlq list orders
  sobre dlq show orders 17
  sobre dlq redrive orders --dry-run

Exit codes: 0 done, 1 one failed or the broker refused, 2 wrong usage.`,
    );
}

function listCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("list")
    .summary("one line per dead letter, and how many there are of each reason")
    .description("Lists the dead letters of ENTITY, as orders, with their reasons; takes none away.")
    .argument("[ENTITY]")
    .option("-n, --max <N>", "maximum number of messages; default: all")
    .option("-j, --json", "one line of JSON per dead letter");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n  sobre dlq list orders --json | jq .deadLetterReason\n\nExit codes: 0 done, 1 the broker refused, 2 wrong usage.",
    )
    .action(async (entity: string | undefined, options: Options) => {
      const { listDeadLetters } = await import("./dlq.ts");
      const request = { max: countOf(options.max, "--max") ?? Infinity, json: options.json === true };
      finish(await listDeadLetters(await openEndpoint(options, entity), request, terminal));
    });
}

function showCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("show")
    .summary("a dead letter with everything it carries")
    .description(
      "Shows the dead letter of ENTITY with the sequence number SEQ, as list shows it:\n" +
        "reason, properties, and what every codec makes of it.",
    )
    .argument("<ENTITY>")
    .argument("<SEQ>")
    .option("-j, --json", "one line of JSON, with its envelope");
  return withEndpointOptions(withSchemaOptions(command))
    .addHelpText(
      "after",
      "\nExamples:\n  sobre dlq show orders 17\n\nExit codes: 0 it was read, 1 it was not, or the broker refused, 2 wrong usage.",
    )
    .action(async (entity: string, sequence: string, options: Options) => {
      const sequenceNumber = sequenceOf(sequence, "SEQ") ?? 0n;
      const { showDeadLetter } = await import("./dlq.ts");
      const { commandSerializer } = await import("./codecs.ts");
      const serializer = await commandSerializer(schemaOptions(options));
      const request = { sequenceNumber, json: options.json === true };
      finish(await showDeadLetter(await openEndpoint(options, entity), request, { serializer, terminal }));
    });
}

function redriveCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("redrive")
    .summary("send dead letters back to where they were")
    .description(
      "Sends the dead letters of ENTITY back: the same bytes and properties, without\n" +
        "the marks of the dead letter. Each is completed only after it was sent.",
    )
    .argument("[ENTITY]")
    .option("--dry-run", "only show what would be sent")
    .option("--to <ENTITY>", "where to; default: where they came from")
    .option("--reason <R>", "only those of this reason")
    .option("--sequence <SEQ>", "only this one")
    .option("-n, --max <N>", "maximum messages to read; default: all")
    .option("--max-redrives <N>", "skip messages re-driven N times")
    .addOption(
      new Option("--message-ids <I>", "where duplicates are detected: keep or renew ids").choices(["keep", "renew"]),
    )
    .option("-j, --json", "one line of JSON per dead letter");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  sobre dlq redrive orders --reason MaxDeliveryCountExceeded --dry-run

Exit codes: 0 done, 1 one failed or the broker refused, 2 wrong usage.`,
    )
    .action(async (entity: string | undefined, options: Options) => {
      const { redriveDeadLetters } = await import("./dlq.ts");
      const request = {
        to: textOf(options.to),
        reason: textOf(options.reason),
        sequenceNumber: sequenceOf(options.sequence, "--sequence"),
        max: countOf(options.max, "--max"),
        maxRedrives: redrivesOf(options.maxRedrives),
        messageIds: idsOf(options.messageIds),
        dryRun: options.dryRun === true,
        json: options.json === true,
      };
      finish(await redriveDeadLetters(await openEndpoint(options, entity), request, terminal));
    });
}

function redrivesOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^\d{1,9}$/.test(value)) return Number(value);
  throw new Misuse("--max-redrives must be a number from 0 up");
}

const idsOf = (value: unknown): "keep" | "renew" | undefined =>
  value === "keep" || value === "renew" ? value : undefined;
