import { Client, Pool, TypeOverrides } from "pg";
import type { PostgresClient, PostgresPool } from "./driver.ts";
import { isRow, type Row } from "./rows.ts";
import { databaseFailure } from "./failures.ts";

/** Parameters of a statement, by position. */
export type Values = readonly unknown[];

/** Runs statements: the pool, or the one connection of a transaction. */
export interface Session {
  /** @throws SobreError for every failure of the database. */
  query(statement: string, values?: Values): Promise<readonly Row[]>;
}

/** How to reach a database. */
export interface DatabaseSetup {
  readonly connectionString?: string | undefined;
  /** A pool that belongs to the caller, which is not closed. */
  readonly pool?: PostgresPool | undefined;
  /** Statement timeout in milliseconds. */
  readonly statementTimeout: number;
  /** Maximum number of connections of a pool of our own. */
  readonly maxConnections: number;
}

/** Object identifier of `int8`, whose values do not all fit a `number`. */
const int8 = 20;

const typesOfOurs = new TypeOverrides();
typesOfOurs.setTypeParser(int8, BigInt);

/** A PostgreSQL database; connections are opened on demand. */
export class Database implements Session {
  readonly #pool: PostgresPool;
  /** The pool, when it is the engine's own. */
  readonly #own: Pool | undefined;
  readonly #timeout: number;

  constructor({ connectionString, pool, statementTimeout, maxConnections }: DatabaseSetup) {
    this.#timeout = statementTimeout;
    this.#own = pool === undefined ? ownPool(connectionString, statementTimeout, maxConnections) : undefined;
    const used = pool ?? this.#own;
    if (used === undefined) throw new RangeError("There is no pool.");
    this.#pool = used;
  }

  async query(statement: string, values?: Values): Promise<readonly Row[]> {
    try {
      return await run(this.#pool, statement, values);
    } catch (error) {
      throw databaseFailure(error);
    }
  }

  /** Runs statements in one transaction, which is rolled back when `work` throws. */
  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    // When the connection is lost between two statements, the next one fails; without a listener the process would exit.
    client.on("error", ignore);
    let isBroken: boolean | Error = false;
    try {
      await run(client, "begin isolation level read committed");
      await run(client, `select set_config('statement_timeout', $1, true)`, [String(this.#timeout)]);
      const result = await work({ query: (statement, values) => run(client, statement, values) });
      await run(client, "commit");
      return result;
    } catch (error) {
      await run(client, "rollback").catch(() => (isBroken = true));
      throw databaseFailure(error);
    } finally {
      client.off("error", ignore);
      client.release(isBroken);
    }
  }

  async close(): Promise<void> {
    await this.#own?.end();
  }

  async #connect(): ReturnType<PostgresPool["connect"]> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}

/** A connection that receives the notifications of a channel. */
export interface Listener {
  close(): Promise<void>;
}

/**
 * Listens on a channel over a dedicated connection, which must not go through a transaction pooler.
 *
 * @param onEnd Called once when the connection is lost.
 * @throws SobreError when the database cannot be reached.
 */
export async function listen(
  connectionString: string,
  channel: string,
  { onPayload, onEnd }: { readonly onPayload: (payload: string) => void; readonly onEnd: () => void },
): Promise<Listener> {
  const client = new Client({ connectionString, keepAlive: true });
  let isClosing = false;
  client.on("error", ignore);
  client.on("end", () => {
    if (!isClosing) onEnd();
  });
  client.on("notification", ({ payload = "" }) => onPayload(payload));
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    isClosing = true;
    await client.end().catch(ignore);
    throw databaseFailure(error);
  }
  return {
    async close() {
      isClosing = true;
      await client.end().catch(ignore);
    },
  };
}

const ignore = (): void => {};

function ownPool(connectionString: string | undefined, statementTimeout: number, maxConnections: number): Pool {
  const pool = new Pool({
    connectionString,
    max: maxConnections,
    allowExitOnIdle: true,
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout,
    connectionTimeoutMillis: statementTimeout,
    // A server that is unreachable does not cancel its statements.
    query_timeout: statementTimeout + 1000,
    options: String.raw`-c default_transaction_isolation=read\ committed`,
  });
  // Losing an idle connection has no effect: the next statement opens another.
  pool.on("error", ignore);
  return pool;
}

/** Runs statements on a connection of the caller. */
export const sessionOn = (client: PostgresClient): Session => ({
  async query(statement, values) {
    try {
      return await run(client, statement, values);
    } catch (error) {
      throw databaseFailure(error);
    }
  },
});

async function run(on: PostgresClient, text: string, values: Values = []): Promise<readonly Row[]> {
  // The driver takes the parsers with the statement.
  const statement = { text, values: [...values], types: typesOfOurs };
  const { rows } = await on.query(statement);
  return rows.filter(isRow);
}
