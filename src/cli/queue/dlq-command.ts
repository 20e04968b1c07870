import {
  type Command,
  commandOf,
  Option,
  sequenceNumber,
  type Session,
  spanOf,
  wholeNumber,
  withSchemaOptions,
} from "../commander.ts";
import type { CompleteRequest } from "./dlq-complete.ts";
import type { ListRequest, RedriveRequest, ShowRequest } from "./dlq.ts";
import { withEndpointOptions } from "./endpoint.ts";

/** `sobre dlq` with its commands. */
export function dlqCommand(session: Session): Command {
  return commandOf("dlq", {
    summary: "look at dead letters, send them back, or complete them",
    about: "Works on the dead-letter queue of a queue or subscription.",
    examples: [
      "sobre dlq list orders",
      "sobre dlq show orders 17",
      "sobre dlq redrive orders --dry-run",
      "sobre dlq complete orders --journal new.ndjson.journal",
    ],
    exits: "0 done, 1 one failed or the broker refused, 2 wrong usage.",
  })
    .addCommand(listCommand(session))
    .addCommand(showCommand(session))
    .addCommand(redriveCommand(session))
    .addCommand(completeCommand(session));
}

function listCommand({ terminal, finish }: Session): Command {
  const command = commandOf("list", {
    summary: "the count of each reason, and one line per dead letter",
    about: "Lists the dead letters of ENTITY, e.g. orders, with their reasons. Removes none.",
    examples: ["sobre dlq list orders --json | jq .deadLetterReason"],
    exits: "0 done, 1 the broker refused, 2 wrong usage.",
  })
    .argument("[ENTITY]")
    .option("-n, --max <N>", "maximum number of messages; default: all", wholeNumber("--max", 1))
    .option("-j, --json", "one line of JSON per dead letter");
  return withEndpointOptions(command).action(async (entity: string | undefined, options: ListRequest) =>
    finish(await (await import("./dlq.ts")).listDeadLetters({ ...options, entity }, terminal)),
  );
}

function showCommand({ terminal, finish }: Session): Command {
  const command = commandOf("show", {
    summary: "show one dead letter in full",
    about: `Shows the dead letter of ENTITY with the sequence number SEQ that list prints:
its reason, its properties, and the result of every codec.`,
    examples: ["sobre dlq show orders 17"],
    exits: "0 it was read, 1 it was not, or the broker refused, 2 wrong usage.",
  })
    .argument("<ENTITY>")
    .argument("<SEQ>", "", sequenceNumber("SEQ"))
    .option("-j, --json", "one line of JSON, with its envelope");
  return withEndpointOptions(withSchemaOptions(command)).action(
    async (entity: string, sequence: bigint, options: ShowRequest) =>
      finish(await (await import("./dlq.ts")).showDeadLetter({ ...options, entity, sequence }, terminal)),
  );
}

function redriveCommand({ terminal, finish }: Session): Command {
  const command = commandOf("redrive", {
    summary: "send dead letters back",
    about: "Sends dead letters back, each completed once it was sent. More: docs/queues.md",
    examples: ["sobre dlq redrive orders --reason Bad --batch 10 --rate 50 --log orders.log"],
    exits: "0 done, 1 stopped, one failed, or the broker refused, 2 wrong usage.",
  })
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
  return withEndpointOptions(command).action(async (entity: string | undefined, options: RedriveRequest) =>
    finish(await (await import("./dlq.ts")).redriveDeadLetters({ ...options, entity }, terminal)),
  );
}

/** An option that docs/queues.md lists: the help fits into a terminal of 24 lines. */
function seldom(option: Option): Option {
  return option.hideHelp();
}

function completeCommand({ terminal, finish }: Session): Command {
  const command = commandOf("complete", {
    summary: "remove what was migrated and sent",
    about: `Removes those dead letters of ENTITY whose sequence number and payload hash are
in the journal of \`sobre migrate --out\` and whose new form was sent by \`sobre
send\`. What is new, has changed or was not migrated stays. May be repeated.`,
    examples: ["sobre dlq complete orders --journal new.ndjson.journal --dry-run"],
    exits: `0 done, 1 something that was migrated is still there (changed, held
by others, or not sent), or the broker refused, 2 wrong usage.`,
  })
    .argument("[ENTITY]")
    .requiredOption("--journal <FILE>", "the journal next to the migrated messages")
    .option("--active", "the messages of ENTITY itself, not its dead letters")
    .option("--quarantine <DIR>", "also remove what failed, if DIR has a copy of it")
    .option("--leave-lossy", "leave messages that lost information")
    .option("--sent-elsewhere", "the new messages were sent to another broker, or by another program")
    .option("--dry-run", "only show what would be removed")
    .option("-j, --json", "the result as one line of JSON");
  return withEndpointOptions(command).action(async (entity: string | undefined, options: CompleteRequest) =>
    finish(await (await import("./dlq-complete.ts")).completeMigrated({ ...options, entity }, terminal)),
  );
}
