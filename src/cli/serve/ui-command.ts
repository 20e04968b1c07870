import { Command, collect, type Finish, wholeNumber } from "../commander.ts";
import { type EndpointOptions, withEndpointOptions } from "../queue/endpoint.ts";
import { signalled } from "./signalled.ts";
import type { Terminal } from "../terminal.ts";
import type { UiRequest } from "./ui.ts";

/** `sobre ui`. */
export function uiCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("ui")
    .summary("look at queues and dead letters in a browser")
    .description(
      "Serves a page on this machine: every queue, why each dead letter failed, and\n" +
        "what would be read after a repair. Looking only peeks.",
    )
    .option("--mailbox <DIR>", "sample messages of a folder, in memory")
    .option("-p, --port <N>", "port; 0 for any free one", wholeNumber("--port", 0, 65_535), 5380)
    .option("--allow-changes", "send back, import and delete; so with --mailbox")
    .option("--hide-bodies", "show bodies when asked; so on brokers elsewhere")
    .option("--to-broker <NAME=CS>", "another broker for dead letters; may be repeated", collect)
    .option("--redrives <DIR>", "records of re-drives (default: ~/.local/state/sobre)")
    .option("--redact <NAME>", "replace values of this name; may be repeated", collect);
  return withEndpointOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  sobre ui --mailbox fixtures/mailbox
  sobre ui --connection-string "$SERVICEBUS_CONNECTION_STRING"

Exit codes: 0 ended by a signal, 1 the port is in use, 2 wrong usage.`,
    )
    .action(async (options: EndpointOptions & UiRequest) => {
      const { serveUi } = await import("./ui.ts");
      finish(await serveUi(options, terminal, signalled()));
    });
}
