import { Command, type Finish } from "./commander.ts";
import { type EndpointOptions, openEndpoint, withEndpointOptions } from "./endpoint.ts";
import type { SendRequest } from "./send.ts";
import type { Terminal } from "./terminal.ts";

/** `sobre send`. */
export function sendCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("send")
    .summary("send a file of envelopes to a queue or topic, once")
    .description(
      "Sends envelopes, one per line, as written by capture and receive --out. FILE.sent\n" +
        "lists what was sent, which is not sent there again: after an interruption, the\n" +
        "same command sends the rest. Nothing is sent unless every line can be read.\n" +
        "FILE - is standard input, which has no FILE.sent.",
    )
    .argument("<ENTITY>")
    .argument("<FILE>")
    .option("--again", "also send what was sent before")
    .option("--dry-run", "only show what would be sent");
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      `
A cut between the broker's answer and FILE.sent may send a batch twice. Messages
without an id get one of their line, so that a queue that detects duplicates
drops them even then.

Examples:
  sobre send orders orders.ndjson

Exit codes: 0 done, 1 the broker refused, 2 wrong usage or a wrong line.`,
    )
    .action(async (entity: string, file: string, options: EndpointOptions & SendRequest) => {
      const { sendFile } = await import("./send.ts");
      finish(await sendFile(await openEndpoint(options, entity), { ...options, file }, terminal));
    });
}
