import type { OutboxMessage, OutboxStore } from "./outbox-store.ts";
import { checkDatabase, type SqliteDatabase, SqliteFile, sqliteNow as now, type SqliteOptions } from "./sqlite-file.ts";

const tables = `
  create table if not exists sobre_outbox (id integer primary key autoincrement, entity text not null, message blob not null);
  create table if not exists sobre_outbox_lead (one integer primary key check (one = 1), owner text not null, until real not null)`;

const lead = `insert into sobre_outbox_lead (one, owner, until) values (1, ?2, ${now} + ?3)
  on conflict (one) do update set owner = excluded.owner, until = excluded.until
  where sobre_outbox_lead.until <= ${now} or sobre_outbox_lead.owner = excluded.owner returning one`;

/** An outbox that is closed when it is not needed any more. */
export interface ClosableOutbox<Tx> extends OutboxStore<Tx> {
  close(): void;
}

/**
 * An outbox in a SQLite file, for all processes of a machine; `node:sqlite` is loaded when it is called.
 *
 * `outbox.transaction(database)` takes your own connection to the same file, on which your transaction is open. Keep
 * such transactions short: SQLite has one writer at a time.
 *
 * @throws SobreError `InvalidArgument` naming the option, `UnsupportedCapability` without `node:sqlite`.
 */
export function sqliteOutbox(options: SqliteOptions): ClosableOutbox<SqliteDatabase> {
  const file = new SqliteFile(options, tables);
  return {
    add(messages, transaction) {
      checkDatabase(transaction);
      const insert = transaction.prepare("insert into sobre_outbox (entity, message) values (?, ?)");
      for (const { entityPath, message } of messages) insert.run(entityPath, message);
    },
    async lead(owner, durationInMs) {
      return (await file.all(lead, owner, durationInMs)).length > 0;
    },
    async resign(owner) {
      await file.all(`delete from sobre_outbox_lead where owner = ?2`, owner);
    },
    async read(maxMessages, except) {
      const rows = await file.all(
        `select id, entity, message from sobre_outbox
         where entity not in (select value from json_each(?3)) order by id limit ?2`,
        maxMessages,
        JSON.stringify(except),
      );
      return rows.flatMap(messageOf);
    },
    async remove(owner, ids) {
      const rows = await file.all(
        `delete from sobre_outbox where id in (select value from json_each(?3))
         and exists (select 1 from sobre_outbox_lead where owner = ?2) returning id`,
        owner,
        JSON.stringify(ids.map(Number)),
      );
      return rows.length > 0 || ids.length === 0;
    },
    close: () => file.close(),
  };
}

function messageOf({ id, entity, message }: Readonly<Record<string, unknown>>): readonly OutboxMessage[] {
  return typeof id === "bigint" && typeof entity === "string" && message instanceof Uint8Array
    ? [{ id, entityPath: entity, message }]
    : [];
}
