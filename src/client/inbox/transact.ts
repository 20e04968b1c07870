import type { Transaction } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MaybePromise } from "../../core/message/schema.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import { OutboxTransaction } from "./outbox-engine.ts";
import type { OutboxStore } from "./outbox-store.ts";

/** The last transaction of each connection that is shared. */
const turns = new WeakMap<object, Promise<unknown>>();

/** Runs work in a transaction of a connection, when the transaction before it has ended. */
export function transactInTurn<Tx, T>(
  store: OutboxStore<Tx>,
  connection: Tx,
  work: (transaction: Transaction) => MaybePromise<T>,
): Promise<T> {
  if (typeof connection !== "object" || connection === null)
    throw invalidOption("connection", "must be your own connection to the database of the store");
  const before = turns.get(connection) ?? Promise.resolve();
  const result = before.then(() => transact(store, connection, work));
  turns.set(
    connection,
    result.catch(() => undefined),
  );
  return result;
}

async function transact<Tx, T>(
  store: OutboxStore<Tx>,
  connection: Tx,
  work: (transaction: Transaction) => MaybePromise<T>,
): Promise<T> {
  if (store.control === undefined)
    throw new SobreError(
      "UnsupportedCapability",
      "This store begins no transactions. Begin one yourself, and send with outbox.transaction(connection).",
    );
  await store.control(connection, "begin");
  try {
    const transaction = new OutboxTransaction(store, connection);
    const result = await work(transaction);
    const checked = transaction.check();
    // Without a turn of the event loop nobody can end the transaction in between.
    if (checked !== undefined) await checked;
    await store.control(connection, "commit");
    return result;
  } catch (error) {
    try {
      await store.control(connection, "rollback");
    } catch {
      // The transaction is gone already: the first error says why.
    }
    throw error;
  }
}
