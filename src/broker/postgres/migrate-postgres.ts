import { checkOptions, listOf, name, type OptionChecks } from "../../core/options/option-checks.ts";
import { checkConnectionString, Database } from "./database.ts";
import { quoted } from "./identifier.ts";
import { grantMessages, migrate } from "./schema.ts";

/** Options of {@link migratePostgres}. */
export interface MigratePostgresOptions {
  /** The database, with a role that may create the schema, or owns it. */
  readonly connectionString: string;
  /** The schema of the tables. Default: `sobre`. */
  readonly schema?: string | undefined;
  /** Existing roles that shall be able to send, receive and settle, and nothing else. Default: none. */
  readonly grantTo?: readonly string[] | undefined;
}

/** The versions of the tables before and after a migration; 0 means that there were none. */
export interface PostgresMigration {
  readonly from: number;
  readonly to: number;
}

const migratePostgresChecks: OptionChecks<MigratePostgresOptions> = {
  connectionString: name,
  schema: name,
  grantTo: listOf("names of roles", name),
};

/** Milliseconds for a statement, which may build an index of a large table. */
const maxStatementTime = 3_600_000;

/**
 * Creates the tables of `postgresEngine`, or upgrades them to those of this release, forward only. Nodes of older releases keep working.
 *
 * @throws SobreError `InvalidArgument` naming the option; `InvalidOperation` for tables of a newer release;
 * `UnauthorizedAccess` when the role may not; `ServiceBusy` when a table is in use for longer than 5 seconds.
 */
export async function migratePostgres(options: MigratePostgresOptions): Promise<PostgresMigration> {
  checkOptions(options, migratePostgresChecks, { needed: ["connectionString"] });
  const { connectionString, grantTo = [] } = options;
  checkConnectionString("connectionString", connectionString);
  const schema = quoted("schema", options.schema ?? "sobre");
  const roles = grantTo.map((role) => quoted("grantTo", role));
  const database = new Database({ connectionString, statementTimeout: maxStatementTime, maxConnections: 1 });
  try {
    const migration = await migrate(database, schema);
    for (const role of roles) await grantMessages(database, schema, role);
    return migration;
  } finally {
    await database.close();
  }
}
