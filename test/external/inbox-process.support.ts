import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { Client, Pool } from "pg";
import { idempotent, type InboxClaim } from "../../src/client/client/index.ts";
import { postgresInbox, type SqliteDatabase, sqliteInbox } from "../../src/client/inbox/index.ts";
import { systemClock } from "../../src/core/time/index.ts";

/**
 * A process that handles messages by an inbox, each in a transaction that notes it in the table `effect`:
 * `node inbox-process.support.ts sqlite|postgres WHERE SKEW MESSAGES`. Its clock differs from the machine's by SKEW milliseconds.
 */
const [kind = "", where = "", skew = "0", messages = "0"] = process.argv.slice(2);

// The clock of the process, too.
const now = Date.now.bind(Date);
Date.now = () => now() + Number(skew);

/** Waiting in real time: only what the clock says is skewed. */
const clock = {
  now: () => now() + Number(skew),
  setTimer: (at: number, due: () => void) => systemClock.setTimer(Date.now() + at - clock.now(), due),
};

/** Handles a message. */
type Handle = (id: string) => Promise<void>;

const options = {
  clock,
  claimDuration: 1_500,
  key: (id: { readonly messageId?: unknown }) => String(id.messageId),
};

/** A delivery has more members, which an inbox does not look at. */
const handling =
  (handle: object) =>
  async (messageId: string): Promise<void> => {
    if (typeof handle === "function") await Reflect.apply(handle, undefined, [{ messageId }, undefined]);
  };

function onSqlite(): Handle {
  const inbox = sqliteInbox({ path: where });
  const database = new DatabaseSync(where, { timeout: 5_000 });
  const handle = idempotent(
    inbox,
    async ({ messageId }, _context, claim: InboxClaim<SqliteDatabase>) => {
      await setTimeout(Math.random() * 20);
      database.exec("begin immediate");
      try {
        database.prepare("insert into effect values (?, ?)").run(String(messageId), process.pid);
        void claim.complete(database);
        database.exec("commit");
      } catch (error) {
        database.exec("rollback");
        throw error;
      }
    },
    options,
  );
  return handling(handle);
}

async function onPostgres(): Promise<Handle> {
  const pool = new Pool({ connectionString: where, max: 4 });
  pool.on("error", () => undefined);
  const inbox = await postgresInbox({ pool });
  const handle = idempotent(
    inbox,
    async ({ messageId }, _context, claim: InboxClaim<Client>) => {
      const client = new Client({ connectionString: where });
      client.on("error", () => undefined);
      await client.connect();
      try {
        await client.query("begin");
        await client.query("insert into effect values ($1, $2)", [String(messageId), process.pid]);
        await setTimeout(Math.random() * 20);
        await claim.complete(client);
        await client.query("commit");
      } finally {
        await client.end();
      }
    },
    options,
  );
  return handling(handle);
}

const handle = kind === "sqlite" ? onSqlite() : await onPostgres();
const ids = Array.from({ length: Number(messages) }, (_, id) => `order-${id}`).toSorted(() => Math.random() - 0.5);
console.log("ready");
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) await handle(id);
  }),
);
console.log("done");
process.exit(0);
