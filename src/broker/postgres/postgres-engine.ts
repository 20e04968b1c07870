import { creations, type Creator, type EntitySetup, namesIn, setupChecks } from "../../core/engine/entity-setup.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { Clock } from "../../core/time/clock.ts";
import { checkOptions, countFrom, flag, methods, name, type OptionChecks } from "../../core/options/option-checks.ts";
import { duration, durationFrom } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { newQueue, newSubscription, newTopic } from "../policy/entity-changes.ts";
import { checkConnectionString, Database } from "./database.ts";
import { DatabaseClock } from "./database-clock.ts";
import type { PostgresPool } from "./driver.ts";
import { Home } from "./home.ts";
import { quoted } from "./identifier.ts";
import { PostgresConnection } from "./postgres-verbs.ts";
import { checkSchema, migrate } from "./schema.ts";
import { PostgresStore } from "./store.ts";

/** Options of {@link postgresEngine}. */
export interface PostgresEngineOptions extends EntitySetup {
  /** The database, e.g. `postgres://user:password@host/shop`; alternatively `pool`. */
  readonly connectionString?: string | undefined;
  /** A pool of `pg`. It still belongs to the caller: the engine does not close it. */
  readonly pool?: PostgresPool | undefined;
  /**
   * The database without a transaction pooler in between, to listen for wake-ups. Default: `connectionString`; with
   * only a pool, or behind a pooler, messages from other processes are found by polling within 2 seconds.
   */
  readonly listenConnectionString?: string | undefined;
  /**
   * Whether a pooler gives each transaction another connection of the server, e.g. PgBouncer in transaction mode: then no
   * settings are sent on connecting, no statements prepared, and `connectionString` is not listened on. Default: false.
   */
  readonly transactionPooler?: boolean | undefined;
  /** Whether connections keep the plans of the engine's statements. Default: true, except with `transactionPooler` or `pool`. */
  readonly preparedStatements?: boolean | undefined;
  /** The schema of the tables, one for each namespace. Default: `sobre`. */
  readonly schema?: string | undefined;
  /** Whether to create missing tables and upgrade older ones on opening. Default: false. */
  readonly migrate?: boolean | undefined;
  /** The broker's clock. Default: that of the database's server. */
  readonly clock?: Clock | undefined;
  /** Time limit of a statement, at least 1 ms. Default: 30 seconds. */
  readonly statementTimeout?: DurationLike | undefined;
  /** Maximum number of connections. Default: 10. */
  readonly maxConnections?: number | undefined;
  /**
   * Time between two sweeps for expired locks, due schedules and expired messages. 0 sweeps before every call, for a
   * `ManualClock`. Default: 500 ms.
   */
  readonly sweepInterval?: DurationLike | undefined;
}

/** The longest time limit of a statement that PostgreSQL takes. */
const maxStatementTime = 2 ** 31 - 1;

const postgresEngineChecks: OptionChecks<PostgresEngineOptions> = {
  ...setupChecks,
  connectionString: name,
  pool: methods("a Pool of pg", "connect", "query", "on"),
  listenConnectionString: name,
  transactionPooler: flag,
  preparedStatements: flag,
  schema: name,
  migrate: flag,
  clock: methods("a Clock, as ManualClock", "now", "setTimer"),
  statementTimeout: durationFrom(1, maxStatementTime),
  maxConnections: countFrom(1),
  sweepInterval: duration,
};

/**
 * Opens a broker whose messages are in a PostgreSQL database, for any number of processes at once.
 *
 * Entities in the options are created if missing; existing ones are unchanged.
 *
 * @throws SobreError `InvalidArgument` naming the option, `InvalidOperation` for missing tables or those of another version, and
 * database errors.
 */
export async function postgresEngine(options: PostgresEngineOptions): Promise<Engine> {
  checkOptions(options, postgresEngineChecks);
  const {
    connectionString,
    pool,
    statementTimeout = 30_000,
    maxConnections = 10,
    sweepInterval = 500,
    transactionPooler: isPooled = false,
    preparedStatements: preparesStatements = pool === undefined && !isPooled,
    listenConnectionString = isPooled ? undefined : connectionString,
  } = options;
  if ((connectionString === undefined) === (pool === undefined))
    throw new SobreError("InvalidArgument", "postgresEngine needs a connectionString or a pool, and not both.", {
      path: "$.connectionString",
    });
  for (const option of ["connectionString", "listenConnectionString"] as const)
    if (options[option] !== undefined) checkConnectionString(option, options[option]);
  const schema = quoted("schema", options.schema ?? "sobre");
  const reached = { connectionString, pool, isPooled, maxConnections };
  const database = new Database({
    ...reached,
    // The database takes whole numbers.
    statementTimeout: Math.ceil(toMilliseconds(statementTimeout, "statementTimeout")),
    preparesStatements,
  });
  try {
    if (options.migrate === true) await migrate(database, schema);
    else await checkSchema(database, schema);
    const databaseClock = options.clock === undefined ? new DatabaseClock(database) : undefined;
    const clock = options.clock ?? databaseClock;
    if (clock === undefined) throw new RangeError("There is no clock.");
    const store = new PostgresStore(database, schema, clock, databaseClock);
    await store.refreshTime();
    await store.directory.refresh();
    const home = new Home(store, toMilliseconds(sweepInterval, "sweepInterval"), listenConnectionString);
    return await started(new PostgresConnection(home), options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function started(engine: PostgresConnection, options: EntitySetup): Promise<Engine> {
  try {
    await engine.home.start();
    await createMissing(engine, options);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Another node may create them at the same time. */
async function createMissing({ home }: PostgresConnection, setup: EntitySetup): Promise<void> {
  const pending = namesIn(setup);
  const creator: Creator<Promise<void>> = {
    createQueue: (queue, options) => home.change((entities) => newQueue(entities, queue, options, pending)),
    createTopic: (topic, options) => home.change((entities) => newTopic(entities, topic, options)),
    createSubscription: (topic, subscription, options) =>
      home.change((entities) => newSubscription(entities, topic, subscription, options, pending)),
  };
  for (const { address, create, failed } of creations(setup, creator)) {
    if (home.store.directory.find(address) !== undefined) continue;
    await create().catch((error: unknown) => {
      if (!(error instanceof SobreError) || error.code !== "MessagingEntityAlreadyExists") throw failed(error);
    });
  }
}
