import type { Engine } from "../../core/engine/engine.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import { systemClock } from "../../core/time/clock.ts";
import { PostgresConnection } from "./postgres-verbs.ts";
import { numberOf, textOfColumn } from "./rows.ts";
import type { PostgresStore } from "./store.ts";

/** The state of a namespace in a database, for those who watch over it. */
export interface PostgresHealth {
  readonly status: "healthy" | "unhealthy";
  /** `readOnly` is a standby, or a server that only reads; otherwise the code of the error. */
  readonly database: "available" | "readOnly" | ErrorCode;
  /**
   * Milliseconds since the oldest open transaction of the database began: what was deleted since cannot be vacuumed. Only
   * the role's own transactions count unless it has `pg_read_all_stats`.
   */
  readonly oldestTransactionInMs?: number | undefined;
  /** Dead rows in the tables of the namespace, as PostgreSQL estimates them. */
  readonly deadRows?: number | undefined;
  /** Messages that are ready or locked, dead letters excepted; above 100,000 an estimate. */
  readonly backlog?: number | undefined;
}

/** The options of `startServer` that several nodes on one database need besides the engine. */
export interface PostgresServing {
  /** The state of the database, at most 5 seconds old; never rejects. */
  readonly health: () => Promise<PostgresHealth>;
  /** Kept in the database: a lock taken over HTTP at one node is settled at any other. */
  readonly lockSecret: string;
}

/** Milliseconds for which a result is used; and how often a look at the tables may take its own time. */
const usedFor = 5000;
const shareOfLooks = 20;

/** Milliseconds after which the database counts as unreachable. */
const maxLookTime = 5000;

/** The number of messages up to which they are counted. */
const maxCountedMessages = 100_000;

/**
 * The options of `startServer` for an engine of `postgresEngine`: the answer to `/health`, and a secret that its nodes share:
 * `startServer({ engine, ...(await postgresServing(engine)) })`.
 *
 * @throws SobreError `InvalidArgument` for another engine, and database errors.
 */
export async function postgresServing(engine: Engine): Promise<PostgresServing> {
  if (!(engine instanceof PostgresConnection)) throw invalidOption("engine", "must be made by postgresEngine");
  const { store } = engine.home;
  const [row] = await store.database.query(`select secret from ${store.schema}.namespace`);
  let known: Promise<PostgresHealth> | undefined;
  let until = Infinity;
  const ask = async (): Promise<PostgresHealth> => {
    const begun = performance.now();
    const health = await healthOf(store);
    const spent = performance.now() - begun;
    until = begun + spent + Math.max(usedFor, spent * shareOfLooks);
    return health;
  };
  return {
    lockSecret: row === undefined ? "" : textOfColumn(row, "secret"),
    health() {
      if (known !== undefined && performance.now() < until) return known;
      until = Infinity;
      known = ask();
      return known;
    },
  };
}

function healthOf(store: PostgresStore): Promise<PostgresHealth> {
  return new Promise((resolve) => {
    const late = (): void => resolve({ status: "unhealthy", database: "ServiceTimeout" });
    const timer = systemClock.setTimer(Date.now() + maxLookTime, late);
    void look(store)
      .catch((error: unknown) => ({ status: "unhealthy", database: SobreError.from(error).code }) as const)
      .then(resolve)
      .finally(() => timer.cancel());
  });
}

async function look({ database, schema }: PostgresStore): Promise<PostgresHealth> {
  const [row = {}] = await database.query(
    `select (current_setting('transaction_read_only') = 'on')::int as read_only,
       (select coalesce(max(extract(epoch from clock_timestamp() - begun) * 1000), 0)::bigint from (
          select xact_start as begun from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
          union all select prepared from pg_prepared_xacts where database = current_database()
        ) as open) as oldest,
       (select coalesce(sum(n_dead_tup), 0)::bigint from pg_stat_user_tables where schemaname = $1) as dead,
       (select count(*) from (select from ${schema}.delivery where state = 0 and queue % 4 = 0 limit ${maxCountedMessages}) as c) as counted,
       (select coalesce(max(n_live_tup), 0) from pg_stat_user_tables where relid = $2::regclass) as estimated`,
    [schema.slice(1, -1), `${schema}.delivery`],
  );
  const counted = numberOf(row, "counted");
  const isReadOnly = numberOf(row, "read_only") === 1;
  return {
    status: isReadOnly ? "unhealthy" : "healthy",
    database: isReadOnly ? "readOnly" : "available",
    oldestTransactionInMs: numberOf(row, "oldest"),
    deadRows: numberOf(row, "dead"),
    backlog: counted < maxCountedMessages ? counted : Math.max(counted, numberOf(row, "estimated")),
  };
}
