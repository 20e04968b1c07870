import type { Inbox } from "../client/inbox.ts";
import { duration } from "../../core/options/duration-option.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import {
  checkOpenTransaction,
  sqliteChecks,
  type SqliteDatabase,
  SqliteFile,
  sqliteNow as now,
  type SqliteOptions,
} from "./sqlite-file.ts";

/** Options of {@link sqliteInbox}. */
export interface SqliteInboxOptions extends SqliteOptions {
  /** How long a handled message is remembered. Default: 7 days. */
  readonly retention?: DurationLike | undefined;
}

const sqliteInboxChecks: OptionChecks<SqliteInboxOptions> = { ...sqliteChecks, retention: duration };

/** A row without an owner remembers a handled message. */
const tables = `
  create table if not exists sobre_inbox (key text primary key, owner text, until real not null) without rowid;
  create index if not exists sobre_inbox_until on sobre_inbox (until)`;

const claimIt = `insert into sobre_inbox (key, owner, until) values (?2, ?3, ${now} + ?4)
  on conflict (key) do update set owner = excluded.owner, until = excluded.until
  where sobre_inbox.until <= ${now} or sobre_inbox.owner = excluded.owner returning key`;
const completeIt = `update sobre_inbox set owner = null, until = ${now} + ?4 where key = ?2 and owner = ?3`;

/** An inbox that is closed when it is not needed any more. */
export interface ClosableInbox<Transaction> extends Inbox<Transaction> {
  close(): void;
}

/** How many claims are made between two removals of what is over. */
const claimsBetween = 1_000;

/**
 * An inbox in a SQLite file, for all processes of a machine; `node:sqlite` is loaded when it is called.
 *
 * `claim.complete(database)` takes your own connection to the same file, on which your transaction is open. Keep such
 * transactions short, without awaiting in them: SQLite has one writer at a time.
 *
 * @throws SobreError `InvalidArgument` naming the option, `UnsupportedCapability` without `node:sqlite`.
 */
export function sqliteInbox(options: SqliteInboxOptions): ClosableInbox<SqliteDatabase> {
  checkOptions(options, sqliteInboxChecks, { needed: ["path"] });
  const { retention = 604_800_000, path, clock } = options;
  const retentionInMs = toMilliseconds(retention, "retention");
  const file = new SqliteFile({ path, clock }, tables);
  let claims = 0;
  return {
    retentionInMs,
    async claim(key, owner, durationInMs) {
      if (claims++ % claimsBetween === 0) await file.all(`delete from sobre_inbox where until <= ${now}`);
      const [mine] = await file.all(claimIt, key, owner, durationInMs);
      if (mine !== undefined) return "claimed";
      const [other] = await file.all(`select owner from sobre_inbox where key = ?2 and until > ${now}`, key);
      return other !== undefined && other["owner"] === null ? "handled" : "held";
    },
    async renew(key, owner, durationInMs) {
      const renewIt = `update sobre_inbox set until = ${now} + ?4 where key = ?2 and owner = ?3 returning key`;
      return (await file.all(renewIt, key, owner, durationInMs)).length > 0;
    },
    complete(key, owner, transaction) {
      const values = [key, owner, retentionInMs] as const;
      if (transaction === undefined)
        return file.all(`${completeIt} returning key`, ...values).then((rows) => rows.length > 0);
      checkOpenTransaction(transaction, "Begin one before claim.complete(database), and commit it afterwards.");
      return Number(transaction.prepare(completeIt).run(file.time, ...values).changes) > 0;
    },
    async release(key, owner) {
      await file.all(`delete from sobre_inbox where key = ?2 and owner = ?3`, key, owner);
    },
    close: () => file.close(),
  };
}
