import { createHash } from "node:crypto";
import { Client, Pool, TypeOverrides } from "pg";
import { invalidOption } from "../../core/options/option-checks.ts";
import type { PostgresClient, PostgresPool } from "./driver.ts";
import { isRow, type ResultRow } from "./rows.ts";
import { databaseFailure, isOfReadOnlyServer } from "./failures.ts";

/** Parameters of a statement, by position. */
export type StatementValues = readonly unknown[];

/** Runs statements: the pool, or the one connection of a transaction. */
export interface DatabaseSession {
  /** @throws SobreError for every failure of the database. */
  query(statement: string, values?: StatementValues): Promise<readonly ResultRow[]>;
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
  /** Whether a pooler in between gives each transaction another connection of the server: nothing may outlive one. */
  readonly isPooled?: boolean | undefined;
  /** Whether the server keeps the plans of statements. */
  readonly preparesStatements?: boolean | undefined;
}

/** Object identifier of `int8`, whose values do not all fit a `number`. */
const int8 = 20;

const typesOfOurs = new TypeOverrides();
typesOfOurs.setTypeParser(int8, BigInt);

/** Pools that have the listener of their connections: any number of engines may share one. */
const listened = new WeakSet<PostgresPool>();

/** A PostgreSQL database; connections are opened on demand. */
export class Database implements DatabaseSession {
  readonly #pool: PostgresPool;
  /** The pool, when it is the engine's own. */
  readonly #own: Pool | undefined;
  readonly #timeout: number;
  /** Whether statements are prepared on each connection. */
  #prepares: boolean;

  constructor(setup: DatabaseSetup) {
    const { pool, statementTimeout, preparesStatements = false } = setup;
    this.#timeout = statementTimeout;
    this.#own = pool === undefined ? ownPool(setup) : undefined;
    const used: PostgresPool | undefined = pool ?? this.#own;
    if (used === undefined) throw new RangeError("There is no pool.");
    this.#pool = used;
    // A connection may be lost before the one who asked for it has a turn: without a listener the process would exit.
    if (!listened.has(used)) used.on("connect", (client) => client.on("error", ignore));
    listened.add(used);
    this.#prepares = preparesStatements;
  }

  async query(statement: string, values?: StatementValues): Promise<readonly ResultRow[]> {
    return this.#preparing((prepares) => run(this.#pool, statement, values, prepares));
  }

  /** Runs statements in one transaction, which is rolled back when `work` throws, and may be repeated then. */
  async transaction<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    return this.#preparing((prepares) => this.#transaction(work, prepares));
  }

  /** Repeats what failed since its statements were not prepared where they were executed: behind a pooler that knows nothing of them. */
  async #preparing<T>(work: (prepares: boolean) => Promise<T>): Promise<T> {
    const prepares = this.#prepares;
    try {
      return await work(prepares).catch((error: unknown) => {
        if (!prepares || !(isUnprepared(error) || isOutdated(error))) throw error;
        if (isUnprepared(error)) this.#prepares = false;
        return work(false);
      });
    } catch (error) {
      throw databaseFailure(error);
    }
  }

  async #transaction<T>(work: (session: DatabaseSession) => Promise<T>, prepares: boolean): Promise<T> {
    const client = await this.#pool.connect();
    // When the connection is lost between two statements, the next one fails; a caller's pool may have opened it earlier.
    client.on("error", ignore);
    let isBroken: boolean | Error = false;
    try {
      await run(client, "begin isolation level read committed");
      await run(client, timeouts, [String(this.#timeout)]);
      const result = await work({ query: (statement, values) => run(client, statement, values, prepares) });
      await run(client, "commit");
      return result;
    } catch (error) {
      await run(client, "rollback").catch(() => (isBroken = true));
      isBroken ||= isOutdated(error) || isOfReadOnlyServer(error);
      throw error;
    } finally {
      client.off("error", ignore);
      client.release(isBroken);
    }
  }

  /** Closing it twice is allowed. */
  async close(): Promise<void> {
    if (this.#own?.ended === false) await this.#own.end();
  }
}

/** Ends a transaction that hangs, whatever the connection's settings. */
const timeouts =
  "select set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $1, true)";

/** Milliseconds without data after which the listening connection is probed, and that connecting it may take. */
const keepAliveAfter = 10_000;
const maxConnectTime = 10_000;

/** A connection that receives the notifications of a channel. */
export interface Listener {
  close(): Promise<void>;
}

/** Callbacks of a listener; `onEnd` is called once, when its connection is lost. */
export interface ListenerEvents {
  readonly onPayload: (payload: string) => void;
  readonly onEnd: () => void;
}

/** Listens on a channel over a dedicated connection, which must not go through a transaction pooler. @throws SobreError when the database cannot be reached. */
export async function listen(
  connectionString: string,
  channel: string,
  { onPayload, onEnd }: ListenerEvents,
): Promise<Listener> {
  const client = new Client({
    connectionString,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfter,
    connectionTimeoutMillis: maxConnectTime,
  });
  // Until it listens, the caller gets an error instead.
  let isClosing = true;
  client.on("error", ignore);
  client.on("end", () => {
    if (!isClosing) onEnd();
  });
  client.on("notification", ({ payload = "" }) => onPayload(payload));
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    isClosing = false;
  } catch (error) {
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

/** @throws SobreError `InvalidArgument` unless it is the URL of a database; never with the URL, which has a password. */
export function checkConnectionString(option: string, connectionString: string): void {
  try {
    if (!/^(?:postgres(?:ql)?:\/\/|socket:|\/)/.test(connectionString)) throw new TypeError("not a URL");
    // It is parsed by the constructor, and without it only where errors are lost.
    void new Client({ connectionString });
  } catch {
    throw invalidOption(option, "must be the URL of a database, e.g. postgres://user:password@host:5432/name");
  }
}

function ownPool({ connectionString, statementTimeout, maxConnections, isPooled = false }: DatabaseSetup): Pool {
  const pool = new Pool({
    connectionString,
    max: maxConnections,
    allowExitOnIdle: true,
    connectionTimeoutMillis: statementTimeout,
    // A server that is unreachable does not cancel its statements.
    query_timeout: statementTimeout + 1000,
    // Poolers refuse what belongs to one connection of the server.
    ...(!isPooled && {
      statement_timeout: statementTimeout,
      idle_in_transaction_session_timeout: statementTimeout,
      // The statistics of a queue are those of a minute ago, when it was empty or full: its indexes are the right way at any size.
      options: String.raw`-c default_transaction_isolation=read\ committed -c enable_seqscan=off -c enable_bitmapscan=off -c jit=off`,
    }),
  });
  // Losing an idle connection has no effect: the next statement opens another.
  pool.on("error", ignore);
  return pool;
}

/** Maximum number of statements that are prepared: those that name a queue could be any number. */
const maxPreparedStatements = 200;

const preparedNames = new Map<string, string>();

/** The name under which a statement is prepared: statements of the same name are the same anywhere. */
function preparedName(text: string): string | undefined {
  let name = preparedNames.get(text);
  if (name === undefined && preparedNames.size < maxPreparedStatements && !text.includes('"numbers_')) {
    name = `sobre_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    preparedNames.set(text, name);
  }
  return name;
}

/** Errors of prepared statements that another connection has, or that this one has already. Nothing was done then. */
const unprepared: ReadonlySet<unknown> = new Set(["26000", "42P05"]);

const isUnprepared = (error: unknown): boolean =>
  error instanceof Error && "code" in error && unprepared.has(error.code);

/** Whether a connection has plans for tables that a migration has changed since. Nothing was done then. */
const isOutdated = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "0A000";

/** Runs statements on a connection of the caller. */
export const sessionOn = (client: PostgresClient): DatabaseSession => ({
  async query(statement, values) {
    try {
      return await run(client, statement, values);
    } catch (error) {
      throw databaseFailure(error);
    }
  },
});

async function run(
  on: PostgresClient,
  text: string,
  values: StatementValues = [],
  prepares: boolean = false,
): Promise<readonly ResultRow[]> {
  const name = prepares && values.length > 0 ? preparedName(text) : undefined;
  // The driver takes the parsers with the statement.
  const statement = { text, values: [...values], types: typesOfOurs, ...(name === undefined ? {} : { name }) };
  const { rows } = await on.query(statement);
  return rows.filter(isRow);
}
