import type { Inbox } from "../client/inbox.ts";
import type { PostgresClient } from "../../broker/postgres/driver.ts";
import { duration } from "../../core/options/duration-option.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import {
  checkClient,
  createTables,
  postgresStoreChecks,
  type PostgresStoreOptions,
  rowsOf,
} from "./postgres-schema.ts";

/** Options of {@link postgresInbox}. */
export interface PostgresInboxOptions extends PostgresStoreOptions {
  /** How long a handled message is remembered. Default: 7 days. */
  readonly retention?: DurationLike | undefined;
}

const postgresInboxChecks: OptionChecks<PostgresInboxOptions> = { ...postgresStoreChecks, retention: duration };

/** A row without an owner remembers a handled message. */
const tables = `create table if not exists $schema.inbox (key text primary key, owner text, until timestamptz not null);
  create index if not exists inbox_until on $schema.inbox (until)`;

const later = (parameter: string): string => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;

/** How many claims are made between two removals of what is over. */
const claimsBetween = 1_000;

/**
 * An inbox in a PostgreSQL database, by its clock. `claim.complete(client)` takes your own connection of `pg`, on which
 * your transaction is open.
 *
 * @throws SobreError `InvalidArgument` naming the option, and database errors.
 */
export async function postgresInbox(options: PostgresInboxOptions): Promise<Inbox<PostgresClient>> {
  checkOptions(options, postgresInboxChecks, { needed: ["pool"] });
  const { pool, retention = 604_800_000 } = options;
  const retentionInMs = toMilliseconds(retention, "retention");
  const schema = await createTables(options, tables);
  const completeIt = `update ${schema}.inbox set owner = null, until = ${later("$3")} where key = $1 and owner = $2 returning key`;
  let claims = 0;
  return {
    retentionInMs,
    async claim(key, owner, durationInMs) {
      if (claims++ % claimsBetween === 0)
        await rowsOf(pool, `delete from ${schema}.inbox where until <= clock_timestamp()`, []);
      const [mine] = await rowsOf(
        pool,
        `insert into ${schema}.inbox as kept (key, owner, until) values ($1, $2, ${later("$3")})
         on conflict (key) do update set owner = excluded.owner, until = excluded.until
         where kept.until <= clock_timestamp() or kept.owner = excluded.owner returning key`,
        [key, owner, durationInMs],
      );
      if (mine !== undefined) return "claimed";
      const [other] = await rowsOf(
        pool,
        `select owner from ${schema}.inbox where key = $1 and until > clock_timestamp()`,
        [key],
      );
      return other !== undefined && other["owner"] === null ? "handled" : "held";
    },
    async renew(key, owner, durationInMs) {
      const renewIt = `update ${schema}.inbox set until = ${later("$3")} where key = $1 and owner = $2 returning key`;
      return (await rowsOf(pool, renewIt, [key, owner, durationInMs])).length > 0;
    },
    async complete(key, owner, transaction) {
      if (transaction !== undefined) {
        checkClient(transaction);
        // Refused unless a transaction is open (SQLSTATE 25P01): this row would be remembered before the caller's work.
        await rowsOf(transaction, "savepoint sobre_inbox", []);
        await rowsOf(transaction, "release savepoint sobre_inbox", []);
      }
      return (await rowsOf(transaction ?? pool, completeIt, [key, owner, retentionInMs])).length > 0;
    },
    async release(key, owner) {
      await rowsOf(pool, `delete from ${schema}.inbox where key = $1 and owner = $2`, [key, owner]);
    },
  };
}
