import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import {
  type Outbox,
  type OutboxStore,
  type SqliteDatabase,
  sqliteInbox,
  sqliteOutbox,
  startOutbox,
} from "../../../src/client/inbox/index.ts";
import { decodeMessage } from "../../../src/wire/amqp/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";

// Transactions of concurrent requests on one connection of SQLite.

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Shop {
  readonly path: string;
  readonly database: DatabaseSync;
  readonly outbox: Outbox<SqliteDatabase>;
  readonly send: (id: number, transaction: ReturnType<Outbox<SqliteDatabase>["transaction"]>) => Promise<void>;
  /** Ids of the orders in the table. */
  readonly rows: () => readonly number[];
  /** Ids of the orders whose messages wait to be relayed. */
  readonly messages: () => Promise<readonly number[]>;
}

function shop(): Shop {
  const folder = mkdtempSync(join(tmpdir(), "sobre-shop-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "shop.sqlite");
  const store = sqliteOutbox({ path });
  const database = new DatabaseSync(path);
  database.exec("create table orders (id integer)");
  const outbox = startOutbox(memoryEngine({ queues: ["placed"] }), store, { relays: false });
  const serializer = createSerializer({ codecs: [json()] });
  const client = createClient({ engine: outbox.engine, serializer, closeEngine: true });
  const sender = client.createSender("placed");
  ends.push(
    () => store.close(),
    () => database.close(),
    () => outbox.close(),
    () => client.close(),
  );
  return {
    path,
    database,
    outbox,
    send: (id, transaction) => sender.sendMessages({ body: { id } }, { transaction }),
    rows: () =>
      database
        .prepare("select id from orders order by id")
        .all()
        .map(({ id }) => Number(id)),
    messages: () => idsOf(store),
  };
}

async function idsOf(store: OutboxStore<SqliteDatabase>): Promise<readonly number[]> {
  const kept = await store.read(1_000, []);
  const bodies = kept.map(({ message }) => JSON.parse(Buffer.from(decodeMessage(message).payload).toString()));
  return bodies.map(({ id }: { readonly id: number }) => id).toSorted((a, b) => a - b);
}

const hundred = Array.from({ length: 100 }, (_, id) => id);

describe("transactions of concurrent requests on one connection", () => {
  it("follow each other in inTransaction: what is committed is sent, and nothing else", async () => {
    const { database, outbox, send, rows, messages } = shop();
    const place = (id: number): Promise<void> =>
      outbox.inTransaction(database, async (transaction) => {
        database.prepare("insert into orders values (?)").run(id);
        await send(id, transaction);
        if (id % 3 === 0) throw new Error("out of stock");
      });

    const placed = await Promise.allSettled(hundred.map(place));

    const wanted = hundred.filter((id) => id % 3 !== 0);
    expect(placed.flatMap(({ status }, id) => (status === "fulfilled" ? [id] : []))).toEqual(wanted);
    expect(rows()).toEqual(wanted);
    expect(await messages()).toEqual(wanted);
  });

  it("send no message without its row when they get in each other's way", async () => {
    const { database, outbox, send, rows, messages } = shop();
    const place = async (id: number): Promise<void> => {
      try {
        database.exec("begin immediate");
        database.prepare("insert into orders values (?)").run(id);
        await send(id, outbox.transaction(database));
        database.exec("commit");
      } catch (error) {
        database.exec("rollback");
        throw error;
      }
    };

    const placed = await Promise.allSettled(hundred.slice(0, 2).map(place));
    await Promise.allSettled(hundred.map(place));

    expect(placed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect((await messages()).filter((id) => !rows().includes(id))).toEqual([]);
  });

  it("add nothing to a later transaction", async () => {
    const { database, outbox, send, rows, messages } = shop();
    database.exec("begin");
    const late = outbox.transaction(database);
    database.exec("commit");
    database.exec("begin");
    database.prepare("insert into orders values (1)").run();

    const error = await rejection(send(1, late));
    database.exec("commit");

    expect(error).toMatchObject({ code: "InvalidOperation", message: expect.stringContaining("inTransaction") });
    expect([rows(), await messages()]).toEqual([[1], []]);
  });

  it("take several sends, before and after savepoints of the caller", async () => {
    const { database, outbox, send, messages } = shop();
    database.exec("begin");
    const transaction = outbox.transaction(database);
    await send(1, transaction);
    database.exec("savepoint mine");
    await send(2, outbox.transaction(database));
    database.exec("rollback to mine");
    await send(3, transaction);
    database.exec("commit");

    expect(await messages()).toEqual([1, 3]);
  });
});

describe("a connection without an open transaction", () => {
  it("is refused by the outbox, with advice", () => {
    const { database, outbox } = shop();

    expect(refusal(() => outbox.transaction(database))).toMatchObject({
      code: "InvalidOperation",
      message: expect.stringMatching(/[Bb]egin/),
    });
  });

  it("is refused by the inbox, which remembers nothing", async () => {
    const { path, database } = shop();
    const inbox = sqliteInbox({ path });
    ends.push(() => inbox.close());
    await inbox.claim("a", "me", 60_000);

    expect(refusal(() => inbox.complete("a", "me", database))).toMatchObject({ code: "InvalidOperation" });
    expect(await inbox.claim("a", "you", 1_000)).toBe("held");
  });
});
