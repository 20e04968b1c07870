import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import type { PostgresClient } from "../../src/broker/postgres/index.ts";
import { inboxSuite, outboxSuite, postgresInbox, postgresOutbox, startOutbox } from "../../src/client/inbox/index.ts";
import { testEngine } from "../../src/client/testing/index.ts";
import { rejection } from "../refusal.support.ts";
import { runProcesses } from "./inbox-processes.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

let server: PostgresServer;
let pool: Pool;
let schemas = 0;

beforeAll(async () => {
  server = await PostgresServer.create(18);
  pool = new Pool({ connectionString: server.connectionString });
  pool.on("error", () => undefined);
});
afterAll(async () => {
  await pool.end();
  await server[Symbol.asyncDispose]();
});

const freshSchema = (): string => `stores_${schemas++}`;

async function transaction(end: "commit" | "rollback", work: (client: PostgresClient) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: server.connectionString });
  await client.connect();
  await client.query("begin");
  await work(client);
  await client.query(end);
  await client.end();
}

/** The database's time cannot be moved, so its rows are. */
const moved =
  (schema: string, table: string) =>
  async (milliseconds: number): Promise<void> =>
    void (await pool.query(`update ${schema}.${table} set until = until - interval '${milliseconds} milliseconds'`));

describe("the inbox in PostgreSQL", () => {
  it.each(inboxSuite<PostgresClient>())("$name: $promise", async ({ run }) => {
    const schema = freshSchema();
    const [store, other] = await Promise.all([postgresInbox({ pool, schema }), postgresInbox({ pool, schema })]);

    await expect(run({ store, other, transaction, advance: moved(schema, "inbox") })).resolves.toBeUndefined();
  });

  it("lets two processes, with clocks apart and killed at any time, handle each of 200 messages once", async () => {
    await pool.query("create table effect (id text, process integer)");

    await runProcesses({ kind: "postgres", where: server.connectionString, messages: 200, kills: 12 });

    const { rows } = await pool.query(
      "select count(*)::int as all_of, count(distinct id)::int as different, count(distinct process) > 1 as several from effect",
    );
    expect(rows).toEqual([{ all_of: 200, different: 200, several: true }]);
  });

  it("refuses a connection without an open transaction, and remembers nothing", async () => {
    const inbox = await postgresInbox({ pool, schema: freshSchema() });
    await inbox.claim("a", "me", 60_000);
    const client = await pool.connect();

    const refused = await rejection(Promise.resolve(inbox.complete("a", "me", client)));
    client.release();

    expect(refused).toMatchObject({ code: "InvalidOperation", message: expect.stringContaining("Begin one") });
    expect(await inbox.claim("a", "you", 1_000)).toBe("held");
  });

  it("refuses a pool as a transaction", async () => {
    const inbox = await postgresInbox({ pool, schema: freshSchema() });

    const refused = await rejection(Promise.resolve(inbox.complete("a", "me", pool)));
    expect(refused).toMatchObject({ code: "InvalidArgument", path: "$.transaction" });
  });
});

describe("the outbox in PostgreSQL", () => {
  it.each(outboxSuite<PostgresClient>())("$name: $promise", async ({ run }) => {
    const schema = freshSchema();
    const [store, other] = await Promise.all([postgresOutbox({ pool, schema }), postgresOutbox({ pool, schema })]);

    await expect(run({ store, other, transaction, advance: moved(schema, "outbox_lead") })).resolves.toBeUndefined();
  });

  it("commits and sends what 100 concurrent requests do on one connection, and nothing else", async () => {
    const { engine } = testEngine({ queues: ["orders"] });
    const store = await postgresOutbox({ pool, schema: freshSchema() });
    const outbox = startOutbox(engine, store, { relays: false });
    const client = createClient({ engine: outbox.engine, serializer: createSerializer({ codecs: [json()] }) });
    const sender = client.createSender("orders");
    const database = await pool.connect();
    await database.query("create table placed (id integer)");
    const place = (id: number): Promise<void> =>
      outbox.inTransaction(database, async (own) => {
        await database.query("insert into placed values ($1)", [id]);
        await sender.sendMessages({ body: id }, { transaction: own });
        if (id % 3 === 0) throw new Error("out of stock");
      });

    const placed = await Promise.allSettled(Array.from({ length: 100 }, (_, id) => place(id)));
    const { rows } = await database.query("select count(*)::int as placed from placed");
    database.release();
    await outbox.close();

    expect(placed.filter(({ status }) => status === "fulfilled")).toHaveLength(66);
    expect(rows).toEqual([{ placed: 66 }]);
    expect(await store.read(1_000, [])).toHaveLength(66);
  });

  it("refuses a connection without an open transaction, or with a later one, and keeps nothing", async () => {
    const { engine } = testEngine({ queues: ["orders"] });
    const store = await postgresOutbox({ pool, schema: freshSchema() });
    const outbox = startOutbox(engine, store, { relays: false });
    const client = createClient({ engine: outbox.engine, serializer: createSerializer({ codecs: [json()] }) });
    const sender = client.createSender("orders");
    const database = await pool.connect();

    const without = await rejection(sender.sendMessages({ body: 1 }, { transaction: outbox.transaction(database) }));
    await database.query("begin");
    const late = outbox.transaction(database);
    await database.query("commit");
    await database.query("begin");
    const later = await rejection(sender.sendMessages({ body: 2 }, { transaction: late }));
    await database.query("commit");
    database.release();
    await outbox.close();

    expect([without.code, later.code]).toEqual(["InvalidOperation", "InvalidOperation"]);
    expect(await store.read(10, [])).toEqual([]);
  });

  it("relays 500 messages of transactions that are committed or rolled back, in order", async () => {
    const { engine, clock } = testEngine({ queues: ["orders"] });
    const outbox = startOutbox(engine, await postgresOutbox({ pool, schema: freshSchema() }), { pollInterval: 5 });
    const client = createClient({ engine: outbox.engine, clock, serializer: createSerializer({ codecs: [json()] }) });
    const sender = client.createSender("orders");
    const wanted: number[] = [];
    for (let round = 0; round < 100; round++) {
      const bodies = Array.from({ length: 5 }, (_, index) => round * 5 + index);
      const end = round % 4 === 3 ? "rollback" : "commit";
      if (end === "commit") wanted.push(...bodies);
      await transaction(end, (database) =>
        sender.sendMessages(
          bodies.map((body) => ({ body })),
          { transaction: outbox.transaction(database) },
        ),
      );
    }
    const receiver = client.createReceiver("orders");
    let found: readonly unknown[] = [];
    await expect
      .poll(async () => (found = (await receiver.peekMessages(1_000)).map(({ body }) => body)).length, {
        timeout: 10_000,
      })
      .toBe(wanted.length);
    await outbox.close();

    expect(found).toEqual(wanted);
  });
});
