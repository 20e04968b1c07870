import { Command, collect, type Finish, wholeNumber } from "./commander.ts";
import { addKey, type Keys } from "./serve-keys.ts";
import type { ServeCommand } from "./serve.ts";
import type { Terminal } from "./terminal.ts";

/** `sobre serve` as commander has it; what it does is loaded when it is asked for. */
export function serveCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("serve")
    .summary("serve queues and topics to Azure Service Bus clients; also: store")
    .description(
      "Serves a broker over AMQP 1.0, so that the official clients connect with the\n" +
        "connection string it prints. Ends with Ctrl+C. The broker is in memory, and\n" +
        "nothing of it is kept, unless --data names a directory.",
    )
    .option("-c, --config <FILE>", "entities, as a Config.json of the official emulator")
    .option("-d, --data <DIR>", "keep everything on disk here; nothing acknowledged is lost on restart")
    .option("-p, --port <N>", "for AMQP, HTTP and TLS; 0 is any free one", wholeNumber("--port", 0, 65_535), 5672)
    .option(
      "--http-port <N>",
      "another port that speaks the same (default: 5300; with --port 0 any free one)",
      wholeNumber("--http-port", 0, 65_535),
    )
    .option("--host <HOST>", "where to listen", "localhost")
    .option("--queue <NAME>", "a queue to begin with; may be repeated", collect)
    .option("--key <NAME=KEY>", "a shared access key; may be repeated", withKey)
    .option("--key-file <FILE>", "shared access keys, NAME=KEY on each line")
    .option("--auto-create", "create queues, topics and subscriptions on first use")
    .option("--tls", "speak TLS, too, with a certificate made on the spot")
    .option("--cert <FILE>", "speak TLS, too, with this certificate (PEM)")
    .option("--cert-key <FILE>", "its private key (PEM)")
    .option("-q, --quiet", "print nothing but the connection string")
    .addHelpText(
      "after",
      `
Without keys, here or in the configuration, the emulator's well-known key
opens it; so it listens on this machine alone unless --host says otherwise,
which takes a key. SOBRE_SERVE_KEYS has keys as well, NAME=KEY;NAME=KEY. Keys of
the variable and of files are not printed. ServiceBusAdministrationClient dials https, for which --tls
writes its certificate to a file: NODE_EXTRA_CA_CERTS trusts it.

Examples:
  sobre serve --queue orders
  sobre serve --config Config.json --port 5672
  sobre serve --data ./broker --queue orders
  sobre serve --auto-create --quiet

Exit codes: 0 ended by a signal, 1 the port or the directory is in use, or the
directory is damaged, 2 wrong usage, a missing or a wrong file.`,
    )
    .action(async (options: ServeCommand) => {
      const { serve } = await import("./serve.ts");
      const keyVariable = process.env["SOBRE_SERVE_KEYS"];
      finish(await serve({ ...options, ...(keyVariable !== undefined && { keyVariable }) }, terminal, signalled()));
    });
}

/** Resolves when the process is asked to end. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

const withKey = (pair: string, keys: Keys = {}): Keys => addKey(keys, pair, "--key");
