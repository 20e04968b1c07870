import type { PostgresClient } from "../../broker/postgres/driver.ts";
import type { Row } from "../../broker/postgres/rows.ts";
import { checkOptions } from "../../core/options/option-checks.ts";
import type { OutboxMessage, OutboxStore } from "./outbox-store.ts";
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
    async add(messages, transaction) {
      checkClient(transaction);
      for (const { entityPath, message } of messages)
        await rowsOf(transaction, `insert into ${schema}.outbox (entity, message) values ($1, $2)`, [
          entityPath,
          message,
        ]);
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

function messageOf({ id, entity, message }: Row): readonly OutboxMessage[] {
  return typeof id === "string" && typeof entity === "string" && message instanceof Uint8Array
    ? [{ id: BigInt(id), entityPath: entity, message: new Uint8Array(message) }]
    : [];
}
