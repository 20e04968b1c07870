import type { PostgresClient } from "../../broker/postgres/driver.ts";
import type { ResultRow } from "../../broker/postgres/rows.ts";
import { checkOptions } from "../../core/options/option-checks.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { OutboxMessage, OutboxStore, OutgoingMessage } from "./outbox-store.ts";
import {
  checkClient,
  createTables,
  postgresStoreChecks,
  type PostgresStoreOptions,
  rowsOf,
} from "./postgres-schema.ts";

const tables = `create table if not exists $schema.outbox
    (id bigint generated always as identity primary key, entity text not null, message bytea not null);
  create table if not exists $schema.outbox_lead
    (one boolean primary key default true check (one), owner text not null, until timestamptz not null)`;

/**
 * An outbox in a PostgreSQL database, by its clock. `outbox.transaction(client)` takes your own connection of `pg`, on
 * which your transaction is open.
 *
 * Behind the PostgreSQL engine no outbox is needed: `postgresTransaction` sends in your transaction.
 *
 * @throws SobreError `InvalidArgument` naming the option, and database errors.
 */
export async function postgresOutbox(options: PostgresStoreOptions): Promise<OutboxStore<PostgresClient>> {
  checkOptions(options, postgresStoreChecks, { needed: ["pool"] });
  const { pool } = options;
  const schema = await createTables(options, tables);
  return {
    add: (messages, transaction) => joined(schema, transaction)(messages),
    join: (transaction) => joined(schema, transaction),
    async control(transaction, act) {
      checkClient(transaction);
      await rowsOf(transaction, act, []);
    },
    async lead(owner, durationInMs) {
      const rows = await rowsOf(
        pool,
        `insert into ${schema}.outbox_lead as kept (owner, until)
         values ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
         on conflict (one) do update set owner = excluded.owner, until = excluded.until
         where kept.until <= clock_timestamp() or kept.owner = excluded.owner returning one`,
        [owner, durationInMs],
      );
      return rows.length > 0;
    },
    async resign(owner) {
      await rowsOf(pool, `delete from ${schema}.outbox_lead where owner = $1`, [owner]);
    },
    async read(maxMessages, except) {
      const rows = await rowsOf(
        pool,
        `select id::text as id, entity, message from ${schema}.outbox where entity <> all ($2::text[]) order by outbox.id limit $1`,
        [maxMessages, except],
      );
      return rows.flatMap(messageOf);
    },
    async remove(owner, ids) {
      const rows = await rowsOf(
        pool,
        `delete from ${schema}.outbox where id = any ($2::bigint[])
         and exists (select 1 from ${schema}.outbox_lead where owner = $1) returning true`,
        [owner, ids.map(String)],
      );
      return rows.length > 0 || ids.length === 0;
    },
  };
}

/** Statements that find their transaction by its id: without an open one, each of them has an id of its own. */
function joined(schema: string, client: PostgresClient): (messages: readonly OutgoingMessage[]) => Promise<void> {
  checkClient(client);
  // Asked before any later statement of the caller's, so that it is the id of this transaction.
  const id = rowsOf(client, currentTransaction, []).then(([row]) => row?.["id"]);
  // The first send reports what went wrong.
  id.catch(() => undefined);
  const within = async (text: string, ...values: readonly unknown[]): Promise<void> => {
    const rows = await rowsOf(client, `${text} where txid_current()::text = $1 returning true`, [await id, ...values]);
    if (rows.length === 0) throw notOpen();
  };
  return async (messages) => {
    const [now] = messages.length === 0 ? await rowsOf(client, currentTransaction, []) : [];
    if (now !== undefined && now["id"] !== (await id)) throw notOpen();
    for (const { entityPath, message } of messages)
      await within(`insert into ${schema}.outbox (entity, message) select $2::text, $3::bytea`, entityPath, message);
  };
}

const currentTransaction = "select txid_current()::text as id";

const notOpen = (): SobreError =>
  invalidOperation(
    "No transaction is open on this connection, or it ended before this message was kept, so it is not sent. Begin one before outbox.transaction(client), or use outbox.inTransaction(client, work), whose transactions on one connection follow each other.",
  );

function messageOf({ id, entity, message }: ResultRow): readonly OutboxMessage[] {
  return typeof id === "string" && typeof entity === "string" && message instanceof Uint8Array
    ? [{ id: BigInt(id), entityPath: entity, message: new Uint8Array(message) }]
    : [];
}
