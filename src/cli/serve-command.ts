import { collect, Command, Option, textOf } from "./commander.ts";
import { Misuse } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** `sobre serve` as commander has it; what it does is loaded when it is asked for. */
export function serveCommand(terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("serve")
    .summary("serve queues and topics to Azure Service Bus clients")
    .description(
      "Serves a broker over AMQP 1.0, so that the official clients connect with the\n" +
        "connection string it prints. Ends with Ctrl+C. The broker is in memory, and\n" +
        "nothing of it is kept, unless --data names a directory.",
    )
    .option("-c, --config <FILE>", "entities, as a Config.json of the official emulator")
    .option("-d, --data <DIR>", "keep everything on disk here; nothing acknowledged is lost on restart")
    .option("-p, --port <N>", "for AMQP, HTTP and TLS; 0 is any free one", "5672")
    .option("--http-port <N>", "another port that speaks the same", "5300")
    .option("--host <HOST>", "where to listen", "localhost")
    .addOption(new Option("--queue <NAME>", "a queue to begin with; may be repeated").argParser(collect))
    .addOption(new Option("--key <NAME=KEY>", "a shared access key; may be repeated").argParser(collect))
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
which takes a key. ServiceBusAdministrationClient dials https, for which --tls
writes its certificate to a file: NODE_EXTRA_CA_CERTS trusts it.

Examples:
  sobre serve --queue orders
  sobre serve --config Config.json --port 5672
  sobre serve --data ./broker --queue orders
  sobre serve --auto-create --quiet

Exit codes: 0 ended by a signal, 1 the port or the directory is in use, or the
directory is damaged, 2 wrong usage, a missing or a wrong file.`,
    )
    .action(async (options: Readonly<Record<string, unknown>>) => {
      const { serve } = await import("./serve.ts");
      const request = {
        config: textOf(options["config"]),
        data: textOf(options["data"]),
        port: portOf(options["port"], "--port"),
        httpPort: portOf(options["httpPort"], "--http-port"),
        host: textOf(options["host"]) ?? "localhost",
        queues: textsOf(options["queue"]),
        keys: keysOf(textsOf(options["key"])),
        autoCreate: options["autoCreate"] === true,
        tls: options["tls"] === true,
        cert: textOf(options["cert"]),
        certKey: textOf(options["certKey"]),
        quiet: options["quiet"] === true,
      };
      finish(await serve(request, terminal, signalled()));
    });
}

/** Resolves when the process is asked to end. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

function portOf(value: unknown, option: string): number {
  const port = Number(value);
  if (typeof value === "string" && /^\d{1,5}$/.test(value) && port <= 65_535) return port;
  throw new Misuse(`${option} must be a number from 0 to 65535`);
}

/** The value is never repeated: it is a secret. */
function keysOf(pairs: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (pairs.length === 0) return undefined;
  const keys = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1 || at === pair.length - 1) throw new Misuse("--key must be NAME=KEY");
    const name = pair.slice(0, at);
    if (keys.has(name)) throw new Misuse(`--key gives ${name} twice`);
    keys.set(name, pair.slice(at + 1));
  }
  return Object.fromEntries(keys);
}

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
