import {
  type Command,
  commandOf,
  pairsOf,
  sequenceNumber,
  type Session,
  spanOf,
  wholeNumber,
  withSchemaOptions,
} from "../commander.ts";
import { Misuse } from "../terminal.ts";
import type { CaptureRequest } from "./capture.ts";
import { withEndpointOptions } from "./endpoint.ts";
import type { PeekRequest, ReceiveRequest } from "./receive.ts";
import type { MessageRequest } from "./send-message.ts";
import type { SendRequest } from "./send.ts";

/** `sobre peek`. */
export function peekCommand({ terminal, finish }: Session): Command {
  const command = commandOf("peek", {
    summary: "look at messages without receiving them",
    about: `Shows messages of ENTITY, a queue or subscription, decoded by every codec.
No message is locked, counted or removed.`,
    examples: ["sobre peek orders --max 3", "sobre peek 'orders/$DeadLetterQueue' --json | jq .deadLetterReason"],
    exits: "0 all was read, 1 one was not, or the broker refused, 2 wrong usage.",
  })
    .argument("[ENTITY]")
    .option("-n, --max <N>", "maximum number of messages", wholeNumber("--max", 1), 10)
    .option("--from <SEQ>", "the sequence number to start with", sequenceNumber("--from"))
    .option("--session <ID>", "only messages of this session")
    .option("-j, --json", "one line of JSON per message, with its envelope");
  return withEndpointOptions(withSchemaOptions(command)).action(
    async (entity: string | undefined, options: PeekRequest) =>
      finish(await (await import("./receive.ts")).peekMessages({ ...options, entity }, terminal)),
  );
}

/** `sobre receive`. */
export function receiveCommand({ terminal, finish }: Session): Command {
  const command = commandOf("receive", {
    summary: "receive messages from a queue",
    about: `Receives from ENTITY and completes each message only after it was written. One
that no codec reads is abandoned, unless --json or --out keeps its bytes.`,
    examples: ["sobre receive orders --max 100 --out orders.ndjson"],
    exits: "0 done, 1 one was not read, or the broker refused, 2 wrong usage.",
  })
    .argument("[ENTITY]")
    .option("-n, --max <N>", "maximum number of messages", wholeNumber("--max", 1), 1)
    .option("-w, --wait <S>", "seconds to wait for the next one", secondsOf, 5)
    .option("--session <ID>", "only messages of this session")
    .option("--next-session", "only messages of the next available session")
    .option("-o, --out <FILE>", "append the envelopes to a file, one per line")
    .option("-j, --json", "one line of JSON per message, with its envelope")
    .option("--no-complete", "abandon the messages, which counts a delivery");
  return withEndpointOptions(withSchemaOptions(command)).action(
    async (entity: string | undefined, options: ReceiveRequest) => {
      if (options.session !== undefined && options.nextSession === true)
        throw new Misuse("--session and --next-session cannot be used together");
      finish(await (await import("./receive.ts")).receiveMessages({ ...options, entity }, terminal));
    },
  );
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (seconds >= 0 && Number.isFinite(seconds)) return seconds;
  throw new Misuse("--wait must be a number of seconds");
}

/** The options that go with a file. */
const ofFile: ReadonlySet<string> = new Set(["again", "dryRun", "connectionString", "ca"]);

/** `sobre send`. */
export function sendCommand({ terminal, finish }: Session): Command {
  const command = commandOf("send", {
    summary: "send a message, or a file of envelopes once, to a queue or topic",
    about: `Sends one message with --body, or a FILE of envelopes, one per line, as capture
writes them (- for standard input). All lines are read before any is sent, and
FILE.sent lists those that were sent, so that they are not sent again.`,
    examples: ["sobre send orders --body '{\"id\":7}' --property tenant=a", "sobre send orders orders.ndjson"],
    exits: "0 done, 1 the broker refused, 2 wrong usage or an invalid line.",
  })
    .argument("<ENTITY>")
    .argument("[FILE]")
    .option("--body <TEXT>", "one message; JSON for binary formats such as MessagePack")
    .option("--content-type <T>", "default: application/json if the body is JSON")
    .option("--property <NAME=TEXT>", "an application property, or NAME:=JSON", pairsOf("--property"))
    .option("--broker-property <N=TEXT>", "e.g. messageId=a1 or timeToLive=30s", brokerProperty)
    .option("--again", "also send lines that were sent before")
    .option("--dry-run", "only show what would be sent");
  return withEndpointOptions(command).action(
    async (entity: string, file: string | undefined, options: SendRequest & Partial<MessageRequest>) => {
      const { body } = options;
      if (body !== undefined && file === undefined)
        return finish(await (await import("./send-message.ts")).sendMessage({ ...options, entity, body }, terminal));
      if (body !== undefined || file === undefined) throw new Misuse("give either --body or a FILE");
      const extra = Object.keys(options).find((name) => !ofFile.has(name));
      if (extra !== undefined) throw new Misuse(`${extra} applies to --body only; each line of FILE has its own`);
      finish(await (await import("./send.ts")).sendFile({ ...options, entity, file }, terminal));
    },
  );
}

const brokerPairs = pairsOf("--broker-property");
const timeToLive = spanOf("--broker-property timeToLive");

/** Times are written as elsewhere on the command line. */
function brokerProperty(pair: string, before?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const pairs = brokerPairs(pair, before);
  const { timeToLive: span } = pairs;
  return typeof span === "string" ? { ...pairs, timeToLive: timeToLive(span) } : pairs;
}

/** `sobre capture`. */
export function captureCommand({ terminal, finish }: Session): Command {
  const command = commandOf("capture", {
    summary: "copy messages to a file without receiving them",
    about: `Peeks at the messages of a queue, subscription or dead-letter queue and appends
their envelopes to FILE, one per line. FILE.next keeps the position: the same
command continues from there, after an interruption or for new messages.`,
    examples: ["sobre capture 'orders/$DeadLetterQueue' dead.ndjson", "sobre migrate dead.ndjson"],
    exits: `0 done, 1 the broker refused, 2 wrong usage, or a FILE of something
else.`,
  })
    .argument("<ENTITY>")
    .argument("<FILE>")
    .option("-n, --max <N>", "maximum number of messages in this run; default: all", wholeNumber("--max", 1))
    .option("--from <SEQ>", "the sequence number to start with", sequenceNumber("--from"))
    .option("--session <ID>", "only messages of this session");
  return withEndpointOptions(command).action(async (entity: string, file: string, options: CaptureRequest) =>
    finish(await (await import("./capture.ts")).captureMessages({ ...options, entity, file }, terminal)),
  );
}
