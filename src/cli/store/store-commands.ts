import { SobreError } from "../../core/errors/sobre-error.ts";
import { collect, type Command, commandOf, type Session } from "../commander.ts";
import { oneLine } from "../display.ts";
import { exitCodes, Misuse, type Terminal } from "../terminal.ts";

/** `sobre store` with its two commands. */
export function storeCommand(session: Session): Command {
  return commandOf("store", {
    summary: "check a directory of `sobre serve --data`, and export its messages",
    about: "Reads the directory of a durable engine that no process has open.",
    examples: ["sobre store check ./broker", "sobre store export ./broker ./messages"],
    exits: "0 done, 1 damaged or in use, 2 wrong usage.",
  })
    .addCommand(checkCommand(session))
    .addCommand(exportCommand(session));
}

function checkCommand({ terminal, finish }: Session): Command {
  return commandOf("check", {
    summary: "verify every row against its checksum, and count the messages",
    about: "Reads every row of the store in DIR and counts the messages of each queue.",
  })
    .argument("<DIR>")
    .action(async (directory: string) => finish(await (await import("./store.ts")).checkStore(directory, terminal)));
}

function exportCommand({ terminal, finish }: Session): Command {
  return commandOf("export", {
    summary: "write the messages to files, one per queue",
    about: `Writes the messages of the store in DIR to a new folder OUT: one file per queue,
one envelope per line, in the format of \`sobre capture\`. Damaged rows are
reported and left out.`,
  })
    .argument("<DIR>")
    .argument("<OUT>")
    .action(async (directory: string, folder: string) =>
      finish(await (await import("./store.ts")).exportStore(directory, folder, terminal)),
    );
}

/** `sobre postgres` with its command. */
export function postgresCommand(session: Session): Command {
  return commandOf("postgres", {
    summary: "prepare a database for the PostgreSQL engine",
    about: "Prepares a database for `sobre serve --postgres` and postgresEngine.",
  }).addCommand(migrateCommand(session));
}

interface PostgresMigrateOptions {
  readonly schema?: string;
  /** Roles that get the rights to send and receive. */
  readonly grant?: readonly string[];
}

function migrateCommand({ terminal, finish }: Session): Command {
  return commandOf("migrate", {
    summary: "create the tables, or upgrade them to this release",
    about: `Creates the tables in the database at URL (default: $DATABASE_URL), or upgrades
them. Older servers keep working. It runs in one transaction.`,
    notes: "A URL without a password takes that of PGPASSWORD or ~/.pgpass.",
    examples: [
      "sobre postgres migrate postgres://owner@db/shop",
      "sobre postgres migrate postgres://owner@db/shop --grant shop_service",
    ],
    exits: "0 done, 1 the database refuses, 2 wrong usage.",
  })
    .argument("[URL]")
    .option("--schema <NAME>", "the schema of the tables (default: sobre)")
    .option("--grant <ROLE>", "let this role send and receive, and nothing else; may be repeated", collect)
    .action(async (url: string | undefined, options: PostgresMigrateOptions) =>
      finish(await migrateDatabase(url ?? process.env["DATABASE_URL"], options, terminal)),
    );
}

/** Creates or upgrades the tables; resolves to the exit code. */
async function migrateDatabase(
  url: string | undefined,
  { schema, grant }: PostgresMigrateOptions,
  terminal: Terminal,
): Promise<number> {
  if (url === undefined || url === "") throw new Misuse("no database: give its URL, or set DATABASE_URL");
  const { migratePostgres } = await import("../../broker/postgres/index.ts");
  try {
    const { from, to } = await migratePostgres({ connectionString: url, schema, grantTo: grant });
    const upgraded = from === 0 ? `has version ${to} now` : `went from version ${from} to ${to}`;
    await terminal.out(`The schema ${schema ?? "sobre"} ${from === to ? `has version ${to} already` : upgraded}.\n`);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    if (error.code === "InvalidArgument") throw new Misuse(error.message);
    terminal.err(`sobre: ${oneLine(error.message)}\n`);
    return exitCodes.failed;
  }
}
