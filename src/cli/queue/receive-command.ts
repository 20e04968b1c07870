import { Command, type Finish, wholeNumber } from "../commander.ts";
import { type EndpointOptions, openEndpoint, withEndpointOptions } from "./endpoint.ts";
import { Misuse } from "../misuse.ts";
import type { ReceiveRequest } from "./receive.ts";
import { type SchemaOptions, withSchemaOptions } from "../schema-options.ts";
import type { Terminal } from "../terminal.ts";

/** `sobre receive`. */
export function receiveCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("receive")
    .summary("receive messages from a queue")
    .description(
      "Receives from ENTITY and completes each message only after it was written. One\n" +
        "that no codec reads is abandoned, unless --json or --out keeps its bytes.",
    )
    .argument("[ENTITY]")
    .option("-n, --max <N>", "maximum number of messages", wholeNumber("--max", 1), 1)
    .option("-w, --wait <S>", "seconds to wait for the next one", secondsOf, 5)
    .option("--session <ID>", "only messages of this session")
    .option("--next-session", "only messages of the next available session")
    .option("-o, --out <FILE>", "append the envelopes to a file, one per line")
    .option("-j, --json", "one line of JSON per message, with its envelope")
    .option("--no-complete", "abandon the messages, which counts a delivery");
  return withEndpointOptions(withSchemaOptions(command))
    .addHelpText(
      "after",
      `
Examples:
  sobre receive orders --max 100 --out orders.ndjson

Exit codes: 0 done, 1 one was not read, or the broker refused, 2 wrong usage.`,
    )
    .action(async (entity: string | undefined, options: EndpointOptions & SchemaOptions & ReceiveRequest) => {
      if (options.session !== undefined && options.nextSession === true)
        throw new Misuse("--session and --next-session cannot be used together");
      const { receiveMessages } = await import("./receive.ts");
      const { commandSerializer } = await import("../codecs.ts");
      const serializer = await commandSerializer(options);
      finish(await receiveMessages(await openEndpoint(options, entity), options, { serializer, terminal }));
    });
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (seconds >= 0 && Number.isFinite(seconds)) return seconds;
  throw new Misuse("--wait must be a number of seconds");
}
