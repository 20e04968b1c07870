import { Command, type Finish } from "../commander.ts";
import { Misuse } from "../misuse.ts";
import { pairsOf } from "./pairs.ts";
import type { MessageRequest } from "./send-message.ts";
import { spanOf } from "../span.ts";
import { type EndpointOptions, openEndpoint, withEndpointOptions } from "./endpoint.ts";
import type { SendRequest } from "./send.ts";
import type { Terminal } from "../terminal.ts";

type SendOptions = EndpointOptions & Omit<SendRequest, "file"> & Partial<MessageRequest>;

/** The options that go with a file. */
const ofFile: ReadonlySet<string> = new Set(["again", "dryRun", "connectionString", "ca"]);

/** `sobre send`. */
export function sendCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("send")
    .summary("send a message, or a file of envelopes once, to a queue or topic")
    .description(
      "Sends one message with --body, or a FILE of envelopes, one per line, as capture\n" +
        "writes them (- for standard input). All lines are read before any is sent, and\n" +
        "FILE.sent lists those that were sent, so that they are not sent again.",
    )
    .argument("<ENTITY>")
    .argument("[FILE]")
    .option("--body <TEXT>", "one message; JSON for binary formats such as MessagePack")
    .option("--content-type <T>", "default: application/json if the body is JSON")
    .option("--property <NAME=TEXT>", "an application property, or NAME:=JSON", pairsOf("--property"))
    .option("--broker-property <N=TEXT>", "e.g. messageId=a1 or timeToLive=30s", brokerProperty)
    .option("--again", "also send lines that were sent before")
    .option("--dry-run", "only show what would be sent");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  sobre send orders --body '{"id":7}' --property tenant=a
  sobre send orders orders.ndjson

Exit codes: 0 done, 1 the broker refused, 2 wrong usage or an invalid line.`,
    )
    .action(async (entity: string, file: string | undefined, options: SendOptions) => {
      const { body } = options;
      if ((body === undefined) === (file === undefined)) throw new Misuse("give either --body or a FILE");
      if (body !== undefined) {
        const { sendMessage } = await import("./send-message.ts");
        const { commandSerializer } = await import("../codecs.ts");
        const serializer = await commandSerializer({});
        const endpoint = await openEndpoint(options, entity);
        return finish(await sendMessage(endpoint, { ...options, body }, { serializer, terminal }));
      }
      const extra = Object.keys(options).find((name) => !ofFile.has(name));
      if (extra !== undefined) throw new Misuse(`${extra} applies to --body only; each line of FILE has its own`);
      const { sendFile } = await import("./send.ts");
      finish(await sendFile(await openEndpoint(options, entity), { ...options, file: file ?? "" }, terminal));
    });
}

const brokerPairs = pairsOf("--broker-property");
const timeToLive = spanOf("--broker-property timeToLive");

/** Times are written as elsewhere on the command line. */
function brokerProperty(pair: string, before?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const pairs = brokerPairs(pair, before);
  const { timeToLive: span } = pairs;
  return typeof span === "string" ? { ...pairs, timeToLive: timeToLive(span) } : pairs;
}
