import { Command, type Finish, Option, sequenceNumber, wholeNumber } from "../commander.ts";
import type { CompleteRequest } from "./dlq-complete.ts";
import type { ListRequest, RedriveRequest } from "./dlq.ts";
import { type EndpointOptions, openEndpoint, withEndpointOptions } from "./endpoint.ts";
import { type SchemaOptions, withSchemaOptions } from "../schema-options.ts";
import { spanOf } from "../span.ts";
import type { Terminal } from "../terminal.ts";

/** `sobre dlq` with its commands. */
export function dlqCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("dlq")
    .summary("look at dead letters, send them back, or complete them")
    .description("Works on the dead-letter queue of a queue or subscription.")
    .addCommand(listCommand(terminal, finish))
    .addCommand(showCommand(terminal, finish))
    .addCommand(redriveCommand(terminal, finish))
    .addCommand(completeCommand(terminal, finish))
    .addHelpText(
      "after",
      `
Examples:
  sobre dlq list orders
  sobre dlq show orders 17
  sobre dlq redrive orders --dry-run
  sobre dlq complete orders --journal new.ndjson.journal

Exit codes: 0 done, 1 one failed or the broker refused, 2 wrong usage.`,
    );
}

function listCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("list")
    .summary("the count of each reason, and one line per dead letter")
    .description("Lists the dead letters of ENTITY, e.g. orders, with their reasons. Removes none.")
    .argument("[ENTITY]")
    .option("-n, --max <N>", "maximum number of messages; default: all", wholeNumber("--max", 1))
    .option("-j, --json", "one line of JSON per dead letter");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n  sobre dlq list orders --json | jq .deadLetterReason\n\nExit codes: 0 done, 1 the broker refused, 2 wrong usage.",
    )
    .action(async (entity: string | undefined, options: EndpointOptions & ListRequest) => {
      const { listDeadLetters } = await import("./dlq.ts");
      finish(await listDeadLetters(await openEndpoint(options, entity), options, terminal));
    });
}

function showCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("show")
    .summary("show one dead letter in full")
    .description(
      "Shows the dead letter of ENTITY with the sequence number SEQ that list prints:\n" +
        "its reason, its properties, and the result of every codec.",
    )
    .argument("<ENTITY>")
    .argument("<SEQ>", "", sequenceNumber("SEQ"))
    .option("-j, --json", "one line of JSON, with its envelope");
  return withEndpointOptions(withSchemaOptions(command))
    .addHelpText(
      "after",
      "\nExamples:\n  sobre dlq show orders 17\n\nExit codes: 0 it was read, 1 it was not, or the broker refused, 2 wrong usage.",
    )
    .action(async (entity: string, sequence: bigint, options: EndpointOptions & SchemaOptions & ListRequest) => {
      const { showDeadLetter } = await import("./dlq.ts");
      const { commandSerializer } = await import("../codecs.ts");
      const serializer = await commandSerializer(options);
      const request = { sequence, json: options.json };
      finish(await showDeadLetter(await openEndpoint(options, entity), request, { serializer, terminal }));
    });
}

function redriveCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("redrive")
    .summary("send dead letters back")
    .description("Sends dead letters back, each completed once it was sent. More: docs/queues.md")
    .argument("[ENTITY]")
    .option("--dry-run", "only show what would be sent")
    .option("--to <ENTITY>", "the target; default: the entity they came from")
    .option("--reason <R>", "only those with this reason")
    .option("--sequence <SEQ>", "only this one", sequenceNumber("--sequence"))
    .option("-n, --max <N>", "maximum number to read; default: all", wholeNumber("--max", 1))
    .option("--batch <N>", "send N first, then ten times as many, and so on", wholeNumber("--batch", 1))
    .addOption(seldom(new Option("--settle-time <T>").argParser(spanOf("--settle-time"))))
    .option("--rate <N>", "at most N messages per second", wholeNumber("--rate", 1))
    .option("--stop-on-failure", "stop at the first message that is not sent")
    .option("--log <FILE>", "record each outcome; an existing FILE resumes")
    .addOption(seldom(new Option("--max-redrives <N>").argParser(wholeNumber("--max-redrives", 0))))
    .addOption(seldom(new Option("--message-ids <I>").choices(["keep", "renew"])))
    .option("-j, --json", "one line of JSON per dead letter");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  sobre dlq redrive orders --reason Bad --batch 10 --rate 50 --log orders.log

Exit codes: 0 done, 1 stopped, one failed, or the broker refused, 2 wrong usage.`,
    )
    .action(async (entity: string | undefined, options: EndpointOptions & RedriveRequest) => {
      const { redriveDeadLetters } = await import("./dlq.ts");
      finish(await redriveDeadLetters(await openEndpoint(options, entity), options, terminal));
    });
}

/** An option that docs/queues.md lists: the help fits into a terminal of 24 lines. */
function seldom(option: Option): Option {
  return option.hideHelp();
}

function completeCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("complete")
    .summary("remove what was migrated and sent")
    .description(
      "Removes those dead letters of ENTITY whose sequence number and payload hash are\n" +
        "in the journal of `sobre migrate --out` and whose new form was sent by `sobre\n" +
        "send`. What is new, has changed or was not migrated stays. May be repeated.",
    )
    .argument("[ENTITY]")
    .requiredOption("--journal <FILE>", "the journal next to the migrated messages")
    .option("--active", "the messages of ENTITY itself, not its dead letters")
    .option("--quarantine <DIR>", "also remove what failed, if DIR has a copy of it")
    .option("--leave-lossy", "leave messages that lost information")
    .option("--sent-elsewhere", "the new messages were sent to another broker, or by another program")
    .option("--dry-run", "only show what would be removed")
    .option("-j, --json", "the result as one line of JSON");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  sobre dlq complete orders --journal new.ndjson.journal --dry-run

Exit codes: 0 done, 1 something that was migrated is still there (changed, held
by others, or not sent), or the broker refused, 2 wrong usage.`,
    )
    .action(async (entity: string | undefined, options: EndpointOptions & CompleteRequest) => {
      const { completeMigrated } = await import("./dlq-complete.ts");
      finish(await completeMigrated(await openEndpoint(options, entity), options, terminal));
    });
}
