import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { memoryInbox } from "../../../src/client/client/index.ts";
import {
  inboxSuite,
  memoryOutbox,
  type MemoryTransaction,
  outboxSuite,
  type SqliteDatabase,
  sqliteInbox,
  sqliteOutbox,
} from "../../../src/client/inbox/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { refusal } from "../../refusal.support.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end();
});

/** A file that is removed after the test, and transactions on a connection of the test's own. */
function fileOf(): {
  readonly path: string;
  readonly transaction: (
    end: "commit" | "rollback",
    work: (database: SqliteDatabase) => Promise<void>,
  ) => Promise<void>;
} {
  const folder = mkdtempSync(join(tmpdir(), "sobre-inbox-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "shop.sqlite");
  return {
    path,
    async transaction(end, work) {
      const database = new DatabaseSync(path, { timeout: 1_000 });
      database.exec("begin immediate");
      await work(database);
      database.exec(end);
      database.close();
    },
  };
}

function closing<Store extends { close(): void }>(store: Store): Store {
  ends.push(() => store.close());
  return store;
}

describe("the inbox in memory", () => {
  it.each(inboxSuite<never>().filter(({ needsTransactions }) => !needsTransactions))(
    "$name: $promise",
    async ({ run }) => {
      const clock = new ManualClock();
      const store = memoryInbox({ clock });

      await expect(run({ store, other: store, advance: (ms) => clock.advance(ms) })).resolves.toBeUndefined();
    },
  );

  it("forgets what is older than its retention", async () => {
    const clock = new ManualClock();
    const inbox = memoryInbox({ clock, retention: 10_000 });
    await inbox.claim("a", "me", 1_000);
    await inbox.complete("a", "me");
    await clock.advance(10_000);

    expect(await inbox.claim("a", "you", 1_000)).toBe("claimed");
  });
});

describe("the inbox in SQLite", () => {
  it.each(inboxSuite<SqliteDatabase>())("$name: $promise", async ({ run }) => {
    const clock = new ManualClock();
    const { path, transaction } = fileOf();
    const [store, other] = [closing(sqliteInbox({ path, clock })), closing(sqliteInbox({ path, clock }))];

    await expect(run({ store, other, transaction, advance: (ms) => clock.advance(ms) })).resolves.toBeUndefined();
  });

  it("uses SQLite's time, whatever the clock of the process says", async () => {
    const { path } = fileOf();
    const inbox = closing(sqliteInbox({ path }));
    await inbox.claim("a", "me", 60_000);
    const database = new DatabaseSync(path);
    const row = database.prepare("select until - unixepoch('subsec') * 1000 as rest from sobre_inbox").get();
    database.close();

    expect(Number(row?.["rest"])).toBeGreaterThan(50_000);
    expect(Number(row?.["rest"])).toBeLessThanOrEqual(60_000);
  });

  it("waits while another connection writes", async () => {
    const { path } = fileOf();
    const inbox = closing(sqliteInbox({ path }));
    const database = closing(new DatabaseSync(path));
    database.exec("begin immediate");
    const claiming = inbox.claim("a", "me", 60_000);
    const isWaiting = await Promise.race([claiming, new Promise((resolve) => setImmediate(resolve, "waiting"))]);
    database.exec("commit");

    expect([isWaiting, await claiming]).toEqual(["waiting", "claimed"]);
  });

  it("refuses anything but a database of node:sqlite, and a missing path", async () => {
    const inbox = closing(sqliteInbox({ path: ":memory:" }));
    await inbox.claim("a", "me", 60_000);

    const refused = refusal(() => Reflect.apply(Reflect.get(inbox, "complete"), inbox, ["a", "me", {}]));
    expect(refused).toMatchObject({ code: "InvalidArgument", path: "$.transaction" });
    expect(refusal(() => Reflect.apply(sqliteInbox, undefined, [{}])).path).toBe("$.path");
  });
});

describe("the outbox in memory", () => {
  it.each(outboxSuite<MemoryTransaction>())("$name: $promise", async ({ run }) => {
    const clock = new ManualClock();
    const store = memoryOutbox({ clock });

    const opened = {
      store,
      other: store,
      advance: (ms: number) => clock.advance(ms),
      async transaction(end: "commit" | "rollback", work: (transaction: MemoryTransaction) => Promise<void>) {
        const transaction = store.begin();
        await work(transaction);
        await transaction[end]();
      },
    };
    await expect(run(opened)).resolves.toBeUndefined();
  });
});

describe("the outbox in SQLite", () => {
  it.each(outboxSuite<SqliteDatabase>())("$name: $promise", async ({ run }) => {
    const clock = new ManualClock();
    const { path, transaction } = fileOf();
    const [store, other] = [closing(sqliteOutbox({ path, clock })), closing(sqliteOutbox({ path, clock }))];

    await expect(run({ store, other, transaction, advance: (ms) => clock.advance(ms) })).resolves.toBeUndefined();
  });
});
