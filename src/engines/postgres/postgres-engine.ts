import type { Engine } from "../../engine/engine.ts";
import type { Clock } from "../../time/clock.ts";
import {
  checkOptions,
  countFrom,
  flag,
  methods,
  milliseconds,
  name,
  type OptionChecks,
} from "../../options/option-checks.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import { PostgresConnection } from "./connection.ts";
import { Database } from "./database.ts";
import { DatabaseClock } from "./database-clock.ts";
import type { PostgresPool } from "./driver.ts";
import { Home } from "./home.ts";
import { quotedSchema } from "./identifier.ts";
import { checkSchema, migrate } from "./schema.ts";
import { Store } from "./store.ts";

/** Options of {@link postgresEngine}. */
export interface PostgresEngineOptions {
  /** The database, e.g. `postgres://user:password@host/shop`; alternatively `pool`. */
  readonly connectionString?: string | undefined;
  /** A pool of `pg`. It still belongs to the caller: the engine does not close it. */
  readonly pool?: PostgresPool | undefined;
  /**
   * The database without a transaction pooler in between, to listen for wake-ups. Default: `connectionString`; with
   * only a pool, messages from other processes are found by polling within 2 seconds.
   */
  readonly listenConnectionString?: string | undefined;
  /** The schema of the tables, one for each namespace. Default: `sobre`. */
  readonly schema?: string | undefined;
  /** Whether to create missing tables and upgrade older ones on opening. Default: false. */
  readonly migrate?: boolean | undefined;
  /** The broker's clock. Default: that of the database's server. */
  readonly clock?: Clock | undefined;
  /** Statement timeout in milliseconds. Default: 30,000. */
  readonly statementTimeoutInMs?: number | undefined;
  /** Maximum number of connections. Default: 10. */
  readonly maxConnections?: number | undefined;
  /**
   * Milliseconds between two sweeps for expired locks, due schedules and expired messages. 0 sweeps before every call,
   * for a `ManualClock`. Default: 500.
   */
  readonly sweepIntervalInMs?: number | undefined;
}

const checks: OptionChecks<PostgresEngineOptions> = {
  connectionString: name,
  pool: methods("a Pool of pg", "connect", "query", "on"),
  listenConnectionString: name,
  schema: name,
  migrate: flag,
  clock: methods("a Clock, as ManualClock", "now", "setTimer"),
  statementTimeoutInMs: countFrom(1),
  maxConnections: countFrom(1),
  sweepIntervalInMs: milliseconds,
};

/**
 * Opens a broker whose messages are in a PostgreSQL database, for any number of processes at once.
 *
 * @throws SobreError `InvalidArgument` naming the option, `InvalidOperation` for missing tables or those of another version, and
 * database errors.
 */
export async function postgresEngine(options: PostgresEngineOptions): Promise<Engine> {
  checkOptions(options, checks);
  const {
    connectionString,
    pool,
    statementTimeoutInMs = 30_000,
    maxConnections = 10,
    sweepIntervalInMs = 500,
  } = options;
  if ((connectionString === undefined) === (pool === undefined))
    throw new SobreError("InvalidArgument", "postgresEngine needs a connectionString or a pool, and not both.", {
      path: "$.connectionString",
    });
  const schema = quotedSchema(options.schema ?? "sobre");
  const database = new Database({ connectionString, pool, statementTimeout: statementTimeoutInMs, maxConnections });
  try {
    if (options.migrate === true) await migrate(database, schema);
    else await checkSchema(database, schema);
    const databaseClock = options.clock === undefined ? new DatabaseClock(database) : undefined;
    const clock = options.clock ?? databaseClock;
    if (clock === undefined) throw new RangeError("There is no clock.");
    const store = new Store(database, schema, clock, databaseClock);
    await store.refreshTime();
    await store.directory.refresh();
    const home = new Home(store, sweepIntervalInMs, options.listenConnectionString ?? connectionString);
    await home.start();
    return new RootConnection(home);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The root connection: closing it closes the engine. */
class RootConnection extends PostgresConnection {
  readonly #home: Home;

  constructor(home: Home) {
    super(home);
    this.#home = home;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#home.close();
  }

  override async abort(): Promise<void> {
    await super.abort();
    await this.#home.close();
  }
}
