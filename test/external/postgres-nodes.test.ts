import { Client as Database } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import type { Delivery } from "../../src/core/engine/delivery.ts";
import type { Engine } from "../../src/core/engine/engine.ts";
import { postgresTransaction, postgresEngine, type PostgresEngineOptions } from "../../src/broker/postgres/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { codeOf } from "./code-of.support.ts";
import { CuttingProxy } from "./cutting-proxy.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await PostgresServer.create(18, ["max_connections=60"]);
});
afterEach(() => void vi.useRealTimers());
afterAll(() => server[Symbol.asyncDispose]());

/** Nodes of one namespace, each with connections of its own. */
async function nodes(count: number, options: PostgresEngineOptions = {}): Promise<readonly Engine[]> {
  const schema = `nodes_${schemas++}`;
  const opened: Engine[] = [];
  for (let node = 0; node < count; node++)
    opened.push(
      await postgresEngine({
        connectionString: server.connectionString,
        schema,
        migrate: true,
        maxConnections: 4,
        ...options,
      }),
    );
  return opened;
}

const closeAll = (engines: readonly Engine[]): Promise<unknown> => Promise.all(engines.map((engine) => engine.close()));

const message = (messageId: string): Envelope =>
  createEnvelope({ payload: new TextEncoder().encode(messageId), brokerProperties: { messageId } });

const inSession = (messageId: string, sessionId: string, timeToLive = 3_600_000): Envelope =>
  createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId, sessionId, timeToLive } });

async function send(engine: Engine, entity: string, ...ids: readonly string[]): Promise<void> {
  const sender = await engine.openSender(entity);
  await sender.send(ids.map(message));
  await sender.close();
}

async function receive(
  engine: Engine,
  entity: string,
  maxMessages = 1,
  maxWaitTimeInMs = 0,
): Promise<readonly Delivery[]> {
  const receiver = await engine.openReceiver(entity, { receiveMode: "peekLock" });
  const deliveries = await receiver.receive({ maxMessages, maxWaitTimeInMs });
  await receiver.close();
  return deliveries;
}

const idOf = ({ envelope }: Delivery): unknown => envelope.brokerProperties.messageId;

async function complete(engine: Engine, entity: string, { lockToken }: Delivery): Promise<void> {
  if (lockToken === undefined) throw new Error("The delivery has no lock.");
  await engine.settle(entity, lockToken, { kind: "complete" });
}

describe("several nodes on one database", () => {
  it("know what another has created, changed and deleted", async () => {
    const [one, two] = await nodes(2);
    if (one === undefined || two === undefined) throw new Error("Two nodes were due.");
    await one.admin.createQueue("orders", { maxDeliveryCount: 3 });
    await send(two, "orders", "a");
    expect((await one.admin.getQueue("orders")).maxDeliveryCount).toBe(3);
    await two.admin.updateQueue("orders", { status: "SendDisabled" });
    expect(await codeOf(send(one, "orders", "b"))).toBe("MessagingEntityDisabled");
    expect((await two.peek("orders", { maxMessages: 5 })).map(idOf)).toEqual(["a"]);
    await one.admin.deleteQueue("orders");
    expect(await codeOf(two.peek("orders", { maxMessages: 5 }))).toBe("MessagingEntityNotFound");
    expect(await codeOf(receive(two, "orders"))).toBe("MessagingEntityNotFound");
    await closeAll([one, two]);
  });

  it("deliver each message once, whichever of them asks", async () => {
    const all = await nodes(4);
    await all[0]?.admin.createQueue("orders");
    const ids = Array.from({ length: 400 }, (_, index) => `m${index}`);
    await Promise.all(
      all.map((engine, node) => send(engine, "orders", ...ids.filter((_, index) => index % 4 === node))),
    );
    const taken = await Promise.all(
      all.map(async (engine) => {
        const mine: unknown[] = [];
        for (let got = await receive(engine, "orders", 7); got.length > 0; got = await receive(engine, "orders", 7)) {
          mine.push(...got.map(idOf));
          await Promise.all(got.map((delivery) => complete(engine, "orders", delivery)));
        }
        return mine;
      }),
    );
    expect(taken.flat()).toHaveLength(ids.length);
    expect(new Set(taken.flat())).toEqual(new Set(ids));
    await closeAll(all);
  });

  it("settle a message once: the holder of an expired token never wins against that of a new one", async () => {
    const clock = new ManualClock();
    const [one, two] = await nodes(2, { clock, sweepInterval: 0 });
    if (one === undefined || two === undefined) throw new Error("Two nodes were due.");
    await one.admin.createQueue("orders", { lockDuration: 1000, maxDeliveryCount: 1000 });
    for (let race = 0; race < 50; race++) {
      await send(one, "orders", `m${race}`);
      const [first] = await receive(one, "orders");
      await clock.advance(1000);
      const [second] = await receive(two, "orders");
      if (first === undefined || second === undefined) throw new Error("A delivery was due.");
      const outcomes = await Promise.all([
        codeOf(complete(one, "orders", first)),
        codeOf(complete(two, "orders", second)),
        codeOf(complete(one, "orders", second)),
      ]);
      expect(outcomes[0]).toBe("MessageLockLost");
      expect(outcomes.slice(1).toSorted()).toEqual(["MessageLockLost", "done"]);
    }
    await closeAll([one, two]);
  });

  it("wake each other: a receive that waits gets what another node sends long before it polls", async () => {
    const [one, two] = await nodes(2);
    if (one === undefined || two === undefined) throw new Error("Two nodes were due.");
    await one.admin.createQueue("orders");
    await receive(two, "orders");
    for (let round = 0; round < 5; round++) {
      const waiting = receive(two, "orders", 1, 30_000);
      await send(one, "orders", `m${round}`);
      const [delivery] = await waiting;
      if (delivery === undefined) throw new Error("A delivery was due.");
      expect(idOf(delivery)).toBe(`m${round}`);
      await complete(two, "orders", delivery);
    }
    await closeAll([one, two]);
  });

  it("wake each other when they have heard of nobody for long: one that waits asks the others for it", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const [one, two] = await nodes(2, { sweepInterval: 3_600_000 });
    if (one === undefined || two === undefined) throw new Error("Two nodes were due.");
    await one.admin.createQueue("orders");
    vi.advanceTimersByTime(60_000);
    for (let round = 0; round < 5; round++) {
      const waiting = receive(two, "orders", 1, 30_000);
      await send(one, "orders", `m${round}`);
      const [delivery] = await waiting;
      if (delivery === undefined) throw new Error("A delivery was due.");
      expect(idOf(delivery)).toBe(`m${round}`);
      await complete(two, "orders", delivery);
    }
    await closeAll([one, two]);
  });

  it("that listen to nobody find within 2 seconds what another has sent, in a transaction of its caller's own", async () => {
    const clock = new ManualClock();
    // As behind a pooler, without a connection to listen on.
    const [one, two] = await nodes(2, { clock, transactionPooler: true });
    if (one === undefined || two === undefined) throw new Error("Two nodes were due.");
    await one.admin.createQueue("orders");
    const waiting = receive(two, "orders", 1, 60_000);
    await two.peek("orders", { maxMessages: 1 });
    const database = new Database({ connectionString: server.connectionString });
    await database.connect();
    await database.query("begin");
    const sender = await one.openSender("orders");
    await sender.send([message("a")], { transaction: postgresTransaction(database) });
    await database.query("commit");
    await database.end();
    for (let step = 0; step < 4; step++) {
      await clock.advance(500);
      await two.peek("orders", { maxMessages: 1 });
    }
    expect((await waiting).map(idOf)).toEqual(["a"]);
    await closeAll([one, two]);
  });

  it("poll once for all receivers of an entity that wait in a process", async () => {
    await using proxy = await CuttingProxy.start(`${server.folder}/.s.PGSQL.5432`);
    const connectionString = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
    const counts: number[] = [];
    for (const receivers of [1, 30]) {
      const clock = new ManualClock();
      const [engine] = await nodes(1, { clock, connectionString, transactionPooler: true });
      if (engine === undefined) throw new Error("A node was due.");
      await engine.admin.createQueue("orders");
      const waiting = Array.from({ length: receivers }, () => receive(engine, "orders", 1, 3_600_000));
      let before = 0;
      for (let step = 0; step < 25; step++) {
        // By then each receive has looked for itself.
        if (step === 5) before = proxy.requests;
        await clock.advance(1000);
        await engine.peek("orders", { maxMessages: 1 });
      }
      counts.push(proxy.requests - before);
      await engine.close();
      await Promise.all(waiting);
    }
    const [ofOne = 0, ofMany = 0] = counts;
    // Each for itself, thirty would have asked some 600 times; sweeps come when the machine lets them.
    expect(ofMany).toBeLessThanOrEqual(2 * ofOne);
  });

  it("that only send move what is due: a scheduled message arrives without a receiver", async () => {
    const clock = new ManualClock();
    const [one] = await nodes(1, { clock });
    if (one === undefined) throw new Error("A node was due.");
    await one.admin.createQueue("target");
    await one.admin.createQueue("orders", { forwardTo: "target" });
    await one.schedule("orders", [
      createEnvelope({
        payload: Uint8Array.of(1),
        brokerProperties: { messageId: "a", scheduledEnqueueTimeUtc: new Date(clock.now() + 1000) },
      }),
    ]);

    const arrived = async (): Promise<unknown> => {
      await clock.advance(500);
      return (await one.peek("target", { maxMessages: 9 })).map(idOf);
    };

    await expect.poll(arrived, { timeout: 10_000 }).toEqual(["a"]);
    await one.close();
  });

  it("delete an idle topic along with its subscription that is idle at the same time, but nothing that is awaited", async () => {
    const clock = new ManualClock();
    const [one] = await nodes(1, { clock, sweepInterval: 0 });
    if (one === undefined) throw new Error("A node was due.");
    const autoDeleteOnIdle = 300_000;
    await one.admin.createTopic("events", { autoDeleteOnIdle });
    await one.admin.createSubscription("events", "all", { autoDeleteOnIdle });
    await one.admin.createQueue("awaited", { autoDeleteOnIdle });
    await one.admin.createQueue("other");
    const waiting = receive(one, "awaited", 1, 3_600_000);

    await clock.advance(300_000);
    await one.peek("other", { maxMessages: 1 });
    const left = [await one.admin.topicExists("events"), await one.admin.queueExists("awaited")];
    await send(one, "awaited", "a");

    expect(left).toEqual([false, true]);
    expect((await waiting).map(idOf)).toEqual(["a"]);
    await one.close();
  });

  it("accept a session while another sweeps one of its messages, and receive from it in order", async () => {
    const clock = new ManualClock();
    const [one] = await nodes(1, { clock, sweepInterval: 3_600_000 });
    if (one === undefined) throw new Error("A node was due.");
    const schema = `nodes_${schemas - 1}`;
    await one.admin.createQueue("carts", { requiresSession: true });
    const sender = await one.openSender("carts");
    await sender.send([inSession("expired", "s", 1000)]);
    const sweeping = new Database({ connectionString: server.connectionString });
    await sweeping.connect();
    const lock = async (position: number): Promise<void> => {
      await sweeping.query("begin");
      await sweeping.query(`select from ${schema}.delivery where seq = $1 for update`, [position]);
    };

    await clock.advance(2000);
    await lock(1);
    const session = await one.acceptSession("carts", { receiveMode: "peekLock", maxWaitTimeInMs: 0, sessionId: "s" });
    await sweeping.query(`update ${schema}.session set overdue = false`);
    await sweeping.query(`delete from ${schema}.delivery where seq = 1`);
    await sweeping.query("commit");
    await sender.send([inSession("a", "s"), inSession("b", "s")]);
    await lock(2);
    const receiving = session.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    await sweeping.query("select pg_sleep(0.3)");
    await sweeping.query("commit");

    expect((await receiving).map(idOf)).toEqual(["a"]);
    await sweeping.end();
    await one.close();
  });

  it("send to a topic while another deletes one of its subscriptions", async () => {
    const [one] = await nodes(1);
    if (one === undefined) throw new Error("A node was due.");
    const schema = `nodes_${schemas - 1}`;
    await one.admin.createTopic("events");
    for (const name of ["kept", "gone"]) await one.admin.createSubscription("events", name);
    const deleting = new Database({ connectionString: server.connectionString });
    await deleting.connect();
    await deleting.query("begin");
    await deleting.query(`update ${schema}.namespace set version = version + 1`);
    const { rows } = await deleting.query<{ readonly queue: string }>(
      `update ${schema}.entity set key = null, version = (select version from ${schema}.namespace)
       where name = 'events/Subscriptions/gone' returning (id * 4)::text as queue`,
    );
    await deleting.query(`drop sequence ${schema}."numbers_${rows[0]?.queue}"`);

    const sending = codeOf(send(one, "events", "a"));
    await deleting.query("select pg_sleep(0.3)");
    await deleting.query("commit");

    expect(await sending).toBe("done");
    expect((await one.peek("events/Subscriptions/kept", { maxMessages: 9 })).map(idOf)).toEqual(["a"]);
    await deleting.end();
    await one.close();
  });

  it("leave the locks of a node that died to run out, which counts a delivery", async () => {
    const [one, two] = await nodes(2);
    if (one === undefined || two === undefined) throw new Error("Two nodes were due.");
    await one.admin.createQueue("orders", { lockDuration: 1000 });
    await send(one, "orders", "a");
    await receive(one, "orders");
    await one.abort();
    const [again] = await receive(two, "orders", 1, 20_000);
    expect(again?.deliveryCount).toBe(1);
    await two.close();
  });

  it("need no more than one connection each, however many calls overlap", async () => {
    const [one] = await nodes(1, { maxConnections: 1 });
    if (one === undefined) throw new Error("A node was due.");
    await one.admin.createQueue("target", { requiresDuplicateDetection: true });
    await one.admin.createQueue("orders", { forwardTo: "target", requiresDuplicateDetection: true });
    await one.admin.createQueue("carts", { requiresSession: true });
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
    await Promise.all(ids.map((id) => send(one, "orders", id, id)));
    const deliveries = await receive(one, "target", 50);
    expect(new Set(deliveries.map(idOf))).toEqual(new Set(ids));
    const settlement = { kind: "deadLetter", deadLetterReason: "Broken" } as const;
    const tokens = deliveries.flatMap(({ lockToken }) => lockToken ?? []);
    await Promise.all(tokens.map((token) => one.settle("target", token, settlement)));
    const options = { receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
    const sessions = await Promise.all(ids.map((sessionId) => one.acceptSession("carts", { ...options, sessionId })));
    await Promise.all(sessions.map((session) => session.setSessionState(Uint8Array.of(1))));
    expect((await one.admin.getQueueRuntimeProperties("target")).deadLetterMessageCount).toBe(20);
    await one.close();
  });

  it("outlive connections that are cut while they are handed from one call to the next", async () => {
    const [one] = await nodes(1, { maxConnections: 2 });
    if (one === undefined) throw new Error("A node was due.");
    await one.admin.createQueue("orders", { requiresDuplicateDetection: true });
    const administrator = new Database({ connectionString: server.connectionString });
    await administrator.connect();
    const cutting = { isOver: false };

    const outcomes = new Set<string>();
    const sending = Array.from({ length: 8 }, async (_, sender) => {
      for (let index = 0; !cutting.isOver; index++)
        outcomes.add(await codeOf(send(one, "orders", `${sender}-${index}`)));
    });
    for (let cuts = 0; cuts < 60; cuts++)
      await administrator.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
      );
    cutting.isOver = true;
    await Promise.all(sending);

    expect([...outcomes].filter((outcome) => outcome !== "done")).toEqual(["ServiceCommunicationProblem"]);
    await administrator.end();
    await one.close();
  });

  it.each([
    ["a queue with sessions", { requiresSession: true }],
    ["a queue that has none", {}],
  ])("find the messages of a session among many, in %s, and delete no others", async (_, settings) => {
    const [one] = await nodes(1);
    if (one === undefined) throw new Error("A node was due.");
    await one.admin.createQueue("carts", settings);
    const sender = await one.openSender("carts");
    await sender.send(Array.from({ length: 260 }, (__, index) => inSession(`o${index}`, "other")));
    await sender.send(["a", "b", "c"].map((id) => inSession(id, "s")));
    const mine = { maxMessages: 2, sessionId: "s" };

    const peeked = await one.peek("carts", mine);
    const rest = await one.peek("carts", { ...mine, fromSequenceNumber: 263n });
    const deleted = [await one.deleteMessages("carts", mine), await one.deleteMessages("carts", mine)];

    expect(peeked.map(idOf)).toEqual(["a", "b"]);
    expect(rest.map(idOf)).toEqual(["c"]);
    expect(deleted).toEqual([2, 1]);
    expect(await one.peek("carts", { maxMessages: 999 })).toHaveLength(260);
    await one.close();
  });
});
