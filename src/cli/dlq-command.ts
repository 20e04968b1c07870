import { Command, type Finish, Option, sequenceNumber, wholeNumber } from "./commander.ts";
import type { ListRequest, RedriveRequest } from "./dlq.ts";
import { type EndpointOptions, openEndpoint, withEndpointOptions } from "./endpoint.ts";
import { type SchemaOptions, withSchemaOptions } from "./schema-options.ts";
import type { Terminal } from "./terminal.ts";

/** `sobre dlq` with its three commands. */
export function dlqCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("dlq")
    .summary("look at dead letters, and send them back")
    .description("Works on the dead-letter queue of a queue or subscription.")
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
    .summary("one line per dead letter, and the count of each reason")
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
      const { commandSerializer } = await import("./codecs.ts");
      const serializer = await commandSerializer(options);
      const request = { sequence, json: options.json };
      finish(await showDeadLetter(await openEndpoint(options, entity), request, { serializer, terminal }));
    });
}

function redriveCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("redrive")
    .summary("send dead letters back")
    .description(
      "Sends the dead letters of ENTITY back with the same bytes and properties, but\n" +
        "without the dead-letter marks. Each is completed only after it was sent.",
    )
    .argument("[ENTITY]")
    .option("--dry-run", "only show what would be sent")
    .option("--to <ENTITY>", "the target; default: the entity they came from")
    .option("--reason <R>", "only those with this reason")
    .option("--sequence <SEQ>", "only this one", sequenceNumber("--sequence"))
    .option("-n, --max <N>", "maximum number to read; default: all", wholeNumber("--max", 1))
    .option("--max-redrives <N>", "skip messages re-driven N times", wholeNumber("--max-redrives", 0))
    .addOption(new Option("--message-ids <I>", "message ids where duplicates are detected").choices(["keep", "renew"]))
    .option("-j, --json", "one line of JSON per dead letter");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  sobre dlq redrive orders --reason MaxDeliveryCountExceeded --dry-run

Exit codes: 0 done, 1 one failed or the broker refused, 2 wrong usage.`,
    )
    .action(async (entity: string | undefined, options: EndpointOptions & RedriveRequest) => {
      const { redriveDeadLetters } = await import("./dlq.ts");
      finish(await redriveDeadLetters(await openEndpoint(options, entity), options, terminal));
    });
}
