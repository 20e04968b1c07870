import type { CaptureRequest } from "./capture.ts";
import { Command, type Finish, sequenceNumber, wholeNumber } from "../commander.ts";
import { type EndpointOptions, openEndpoint, withEndpointOptions } from "./endpoint.ts";
import type { Terminal } from "../terminal.ts";

/** `sobre capture`. */
export function captureCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("capture")
    .summary("copy messages to a file without receiving them")
    .description(
      "Peeks at the messages of a queue, subscription or dead-letter queue and appends\n" +
        "their envelopes to FILE, one per line. FILE.next keeps the position: the same\n" +
        "command continues from there, after an interruption or for new messages.",
    )
    .argument("<ENTITY>")
    .argument("<FILE>")
    .option("-n, --max <N>", "maximum number of messages in this run; default: all", wholeNumber("--max", 1))
    .option("--from <SEQ>", "the sequence number to start with", sequenceNumber("--from"))
    .option("--session <ID>", "only messages of this session");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  sobre capture 'orders/$DeadLetterQueue' dead.ndjson
  sobre migrate dead.ndjson

Exit codes: 0 done, 1 the broker refused, 2 wrong usage, or a FILE of something
else.`,
    )
    .action(async (entity: string, file: string, options: EndpointOptions & CaptureRequest) => {
      const { captureMessages } = await import("./capture.ts");
      finish(await captureMessages(await openEndpoint(options, entity), { ...options, file }, terminal));
    });
}
