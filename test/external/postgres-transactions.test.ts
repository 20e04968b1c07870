import { Client as Database, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import type { Client } from "../../src/client/client/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import { lockToken } from "../../src/core/engine/delivery.ts";
import type { Engine } from "../../src/core/engine/engine.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { postgresTransaction, postgresEngine, type PostgresEngineOptions } from "../../src/broker/postgres/index.ts";
import { codeOf } from "./code-of.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

let server: PostgresServer;
let pool: Pool;
let schemas = 0;

beforeAll(async () => {
  server = await PostgresServer.create(18, ["max_connections=60"]);
  pool = new Pool({ connectionString: server.connectionString, max: 10 });
  pool.on("error", () => {});
});
afterAll(async () => {
  await pool.end();
  await server[Symbol.asyncDispose]();
});

const serializer = createSerializer({ codecs: [json()] });

/** A client on a namespace of its own, with a queue, one with sessions and one that detects duplicates. */
async function connected(options: PostgresEngineOptions = {}): Promise<Client> {
  return (await opened(options)).client;
}

/** {@link connected}, with the client's engine. */
async function opened(
  options: PostgresEngineOptions = {},
): Promise<{ readonly client: Client; readonly engine: Engine }> {
  const schema = `own_${schemas++}`;
  const { connectionString } = server;
  const engine = await postgresEngine({ connectionString, schema, migrate: true, maxConnections: 4, ...options });
  await engine.admin.createQueue("orders", { lockDuration: 5000 });
  await engine.admin.createQueue("carts", { requiresSession: true });
  await engine.admin.createQueue("once", { requiresDuplicateDetection: true });
  const client = createClient({ engine, serializer, closeEngine: true, retryOptions: { maxRetries: 0 } });
  return { client, engine };
}

/** Runs work in a transaction on a connection of the test's own. */
async function transaction(end: "commit" | "rollback", work: (database: Database) => Promise<void>): Promise<void> {
  const database = new Database({ connectionString: server.connectionString });
  await database.connect();
  try {
    await database.query("begin");
    await work(database);
    await database.query(end);
  } finally {
    await database.end();
  }
}

const bodies = async (client: Client, queue: string): Promise<readonly unknown[]> =>
  (await client.createReceiver(queue).peekMessages(100)).map(({ body }) => body);

describe("a transaction of the caller's own", () => {
  it("sends with its commit, and not before", async () => {
    await using client = await connected();
    const sender = client.createSender("orders");
    await transaction("commit", async (database) => {
      await sender.sendMessages({ body: { order: 7 } }, { transaction: postgresTransaction(database) });
      expect(await bodies(client, "orders")).toEqual([]);
    });
    expect(await bodies(client, "orders")).toEqual([{ order: 7 }]);
  });

  it("sends nothing after a rollback", async () => {
    await using client = await connected();
    await transaction("rollback", async (database) => {
      const own = postgresTransaction(database);
      await client.createSender("orders").sendMessages({ body: 1 }, { transaction: own });
      const at = new Date(Date.now() + 3_600_000);
      await client.createSender("orders").scheduleMessages({ body: 2 }, at, { transaction: own });
      await client.createSender("once").sendMessages({ body: 3, messageId: "m" }, { transaction: own });
    });
    expect([...(await bodies(client, "orders")), ...(await bodies(client, "once"))]).toEqual([]);
    await client.createSender("once").sendMessages({ body: 4, messageId: "m" });
    expect(await bodies(client, "once")).toEqual([4]);
  });

  it("wakes a receiver that waits, after its commit, without a poll", async () => {
    await using client = await connected({ sweepInterval: 3_600_000 });
    const waiting = client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 30_000 });
    await transaction("commit", async (database) => {
      await client.createSender("orders").sendMessages({ body: 1 }, { transaction: postgresTransaction(database) });
    });
    expect((await waiting).map(({ body }) => body)).toEqual([1]);
  });

  it("settles with its commit: an inbox, whose effects and whose message are gone together or not at all", async () => {
    await using client = await connected();
    await pool.query("create table effects (id int)");
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
    const receiver = client.createReceiver("orders");
    const [first, second, third] = await receiver.receiveMessages(3);
    if (first === undefined || second === undefined || third === undefined) throw new Error("Messages were due.");
    await transaction("commit", async (database) => {
      await database.query("insert into effects values (1)");
      await receiver.completeMessage(first, { transaction: postgresTransaction(database) });
      await receiver.deadLetterMessage(
        second,
        { deadLetterReason: "Broken" },
        { transaction: postgresTransaction(database) },
      );
    });
    await transaction("rollback", async (database) => {
      await database.query("insert into effects values (3)");
      await receiver.completeMessage(third, { transaction: postgresTransaction(database) });
    });
    expect((await pool.query("select id from effects")).rows).toEqual([{ id: 1 }]);
    expect(await bodies(client, "orders")).toEqual([3]);
    expect(await bodies(client, "orders/$DeadLetterQueue")).toEqual([2]);
    await expect.poll(() => codeOf(receiver.completeMessage(third))).toBe("done");
  });

  it.each(["orders", "carts"])(
    "counts a delivery from %s that it settled and rolled back when the connection closes",
    async (queue) => {
      const { client, engine } = await opened();
      await client.createSender(queue).sendMessages({ body: 1, sessionId: queue === "carts" ? "s" : undefined });
      const options = { sessionId: "s", receiveMode: "peekLock", maxWaitTimeInMs: 1000 } as const;
      const counts: unknown[] = [];
      for (let delivery = 0; delivery < 3; delivery++) {
        const connection = await engine.connect();
        const receiver =
          queue === "carts"
            ? await connection.acceptSession(queue, options)
            : await connection.openReceiver(queue, { receiveMode: "peekLock" });
        const [received] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 1000 });
        counts.push(received?.deliveryCount);
        await transaction("rollback", async (database) => {
          if (received?.lockToken === undefined) return;
          const own = { transaction: postgresTransaction(database) };
          await connection.settle(queue, received.lockToken, { kind: "complete" }, own);
        });
        await connection.close();
      }

      expect(counts).toEqual([0, 1, 2]);
      await client.close();
    },
  );

  it("keeps a message that it settles from everyone else until its end, renewals and a closing client included", async () => {
    await using client = await connected();
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    if (message === undefined) throw new Error("A message was due.");
    await transaction("commit", async (database) => {
      const own = postgresTransaction(database);
      await receiver.completeMessage(message, { transaction: own });
      expect(await codeOf(receiver.completeMessage(message))).toBe("InvalidOperation");
      expect(await codeOf(receiver.completeMessage(message, { transaction: own }))).toBe("InvalidOperation");
      expect(await codeOf(receiver.renewMessageLock(message))).toBe("done");
    });
    expect(await bodies(client, "orders")).toEqual([]);
  });

  it("keeps a session whose message it settles from other receivers, and lets go of it at its end", async () => {
    await using client = await connected();
    await client.createSender("carts").sendMessages([
      { body: 1, sessionId: "a" },
      { body: 2, sessionId: "a" },
    ]);
    const receiver = await client.acceptSession("carts", "a");
    const [message] = await receiver.receiveMessages(1);
    if (message === undefined) throw new Error("A message was due.");
    await transaction("commit", async (database) => {
      await receiver.completeMessage(message, { transaction: postgresTransaction(database) });
      await receiver.renewSessionLock();
      await receiver.setSessionState(Uint8Array.of(1));
      await receiver.close();
      expect(await codeOf(client.acceptSession("carts", "a"))).toBe("SessionCannotBeLocked");
    });
    const again = await client.acceptSession("carts", "a");
    expect((await again.receiveMessages(5)).map(({ body }) => body)).toEqual([2]);
    expect(await again.getSessionState()).toEqual(Uint8Array.of(1));
  });

  it("sends to a session without holding up its receiver or other senders", async () => {
    await using client = await connected();
    const sender = client.createSender("carts");
    await sender.sendMessages({ body: 1, sessionId: "a" });
    const receiver = await client.acceptSession("carts", "a");
    await transaction("commit", async (database) => {
      await sender.sendMessages({ body: 2, sessionId: "a" }, { transaction: postgresTransaction(database) });
      await sender.sendMessages({ body: 3, sessionId: "a" });
      await receiver.renewSessionLock();
      const taken = await receiver.receiveMessages(5, { maxWaitTimeInMs: 100 });
      expect(taken.map(({ body }) => body)).toEqual([1, 3]);
      for (const message of taken) await receiver.completeMessage(message);
      await receiver.close();
    });
    const again = await client.acceptNextSession("carts");
    expect((await again.receiveMessages(5)).map(({ body }) => body)).toEqual([2]);
  });

  it("goes on after a refused send or settlement, which leaves nothing behind", async () => {
    const { client, engine } = await opened();
    await using _ = client;
    await pool.query("create table kept (id int)");
    await transaction("commit", async (database) => {
      const own = postgresTransaction(database);
      await database.query("insert into kept values (1)");
      expect(await codeOf(client.createSender("carts").sendMessages({ body: 1 }, { transaction: own }))).toBe(
        "InvalidOperation",
      );
      const settling = engine.settle(
        "orders",
        lockToken("00000000-0000-0000-0000-000000000000"),
        { kind: "complete" },
        { transaction: own },
      );
      expect(await codeOf(settling)).toBe("MessageLockLost");
      await client.createSender("orders").sendMessages({ body: 2 }, { transaction: own });
    });
    expect((await pool.query("select id from kept")).rows).toEqual([{ id: 1 }]);
    expect(await bodies(client, "orders")).toEqual([2]);
  });

  it("runs overlapping calls one after another", async () => {
    await using client = await connected();
    const sender = client.createSender("orders");
    await transaction("commit", async (database) => {
      const own = postgresTransaction(database);
      const carts = client.createSender("carts");
      const numbers = Array.from({ length: 20 }, (_, index) => index);
      await Promise.all(
        numbers.map((number) =>
          number % 5 === 4
            ? codeOf(carts.sendMessages({ body: number }, { transaction: own }))
            : sender.sendMessages({ body: number }, { transaction: own }),
        ),
      );
    });
    expect(await bodies(client, "orders")).toHaveLength(16);
  });

  it("needs no further connection, so that transactions waiting for one cannot use up a pool", async () => {
    const schema = `own_${schemas++}`;
    const small = new Pool({ connectionString: server.connectionString, max: 2 });
    const engine = await postgresEngine({ pool: small, schema, migrate: true });
    await engine.admin.createQueue("orders");
    await using client = createClient({ engine, serializer, closeEngine: true });
    const sender = client.createSender("orders");
    await sender.sendMessages({ body: 0 });
    await Promise.all(
      [1, 2, 3, 4].map(async (body) => {
        const database = await small.connect();
        await database.query("begin");
        await sender.sendMessages({ body }, { transaction: postgresTransaction(database) });
        await database.query("commit");
        database.release();
      }),
    );
    expect(new Set(await bodies(client, "orders"))).toEqual(new Set([0, 1, 2, 3, 4]));
    await client.close();
    await small.end();
  });

  it.each(["repeatable read", "serializable"])(
    "may be %s, with entities of the time of its snapshot",
    async (level) => {
      const { client, engine } = await opened();
      await using _ = client;
      const database = new Database({ connectionString: server.connectionString });
      await database.connect();
      await database.query(`begin isolation level ${level}`);
      await database.query("select 1 from pg_class limit 1");
      await engine.admin.createQueue("later");
      await client.createSender("orders").sendMessages({ body: 1 }, { transaction: postgresTransaction(database) });
      await database.query("commit");
      await database.end();
      expect(await bodies(client, "orders")).toEqual([1]);
    },
  );

  it("follows entities that another node changes meanwhile", async () => {
    const { client, engine } = await opened();
    await using _ = client;
    const sender = client.createSender("orders");
    await sender.sendMessages({ body: 0 });
    await transaction("commit", async (database) => {
      const own = postgresTransaction(database);
      await sender.sendMessages({ body: 1 }, { transaction: own });
      await engine.admin.updateQueue("orders", { status: "SendDisabled" });
      expect(await codeOf(sender.sendMessages({ body: 2 }, { transaction: own }))).toBe("MessagingEntityDisabled");
    });
  });

  it("is committed and rolled back by its owner alone", async () => {
    const database = new Database({ connectionString: server.connectionString });
    await database.connect();
    const own = postgresTransaction(database);
    expect([await codeOf(own.commit()), await codeOf(own.rollback())]).toEqual([
      "InvalidOperation",
      "InvalidOperation",
    ]);
    await database.end();
  });

  it("is refused without an open one: none begun, one that has failed, a pool, another engine", async () => {
    await using client = await connected();
    const sender = client.createSender("orders");
    const database = new Database({ connectionString: server.connectionString });
    await database.connect();
    const send = (): Promise<string> =>
      codeOf(sender.sendMessages({ body: 1 }, { transaction: postgresTransaction(database) }));
    expect(await send()).toBe("InvalidOperation");
    await database.query("begin");
    await database.query("select nothing").catch(() => {});
    expect(await send()).toBe("InvalidOperation");
    await database.query("rollback");
    await database.query("begin read only");
    expect(await send()).toBe("ServiceBusy");
    await database.end();
    expect(await send()).toBe("ServiceCommunicationProblem");
    expect(() => postgresTransaction(pool)).toThrow("a pool has no transaction of its own");
    await using other = createClient({ engine: memoryEngine({ queues: ["orders"] }), serializer, closeEngine: true });
    const elsewhere = other
      .createSender("orders")
      .sendMessages({ body: 1 }, { transaction: postgresTransaction(database) });
    expect(await codeOf(elsewhere)).toBe("InvalidOperation");
    expect(await bodies(client, "orders")).toEqual([]);
  });
});
