import type { PostgresClient, PostgresPool } from "../../broker/postgres/driver.ts";
import { databaseFailure } from "../../broker/postgres/failures.ts";
import { quoted as quotedName } from "../../broker/postgres/identifier.ts";
import { isRow, type ResultRow } from "../../broker/postgres/rows.ts";
import { checkOption, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";

/** Options of the stores in PostgreSQL. */
export interface PostgresStoreOptions {
  /** A pool of `pg` on the database that your own tables are in. It belongs to you: it is not closed. */
  readonly pool: PostgresPool;
  /** The schema of the store's tables, which are created if they do not exist. Default: `sobre`. */
  readonly schema?: string | undefined;
}

/** Checks of {@link PostgresStoreOptions}. */
export const postgresStoreChecks: OptionChecks<PostgresStoreOptions> = {
  pool: is.methods("a Pool of pg", "connect", "query", "on"),
  schema: is.name,
};

/** Processes that start together create the tables one after the other. */
const tablesLock = 0x736f_6278;

/** Creates tables, whose statements name the quoted schema `$schema`; resolves to that name. */
export async function createTables({ pool, schema = "sobre" }: PostgresStoreOptions, tables: string): Promise<string> {
  const quoted = quotedName("schema", schema);
  // Statements of one text are one transaction.
  const text = `select pg_advisory_xact_lock(${tablesLock}); create schema if not exists ${quoted}; ${tables.replaceAll("$schema", quoted)}`;
  try {
    await pool.query(text);
  } catch (error) {
    throw databaseFailure(error);
  }
  return quoted;
}

/** The rows of a statement. @throws SobreError for every failure of the database. */
export async function rowsOf(
  on: PostgresClient,
  text: string,
  values: readonly unknown[],
): Promise<readonly ResultRow[]> {
  try {
    const { rows } = await on.query({ text, values: [...values] });
    return rows.filter(isRow);
  } catch (error) {
    throw databaseFailure(error);
  }
}

/** @throws SobreError `InvalidArgument` for anything but a connected client of `pg`. */
export function checkClient(client: unknown): void {
  checkOption("transaction", client, is.methods("your connected client of pg, in a transaction", "query"));
  if (typeof client === "object" && client !== null && "totalCount" in client)
    throw invalidOption("transaction", "must be a connected client of pg: a pool has no transaction of its own");
}
