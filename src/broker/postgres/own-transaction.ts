import type { LockToken } from "../../core/engine/delivery.ts";
import type { Transaction } from "../../core/engine/engine.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOption, invalidOption, methods } from "../../core/options/option-checks.ts";
import { Arrivals } from "./arrivals.ts";
import { type DatabaseSession, sessionOn } from "./database.ts";
import type { PostgresClient } from "./driver.ts";
import { type Enlisted, type PendingSend, type PendingSettlement, Turns } from "./enlisted.ts";
import { shareSession } from "./held.ts";
import type { Home } from "./home.ts";
import { giveNumbers } from "./place.ts";
import { bigintOf, type ResultRow, textOfColumn } from "./rows.ts";
import { stale, type PostgresStore, unlessStale } from "./store.ts";

/** Maximum number of attempts while other nodes keep changing the entities. */
const maxTries = 20;

/** Statements of one connection run one after the other: their savepoints would mix. */
const statementTurns = new WeakMap<PostgresClient, Turns>();

/** A transaction that the caller began on a connection of their own, and ends there. */
export class OwnTransaction implements Transaction {
  readonly #client: PostgresClient;
  readonly #session: DatabaseSession;
  readonly #turns = new Turns();

  constructor(client: PostgresClient) {
    this.#client = client;
    this.#session = sessionOn(client);
  }

  async commit(): Promise<void> {
    throw endedElsewhere("commit");
  }

  async rollback(): Promise<void> {
    throw endedElsewhere("rollback");
  }

  /** Carries out a call after those that were made before, in whichever connection of the engine. */
  inTurn<T>(call: () => Promise<T>): Promise<T> {
    return this.#turns.take(call);
  }

  /** Runs statements that take effect together or, after an error, not at all: the caller's transaction goes on. */
  async run<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    const turns = statementTurns.get(this.#client) ?? new Turns();
    statementTurns.set(this.#client, turns);
    return turns.take(() => this.#inSavepoint(work));
  }

  async #inSavepoint<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    const session = this.#session;
    await session.query("savepoint sobre");
    try {
      const result = await work(session);
      await session.query("release savepoint sobre");
      return result;
    } catch (error) {
      try {
        await session.query("rollback to savepoint sobre");
        await session.query("release savepoint sobre");
      } catch {
        // The connection is lost, and the transaction with it: the first error says why.
      }
      throw error;
    }
  }
}

const endedElsewhere = (end: "commit" | "rollback"): SobreError =>
  invalidOperation(`The transaction is your own. Run \`${end}\` on the client that you passed to postgresTransaction.`);

/**
 * Your own database transaction, for sends and settlements that take effect when it commits: an outbox and an inbox.
 * Begin, commit and roll it back on the client, which must be connected to the engine's database:
 *
 * ```ts
 * const database = await pool.connect();
 * await database.query("begin");
 * await database.query("insert into orders (id) values ($1)", [7]);
 * await sender.sendMessages({ body: { order: 7 } }, { transaction: postgresTransaction(database) });
 * await database.query("commit");
 * database.release();
 * ```
 *
 * @throws SobreError `InvalidArgument` for anything but a client of `pg`, e.g. its pool.
 */
export function postgresTransaction(client: PostgresClient): Transaction {
  checkOption("client", client, methods("a client of pg", "query", "on"));
  if ("totalCount" in client)
    throw invalidOption("client", "must be a connected client of pg: a pool has no transaction of its own");
  return new OwnTransaction(client);
}

/** The operations of a connection in the caller's transaction. */
export class OwnWork implements Enlisted {
  readonly #home: Home;
  readonly #transaction: OwnTransaction;

  constructor(home: Home, transaction: OwnTransaction) {
    this.#home = home;
    this.#transaction = transaction;
  }

  inTurn<T>(call: () => Promise<T>): Promise<T> {
    return this.#transaction.inTurn(call);
  }

  addSend({ check, passed, route }: PendingSend): Promise<readonly bigint[]> {
    return this.#run([], async (session, store, arrivals, version) => {
      const routing = store.routing(session);
      await check(routing, 0);
      const numbers = await giveNumbers(session, store.schema, passed);
      await route(routing, numbers);
      await store.finish(session, routing, arrivals, version);
      return numbers;
    });
  }

  async addSettlement({ queue: given, token, returns, apply }: PendingSettlement): Promise<void> {
    await this.#run([token], async (session, store, arrivals, version) => {
      const { schema } = store;
      const queue = store.current(given);
      const now = store.now();
      // Until the end of the transaction, nobody else can take the session.
      if (queue.requiresSession) await shareSession({ session, schema, queue, now }, token);
      const routing = store.routing(session);
      await apply({ session, schema, queue, routing, now });
      await store.finish(session, routing, arrivals, version);
      if (returns) arrivals.add(queue.number);
    });
  }

  /** Repeats the work until the entities that it went by are those of the database. */
  async #run<T>(
    tokens: readonly LockToken[],
    work: (session: DatabaseSession, store: PostgresStore, arrivals: Arrivals, version: bigint) => Promise<T>,
  ): Promise<T> {
    const { store } = this.#home;
    for (let tries = 0; tries < maxTries; tries++) {
      const arrivals = new Arrivals();
      const done = await unlessStale(() =>
        this.#transaction.run(async (session) => {
          const state = await stateOf(session, store);
          const version = bigintOf(state, "version");
          // An older snapshot has the version of its time, which the node's entities are ahead of.
          const isOlder = textOfColumn(state, "isolation") !== "read committed" && version < store.directory.version;
          if (!isOlder && version !== store.directory.version) {
            await store.directory.refreshOn(session);
            throw stale;
          }
          return { xid: textOfColumn(state, "xid"), result: await work(session, store, arrivals, version) };
        }),
      );
      if (done === undefined) continue;
      this.#home.follow(done.xid, { arrivals, tokens });
      return done.result;
    }
    throw new SobreError("ServiceBusy", "The entities change too fast to go by them. Try again.");
  }
}

async function stateOf(session: DatabaseSession, { schema }: PostgresStore): Promise<ResultRow> {
  const [row] = await session.query(
    `select version, pg_current_xact_id()::text as xid, current_setting('transaction_isolation') as isolation from ${schema}.namespace`,
  );
  if (row === undefined)
    throw invalidOperation(`The schema ${schema} has no namespace. Run \`sobre postgres migrate\`.`);
  return row;
}
