import { Command, collect, type Finish } from "../commander.ts";
import type { PostgresMigrateCommand } from "./postgres.ts";
import type { Terminal } from "../terminal.ts";

/** `sobre postgres` with its command. */
export function postgresCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("postgres")
    .summary("prepare a database for the PostgreSQL engine")
    .description("Prepares a database for `sobre serve --postgres` and postgresEngine.")
    .addCommand(migrateCommand(terminal, finish));
}

function migrateCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("migrate")
    .summary("create the tables, or upgrade them to this release")
    .description(
      "Creates the tables in the database at URL (default: $DATABASE_URL), or upgrades\n" +
        "them. Older servers keep working. It runs in one transaction.",
    )
    .argument("[URL]")
    .option("--schema <NAME>", "the schema of the tables (default: sobre)")
    .option("--grant <ROLE>", "let this role send and receive, and nothing else; may be repeated", collect)
    .addHelpText(
      "after",
      `
A URL without a password takes that of PGPASSWORD or ~/.pgpass.

Examples:
  sobre postgres migrate postgres://owner@db/shop
  sobre postgres migrate postgres://owner@db/shop --grant shop_service

Exit codes: 0 done, 1 the database refuses, 2 wrong usage.`,
    )
    .action(async (url: string | undefined, options: Omit<PostgresMigrateCommand, "url">) => {
      const { migrate } = await import("./postgres.ts");
      finish(await migrate({ ...options, url: url ?? process.env["DATABASE_URL"] }, terminal));
    });
}
