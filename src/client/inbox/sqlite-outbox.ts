import { SobreError } from "../../core/errors/sobre-error.ts";
import type { OutboxMessage, OutboxStore, OutgoingMessage } from "./outbox-store.ts";
import {
  checkOpenTransaction,
  controlTransaction,
  type SqliteDatabase,
  SqliteFile,
  sqliteNow as now,
  type SqliteOptions,
} from "./sqlite-file.ts";

const tables = `
  create table if not exists sobre_outbox (id integer primary key autoincrement, entity text not null, message blob not null);
  create table if not exists sobre_outbox_lead (one integer primary key check (one = 1), owner text not null, until real not null)`;

const lead = `insert into sobre_outbox_lead (one, owner, until) values (1, ?2, ${now} + ?3)
  on conflict (one) do update set owner = excluded.owner, until = excluded.until
  where sobre_outbox_lead.until <= ${now} or sobre_outbox_lead.owner = excluded.owner returning one`;

/** Savepoints so far, which name the next one. */
let savepoints = 0;

/** A savepoint marks the transaction: it goes with it, whoever ends it. */
function joined(database: SqliteDatabase): (messages: readonly OutgoingMessage[]) => void {
  checkOpenTransaction(database, `Begin one before outbox.transaction(database), or use ${advice}`);
  const savepoint = `sobre_outbox_${savepoints++}`;
  const run = (statement: string): unknown => database.prepare(`${statement} ${savepoint}`).run();
  run("savepoint");
  return (messages) => {
    try {
      run("release");
    } catch (cause) {
      throw new SobreError(
        "InvalidOperation",
        `The transaction ended before this message was kept, so it is not sent: the connection is shared. Use ${advice}`,
        { cause },
      );
    }
    run("savepoint");
    try {
      const insert = database.prepare("insert into sobre_outbox (entity, message) values (?, ?)");
      for (const { entityPath, message } of messages) insert.run(entityPath, message);
    } catch (error) {
      run("rollback to");
      throw error;
    }
  };
}

const advice = "outbox.inTransaction(database, work), whose transactions on one connection follow each other.";

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
    add: (messages, transaction) => joined(transaction)(messages),
    join: joined,
    control: controlTransaction,
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
