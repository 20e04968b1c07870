import { Client as Database } from "pg";
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../src/core/engine/engine.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { postgresEngine, postgresServing } from "../../src/broker/postgres/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { startServer } from "../../src/serve/server/index.ts";
import { PostgresServer } from "./postgres-server.support.ts";
import { ServeNode } from "./serve-node.support.ts";

let server: PostgresServer;
/** Two nodes on one database, and an engine that administers it. */
let one: ServeNode;
let two: ServeNode;
let engine: Engine;

beforeAll(async () => {
  server = await PostgresServer.create(18, ["max_connections=100"]);
  engine = await postgresEngine({ connectionString: server.connectionString, migrate: true, queues: ["orders"] });
  [one, two] = await Promise.all([serve(), serve()]);
});
afterAll(async () => {
  await Promise.all([one, two].map((node) => node.end("SIGINT")));
  await engine.close();
  await server[Symbol.asyncDispose]();
});

const serve = (args: readonly string[] = [], imported?: string): Promise<ServeNode> =>
  ServeNode.start(["--postgres", server.connectionString, ...args], imported);

const forGood = { maxAutoLockRenewalDurationInMs: 0 };

const only = <T>([first]: readonly T[]): T => {
  if (first === undefined) throw new Error("One was due.");
  return first;
};

const bodyAndCount = ({ body, deliveryCount }: ServiceBusReceivedMessage): string => `${body}, ${deliveryCount}`;

/** The answer of a node to `/health`. */
async function health({ url }: ServeNode): Promise<{ readonly status: number; readonly health: object }> {
  const response = await fetch(`${url}/health`);
  const told: object = JSON.parse(await response.text());
  return { status: response.status, health: told };
}

/** Tries until it holds: nodes learn what happens to the database by using it. */
const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 40_000, interval: 200 });

/** The connection string of the namespace shop-1. */
const shop = (node: ServeNode): string =>
  node.connectionString.replace("Name=Root", "Name=shop-1").replace("=main-key", "=shop-key");

async function peek(node: ServeNode, connectionString?: string): Promise<readonly string[]> {
  const messages = await node.client(connectionString).createReceiver("orders").peekMessages(5);
  return messages.map(({ body }) => String(body));
}

describe("nodes of `sobre serve --postgres`, with the official client", () => {
  it("hand a client on: what it left at one it finds at another", async () => {
    const [first, second] = [one.client(), two.client()];
    const sender = first.createSender("orders");
    await sender.sendMessages([{ body: "received" }, { body: "deferred" }, { body: "dead" }, { body: "left" }]);
    const [later] = await sender.scheduleMessages({ body: "scheduled" }, new Date(Date.now() + 3_600_000));
    const receiver = first.createReceiver("orders", forGood);
    const [received, deferred, dead] = await receiver.receiveMessages(3);
    if (received === undefined || deferred === undefined || dead === undefined || later === undefined)
      throw new Error("Three messages were due.");
    await receiver.deferMessage(deferred);
    await receiver.deadLetterMessage(dead, { deadLetterReason: "Broken", deadLetterErrorDescription: "" });
    await receiver.completeMessage(received);
    await first.close();

    const there = second.createReceiver("orders", forGood);
    const [brought] = await there.receiveDeferredMessages(deferred.sequenceNumber ?? []);
    if (brought !== undefined) await there.completeMessage(brought);
    const letters = second.createReceiver("orders", { ...forGood, subQueueType: "deadLetter" });
    expect((await letters.receiveMessages(1)).map(({ body, deadLetterReason }) => [body, deadLetterReason])).toEqual([
      ["dead", "Broken"],
    ]);
    await second.createSender("orders").cancelScheduledMessages(later);
    expect((await there.receiveMessages(5, { maxWaitTimeInMs: 1000 })).map(({ body }) => body)).toEqual(["left"]);
    expect((await there.peekMessages(5)).map(({ body }) => body)).toEqual(["left"]);
  });

  it("wake a receiver at one for what is sent at another", async () => {
    await engine.admin.createQueue("woken");
    const receiver = two.client().createReceiver("woken", { receiveMode: "receiveAndDelete" });
    const sender = one.client().createSender("woken");
    for (let round = 0; round < 3; round++) {
      const waiting = receiver.receiveMessages(1, { maxWaitTimeInMs: 30_000 });
      await sender.sendMessages({ body: round });
      expect((await waiting).map(({ body }) => body)).toEqual([round]);
    }
  });

  it("end the links to an entity that was deleted at another, idle ones, too, so that clients go on after it is made again", async () => {
    await engine.admin.createQueue("remade");
    const client = one.client();
    const [sender, receiver] = [client.createSender("remade"), client.createReceiver("remade", forGood)];
    await sender.sendMessages({ body: "old" });
    await receiver.receiveMessages(1);

    await engine.admin.deleteQueue("remade");
    await engine.admin.createQueue("remade");

    await eventually(() => sender.sendMessages({ body: "new" }));
    const [received] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
    expect(received?.body).toBe("new");
  });

  it("share the locks and states of sessions", async () => {
    await engine.admin.createQueue("carts", { requiresSession: true });
    const [first, second] = [one.client(), two.client()];
    await first.createSender("carts").sendMessages({ body: "apple", sessionId: "ann" });
    const session = await first.acceptSession("carts", "ann", forGood);
    await session.setSessionState({ step: 2 });
    await expect(second.acceptSession("carts", "ann")).rejects.toMatchObject({ code: "SessionCannotBeLocked" });
    await session.close();
    const taken = await second.acceptNextSession("carts", forGood);
    expect([taken.sessionId, await taken.getSessionState()]).toEqual(["ann", { step: 2 }]);
    expect((await taken.receiveMessages(1)).map(({ body }) => body)).toEqual(["apple"]);
    await taken.close();
  });

  it("share rules, counts, and locks that are taken over HTTP", async () => {
    await engine.admin.createTopic("prices");
    await engine.admin.createSubscription("prices", "eu");
    const rules = one.client().createRuleManager("prices", "eu");
    await rules.deleteRule("$Default");
    await rules.createRule("large", { sqlExpression: "total > 100" });
    const sender = two.client().createSender("prices");
    await sender.sendMessages([50, 150].map((total) => ({ body: total, applicationProperties: { total } })));
    const eu = one.client().createReceiver("prices", "eu", forGood);
    expect((await eu.peekMessages(5)).map(({ body }) => body)).toEqual([150]);

    const path = "prices/subscriptions/eu";
    const counts = await Promise.all(
      [one, two].map(async ({ url }) => (await (await fetch(`${url}/${path}`)).text()).match(/<MessageCount>\d+/)?.[0]),
    );
    expect(counts).toEqual(["<MessageCount>1", "<MessageCount>1"]);

    const locked = await fetch(`${one.url}/${path}/messages/head`, { method: "POST" });
    const { pathname } = new URL(locked.headers.get("location") ?? "");
    const completed = await fetch(`${two.url}${pathname}`, { method: "DELETE" });
    expect([locked.status, completed.status]).toEqual([201, 200]);
    expect(await eu.peekMessages(5)).toEqual([]);
  });

  it("lose nothing when one is killed with -9: its locks run out, and the next delivery is counted", async () => {
    await engine.admin.createQueue("held", { lockDuration: 2000 });
    await engine.admin.createQueue("held-carts", { lockDuration: 2000, requiresSession: true });
    const node = await serve();
    const client = node.client();
    await client.createSender("held").sendMessages([{ body: 1 }, { body: 2 }]);
    const sender = client.createSender("held-carts");
    await sender.sendMessages({ body: "apple", sessionId: "ann" });
    const session = await client.acceptSession("held-carts", "ann", forGood);
    await session.setSessionState("half");
    expect((await session.receiveMessages(1)).map(bodyAndCount)).toEqual(["apple, 0"]);
    const [held] = await client.createReceiver("held", forGood).receiveMessages(1);
    await node.end("SIGKILL");

    const other = two.client();
    const again = other.createReceiver("held", forGood);
    const all: ServiceBusReceivedMessage[] = [];
    while (all.length < 2) all.push(...(await again.receiveMessages(2 - all.length, { maxWaitTimeInMs: 20_000 })));
    expect(all.map(bodyAndCount).toSorted()).toEqual(["1, 1", "2, 0"]);
    expect(all.find(({ body }) => body === held?.body)?.lockToken).not.toBe(held?.lockToken);
    const retried = await other.acceptNextSession("held-carts", forGood);
    expect(await retried.getSessionState()).toBe("half");
    expect((await retried.receiveMessages(1)).map(bodyAndCount)).toEqual(["apple, 1"]);
    await retried.close();
  });

  it("agree on the time although their clocks are 30 seconds apart", async () => {
    const shift = "const now = Date.now; Date.now = () => now() + 30_000";
    await using ahead = await serve([], `data:text/javascript,${encodeURIComponent(shift)}`);
    await engine.admin.createQueue("timed", { lockDuration: 10_000 });
    const client = ahead.client();
    const sender = one.client().createSender("timed");
    await sender.sendMessages([{ body: "locked" }, { body: "short", timeToLive: 25_000 }]);
    await sender.scheduleMessages({ body: "later" }, new Date(Date.now() + 20_000));
    const [locked] = await one.client().createReceiver("timed", forGood).receiveMessages(1);

    const receiver = client.createReceiver("timed", forGood);
    const received = await receiver.receiveMessages(5, { maxWaitTimeInMs: 2000 });
    const until = only(received).lockedUntilUtc?.getTime() ?? 0;
    expect([locked?.body, received.map(({ body }) => body)]).toEqual(["locked", ["short"]]);
    expect(Math.abs(until - 10_000 - Date.now())).toBeLessThan(15_000);
    const peeked = (await receiver.peekMessages(5)).find(({ body }) => body === "short");
    expect(Math.abs((peeked?.enqueuedTimeUtc?.getTime() ?? 0) - Date.now())).toBeLessThan(15_000);
  });

  it("keep a client's transaction themselves: none is open in the database until its commit", async () => {
    await engine.admin.createQueue("bought");
    const remote = azureEngine({ connectionString: one.connectionString });
    const sender = await remote.openSender("bought");
    const transaction = await remote.begin();
    await sender.send([createEnvelope({ payload: Uint8Array.of(1) })], { transaction });
    const database = new Database({ connectionString: server.connectionString });
    await database.connect();
    const open = "select count(*)::int as open from pg_stat_activity where state like 'idle in transaction%'";
    expect((await database.query(open)).rows).toEqual([{ open: 0 }]);
    await database.end();
    expect(await engine.peek("bought", { maxMessages: 5 })).toEqual([]);
    await transaction.commit();
    expect(await engine.peek("bought", { maxMessages: 5 })).toHaveLength(1);
    await remote.close();
  });

  it("may be your own programs", async () => {
    await using own = await startServer({ engine, ...(await postgresServing(engine)) });
    const response = await fetch(`http://localhost:${own.port}/health`);
    expect(await response.json()).toMatchObject({ status: "healthy", database: "available" });
    expect(() => own.namespace("inner", { queues: ["q"] })).toThrow("would not be stored");
    await expect(postgresServing(memoryEngine())).rejects.toMatchObject({ code: "InvalidArgument" });
  });

  it("show the inspector", async () => {
    const page = await fetch(`${two.url}/$ui/`, { headers: { accept: "text/html" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
  });

  it("serve namespaces, each in a schema with a key of its own, the same at every node", async () => {
    const keys = ["--key", "Root=main-key", "--key", "shop-1=shop-key", "--namespace", "shop-1", "--migrate"];
    await using first = await serve(keys);
    await using second = await serve(keys);
    const admin = await postgresEngine({
      connectionString: server.connectionString,
      schema: "shop_1",
      queues: ["orders"],
    });
    await admin.close();
    await first.client(shop(first)).createSender("orders").sendMessages({ body: "of the shop" });
    expect(await peek(second, shop(second))).toEqual(["of the shop"]);
    expect(await peek(second)).not.toContain("of the shop");
    await expect(peek(second, shop(second).replace("=shop-key", "=main-key"))).rejects.toMatchObject({
      code: "UnauthorizedAccess",
    });
    expect((await health(second)).health).toMatchObject({
      namespaces: { "shop-1": { status: "healthy", backlog: 1 } },
    });
  });
});

describe("`sobre serve --postgres`", () => {
  it("shows the database's state, oldest transaction, dead rows and backlog at /health, and goes on when it is back", async () => {
    await using own = await PostgresServer.create(18, ["synchronous_commit=on"]);
    const args = ["--postgres", own.connectionString, "--migrate", "--queue", "orders"];
    await using node = await ServeNode.start(args);
    const sender = node.client().createSender("orders");
    await sender.sendMessages([{ body: 1 }, { body: 2 }]);
    const forgotten = new Database({ connectionString: own.connectionString });
    forgotten.on("error", () => {});
    await forgotten.connect();
    await forgotten.query("begin");

    const { status, health: found } = await health(node);
    expect([status, found]).toEqual([
      200,
      {
        status: "healthy",
        database: "available",
        backlog: 2,
        deadRows: expect.any(Number),
        oldestTransactionInMs: expect.any(Number),
      },
    ]);
    await eventually(async () => {
      const { oldestTransactionInMs = 0 }: { readonly oldestTransactionInMs?: number } = (await health(node)).health;
      expect(oldestTransactionInMs).toBeGreaterThan(1000);
    });

    await own.kill();
    await eventually(async () => {
      expect(await health(node)).toEqual({
        status: 503,
        health: { status: "unhealthy", database: "ServiceCommunicationProblem" },
      });
    });
    await expect(sender.sendMessages({ body: 3 })).rejects.toMatchObject({ retryable: true });
    await own.start();
    await eventually(async () => expect((await health(node)).status).toBe(200));
    await sender.sendMessages({ body: 4 });
    const bodies = (await node.client().createReceiver("orders").peekMessages(9)).map(({ body }) => body);
    expect(bodies).toEqual(expect.arrayContaining([1, 2, 4]));
  });
});
