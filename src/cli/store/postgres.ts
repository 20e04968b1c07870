import { SobreError } from "../../core/errors/sobre-error.ts";
import { oneLine } from "../display.ts";
import { exitCodes, Misuse } from "../misuse.ts";
import type { Terminal } from "../terminal.ts";

/** The arguments of `sobre postgres migrate`. */
export interface PostgresMigrateCommand {
  readonly url: string | undefined;
  readonly schema?: string;
  /** Roles that get the rights to send and receive. */
  readonly grant?: readonly string[];
}

/** Creates or upgrades the tables; resolves to the exit code. */
export async function migrate({ url, schema, grant }: PostgresMigrateCommand, terminal: Terminal): Promise<number> {
  if (url === undefined || url === "") throw new Misuse("no database: give its URL, or set DATABASE_URL");
  const { migratePostgres } = await import("../../broker/postgres/index.ts");
  try {
    const { from, to } = await migratePostgres({ connectionString: url, schema, grantTo: grant });
    const what =
      from === to
        ? `has version ${to} already`
        : from === 0
          ? `has version ${to} now`
          : `went from version ${from} to ${to}`;
    await terminal.out(`The schema ${schema ?? "sobre"} ${what}.\n`);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    if (error.code === "InvalidArgument") throw new Misuse(error.message);
    terminal.err(`sobre: ${oneLine(error.message)}\n`);
    return exitCodes.failed;
  }
}
