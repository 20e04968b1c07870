import { collect, type Command, commandOf, Option, type Session, spanOf, wholeNumber } from "../commander.ts";
import { withEndpointOptions } from "../queue/endpoint.ts";
import { addKey, type Keys } from "./serve-keys.ts";
import type { ServeCommand } from "./serve.ts";
import type { UiRequest } from "./ui.ts";

/** `sobre serve`. */
export function serveCommand({ terminal, finish }: Session): Command {
  return commandOf("serve", {
    summary: "serve queues to Azure Service Bus clients; also: store, postgres",
    about: `Serves a broker over AMQP 1.0, so that the official clients connect with the
connection string it prints. Stop it with Ctrl+C. The broker is in memory and
is lost when it stops, unless --data names a directory, or --postgres a
database that several servers may share.`,
    notes: serveNotes,
    examples: [
      "sobre serve --queue orders",
      "sobre serve --config Config.json --port 5672",
      "sobre serve --data ./broker --queue orders",
      "sobre serve --postgres postgres://app@db/shop --key-file keys --host 0.0.0.0",
      "sobre serve --auto-create --quiet",
    ],
    exits: `0 ended by a signal, 1 the port or the directory is in use, the
directory is damaged, or the database refuses, 2 wrong usage, or a missing or
invalid file.`,
  })
    .option("-c, --config <FILE>", "entities, in a Config.json of the official emulator")
    .option("-d, --data <DIR>", "keep everything on disk here; nothing acknowledged is lost on restart")
    .option("--postgres <URL>", "keep everything in this database, for any number of servers at once")
    .option("--schema <NAME>", "the schema of its tables (default: sobre)")
    .option("--namespace <NAME>", "a further namespace, in a schema of its name; may be repeated", collect)
    .option("--migrate", "create the tables, or upgrade them; see also: sobre postgres migrate")
    .option("--transaction-pooler", "the URL leads to PgBouncer in transaction mode, or the like")
    .option("--listen <URL>", "the database without that pooler, to be woken by other servers")
    .option("--wait <TIME>", "how long to wait for the database at the start (default: 60s)", spanOf("--wait"))
    .option("-p, --port <N>", "port for AMQP, HTTP and TLS; 0 for any free one", wholeNumber("--port", 0, 65_535), 5672)
    .option(
      "--http-port <N>",
      "a second port for the same (default: 5300; with --port 0 any free one)",
      wholeNumber("--http-port", 0, 65_535),
    )
    .option("--host <HOST>", "the address to listen on (default: localhost; with --emulator all addresses)")
    .option("--queue <NAME>", "a queue to create; may be repeated", collect)
    .option("--key <NAME=KEY>", "a shared access key; may be repeated", withKey)
    .option("--key-file <FILE>", "shared access keys, NAME=KEY on each line")
    .option(
      "--max-memory <MB>",
      "memory for messages; beyond it sends are refused, or with --data kept on disk only",
      wholeNumber("--max-memory", 1),
    )
    .option("--auto-create", "create queues, topics and subscriptions on first use")
    .option("--emulator", "stand in for the official emulator, in its container or on its network")
    .option("--control", "let clients control the broker over HTTP, for tests; see GET /$control")
    .option("--virtual-time", "move time only when a client advances it; implies --control")
    .addOption(
      new Option("--ui <MODE>", "the inspector at /$ui/: reads only, also changes, or is off (default: read)").choices([
        "read",
        "change",
        "off",
      ]),
    )
    .option("--tls", "also accept TLS, with a generated certificate")
    .option("--cert <FILE>", "also accept TLS, with this certificate (PEM)")
    .option("--cert-key <FILE>", "its private key (PEM)")
    .option("-q, --quiet", "print nothing but the connection string")
    .action(async (options: ServeCommand) => {
      const { serve } = await import("./serve.ts");
      const { SOBRE_SERVE_KEYS: keyVariable, EMULATOR_HTTP_PORT: emulatorHttpPort } = process.env;
      const variables = {
        ...(keyVariable !== undefined && { keyVariable }),
        ...(emulatorHttpPort !== undefined && { emulatorHttpPort }),
      };
      finish(await serve({ ...options, ...variables }, terminal, signalled()));
    });
}

const serveNotes = `Without keys, here or in the configuration, the emulator's well-known key is
accepted and the server listens on this machine only; any other --host needs a
key. SOBRE_SERVE_KEYS also takes keys, as NAME=KEY;NAME=KEY. Keys from the
variable and from files are not printed. ServiceBusAdministrationClient requires
https: --tls writes its certificate to a file; trust it by NODE_EXTRA_CA_CERTS.

A URL without a password takes that of PGPASSWORD or ~/.pgpass. A key named as
a --namespace is that namespace's. Servers of one database need the same keys.

With --emulator, anyone who can reach the server can use it without a key, as
with the official emulator; use it on a closed network only. In code, the option
trustedNetwork of startServer does that. EMULATOR_HTTP_PORT sets --http-port;
ACCEPT_EULA, SQL_SERVER, MSSQL_SA_PASSWORD and SQL_WAIT_INTERVAL are accepted
but not needed.`;

const withKey = (pair: string, keys: Keys = {}): Keys => addKey(keys, pair, "--key");

/** `sobre ui`. */
export function uiCommand({ terminal, finish }: Session): Command {
  const command = commandOf("ui", {
    summary: "look at queues and dead letters in a browser",
    about: `Serves a page on this machine: every queue, why each dead letter failed, and
what would be read after a repair. Looking only peeks.`,
    examples: ["sobre ui --mailbox fixtures/mailbox", 'sobre ui --connection-string "$SERVICEBUS_CONNECTION_STRING"'],
    exits: "0 ended by a signal, 1 the port is in use, 2 wrong usage.",
  })
    .option("--mailbox <DIR>", "sample messages of a folder, in memory")
    .option("-p, --port <N>", "port; 0 for any free one", wholeNumber("--port", 0, 65_535), 5380)
    .option("--allow-changes", "send back, import and delete; so with --mailbox")
    .option("--hide-bodies", "show bodies when asked; so on brokers elsewhere")
    .option("--to-broker <NAME=CS>", "another broker for dead letters; may be repeated", collect)
    .option("--redrives <DIR>", "records of re-drives (default: ~/.local/state/sobre)")
    .option("--redact <NAME>", "replace values of this name; may be repeated", collect);
  return withEndpointOptions(command).action(async (options: UiRequest) =>
    finish(await (await import("./ui.ts")).serveUi(options, terminal, signalled())),
  );
}

/** Resolves when the process is asked to end. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
