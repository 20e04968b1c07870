import { Client as Database, Pool } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Delivery } from "../../src/core/engine/delivery.ts";
import type { Engine } from "../../src/core/engine/engine.ts";
import { postgresTransaction, postgresEngine, type PostgresEngineOptions } from "../../src/broker/postgres/index.ts";
import { PostgresConnection } from "../../src/broker/postgres/postgres-verbs.ts";
import { QueueState } from "../../src/broker/postgres/queue-state.ts";
import { sweep } from "../../src/broker/postgres/sweep.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { codeOf } from "./code-of.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

let server: PostgresServer;
/** A connection of the test's own. */
let database: Database;
let schemas = 0;

beforeAll(async () => {
  server = await PostgresServer.create(18, ["shared_preload_libraries=pg_stat_statements"]);
  database = new Database({ connectionString: server.connectionString });
  await database.connect();
  await database.query("create extension pg_stat_statements");
});
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  await database.end();
  await server[Symbol.asyncDispose]();
});

/** Two nodes of a namespace of their own. */
async function nodes(options: PostgresEngineOptions): Promise<readonly [Engine, Engine]> {
  const all = { connectionString: server.connectionString, schema: `arrivals_${schemas++}`, migrate: true, ...options };
  return [await postgresEngine(all), await postgresEngine(all)];
}

/** How many statements the server has carried out. */
async function statements(): Promise<number> {
  const { rows } = await database.query<{ readonly calls: string }>(
    "select sum(calls) as calls from pg_stat_statements",
  );
  return Number(rows[0]?.calls);
}

const message = (messageId: string): Envelope =>
  createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId } });

async function receive(engine: Engine, maxMessages: number, maxWaitTimeInMs = 0): Promise<readonly Delivery[]> {
  const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
  return receiver.receive({ maxMessages, maxWaitTimeInMs });
}

const idOf = ({ envelope }: Delivery): unknown => envelope.brokerProperties.messageId;

describe("a message that is committed after messages with higher numbers", () => {
  it.each([0, 1] as const)("is delivered at once, at node %d, without a sweep", async (receiving) => {
    const opened = await nodes({ queues: ["orders"], sweepInterval: 3_600_000 });
    const [sending, node] = [opened[0], opened[receiving]];
    const sender = await sending.openSender("orders");
    await database.query("begin");
    await sender.send([message("late")], { transaction: postgresTransaction(database) });
    await sender.send([message("early")]);
    await receive(node, 2);

    const waiting = receive(node, 1, 20_000);
    await database.query("commit");

    expect((await waiting).map(idOf)).toEqual(["late"]);
    await Promise.all(opened.map((engine) => engine.close()));
  });

  it("is found 100 milliseconds later by a receiver that never waits, without a sweep and when the sending node has gone", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const [sending, node] = await nodes({ queues: ["orders"], sweepInterval: 3_600_000 });
    vi.advanceTimersByTime(60_000);
    const sender = await sending.openSender("orders");
    await sender.send([message("first")]);
    await receive(node, 1);
    vi.advanceTimersByTime(100);
    await receive(node, 1);
    await database.query("begin");
    await sender.send([message("late")], { transaction: postgresTransaction(database) });
    await sender.send([message("early")]);
    await receive(node, 1);
    await sending.close();

    await database.query("commit");
    const before = await receive(node, 1);
    vi.advanceTimersByTime(100);
    const after = await receive(node, 1);

    expect([before, after].map((taken) => taken.map(idOf))).toEqual([[], ["late"]]);
    await node.close();
  });

  it("is announced at the end of its transaction to nodes that wait for nothing", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const opened = await nodes({ queues: ["orders"], sweepInterval: 3_600_000 });
    const sender = await opened[0].openSender("orders");
    const listening = new Database({ connectionString: server.connectionString });
    await listening.connect();
    await listening.query("listen sobre");
    const announced = new Promise<string>((resolve) =>
      listening.on("notification", ({ payload = "" }) => resolve(payload.split(" ").slice(2).join(" "))),
    );
    await database.query("begin");
    await sender.send([message("late")], { transaction: postgresTransaction(database) });
    vi.advanceTimersByTime(60_000);

    await database.query("commit");

    expect(await announced).toBe("4:1");
    await listening.end();
    await Promise.all(opened.map((engine) => engine.close()));
  });

  it("is forwarded when its queue has begun to forward meanwhile", async () => {
    const clock = new ManualClock();
    const opened = await nodes({ queues: ["old", "orders"], clock, sweepInterval: 0 });
    const [one] = opened;
    const sender = await one.openSender("old");
    await database.query("begin");
    await sender.send([message("late")], { transaction: postgresTransaction(database) });
    await one.admin.updateQueue("old", { forwardTo: "orders" });
    await database.query("commit");

    await clock.advance(1000);
    const found = await one.peek("orders", { maxMessages: 9 });

    expect(found.map(idOf)).toEqual(["late"]);
    await Promise.all(opened.map((engine) => engine.close()));
  });
});

describe("messages that another call is changing", () => {
  it("are ServiceBusy when they are received from the deferred ones, and there once it has ended", async () => {
    const [one, two] = await nodes({ queues: ["orders"], clock: new ManualClock(), sweepInterval: 0 });
    const sender = await one.openSender("orders");
    await sender.send([message("a")]);
    const [held] = await receive(one, 1);
    if (held?.lockToken === undefined) throw new Error("A locked message was due.");
    await one.settle("orders", held.lockToken, { kind: "defer" });
    const receiveIt = (): Promise<readonly Delivery[]> =>
      two.receiveDeferred("orders", [held.sequenceNumber], { receiveMode: "receiveAndDelete" });
    await database.query("begin");
    await database.query(`select from arrivals_${schemas - 1}.delivery for update`);

    const meanwhile = await codeOf(receiveIt());
    await database.query("rollback");
    const afterwards = await receiveIt();

    expect(meanwhile).toBe("ServiceBusy");
    expect(afterwards.map(idOf)).toEqual(["a"]);
    await Promise.all([one.close(), two.close()]);
  });
});

describe("a sweep behind a cursor", () => {
  it("begins at the lowest row that is left, and finds what was committed below in a slice of its own", async () => {
    const schema = `arrivals_${schemas}`;
    const [one, two] = await nodes({ queues: ["orders"], sweepInterval: 3_600_000 });
    if (!(one instanceof PostgresConnection)) throw new Error("The engine of postgresEngine was due.");
    const { store } = one.home;
    const sender = await one.openSender("orders");
    await sender.send(["a", "b", "c", "d"].map(message));
    const [first, second] = await receive(two, 3);
    for (const delivery of [first, second])
      if (delivery?.lockToken !== undefined) await two.settle("orders", delivery.lockToken, { kind: "complete" });
    const state = new QueueState(store.clock, undefined);
    state.at = 5n;
    const swept = (below: bigint): Promise<unknown> =>
      sweep(store, { queues: new Map([[4, state]]), behind: true, below, due: [0, 0] });

    await swept(0n);
    const low = state.low;
    for (const table of ["delivery", "body"])
      await database.query(`update ${schema}.${table} set seq = 1 where seq = 4`);
    await swept(0n);
    const unannounced = state.at;
    await swept(100n);

    expect([low, unannounced, state.low, state.at]).toEqual([3n, 4n, 1n, 1n]);
    await Promise.all([one.close(), two.close()]);
  });

  it("retries the receives that wait when it finds a row below those known, which may have been returned", async () => {
    const [one, two] = await nodes({ queues: ["orders"], sweepInterval: 3_600_000 });
    if (!(one instanceof PostgresConnection)) throw new Error("The engine of postgresEngine was due.");
    const { store } = one.home;
    const sender = await one.openSender("orders");
    await sender.send([message("a")]);
    const [held] = await receive(two, 1);
    if (held?.lockToken === undefined) throw new Error("A locked message was due.");
    await two.settle("orders", held.lockToken, { kind: "abandon" });
    const state = new QueueState(store.clock, undefined);
    [state.at, state.low] = [9n, 9n];
    let attempts = 0;
    const attempt = async (): Promise<boolean> => ++attempts > 1;
    state.add({ key: "queue", attempt, refuse: () => {} });

    await sweep(store, { queues: new Map([[4, state]]), behind: true, below: 100n, due: [0, 0] });

    expect([state.low, attempts]).toEqual([1n, 2]);
    await Promise.all([one.close(), two.close()]);
  });
});

describe("a queue that no longer forwards", () => {
  it("keeps its messages as they are when a node that has not heard of it sweeps", async () => {
    const clock = new ManualClock();
    const schema = `arrivals_${schemas}`;
    const [one, ignored] = await nodes({
      queues: { old: { forwardTo: "orders" }, orders: {} },
      clock,
      sweepInterval: 0,
    });
    await ignored.close();
    const pool = new Pool({ connectionString: server.connectionString, max: 4 });
    const deaf = await postgresEngine({ pool, schema, clock, sweepInterval: 0 });
    await one.admin.updateQueue("old", { forwardTo: "" });
    const sender = await one.openSender("old");
    await sender.send([message("a")]);
    const before = await one.peek("old", { maxMessages: 1 });

    await clock.advance(60_000);
    await deaf.peek("orders", { maxMessages: 1 });
    const after = await one.peek("old", { maxMessages: 1 });

    expect(before).toHaveLength(1);
    expect(after.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
      before.map(({ sequenceNumber }) => sequenceNumber),
    );
    await Promise.all([one.close(), deaf.close()]);
    await pool.end();
  });
});

describe("a connection that closes", () => {
  it("releases every message that it holds by the engine's clock, however many, in few statements", async () => {
    const [one, two] = await nodes({ queues: ["orders"], clock: new ManualClock(1_000_000), sweepInterval: 0 });
    const ids = Array.from({ length: 1030 }, (_, index) => `${index}`);
    const sender = await one.openSender("orders");
    await sender.send(ids.map(message));
    await receive(one, ids.length);
    const before = await statements();

    await one.close();
    const after = await statements();
    const again = await receive(two, ids.length);

    expect(again).toHaveLength(ids.length);
    expect(after - before).toBeLessThan(30);
    await two.close();
  });
});

describe("a reason with U+0000", () => {
  it("dead-letters: the properties keep it, and the delivery shows U+FFFD in its place", async () => {
    const [one, two] = await nodes({ queues: ["orders"] });
    const sender = await one.openSender("orders");
    await sender.send([message("a")]);
    const [held] = await receive(one, 1);
    if (held?.lockToken === undefined) throw new Error("A locked message was due.");
    const reason = { deadLetterReason: "a\0b", deadLetterErrorDescription: "\0" };

    await one.settle("orders", held.lockToken, { kind: "deadLetter", ...reason });
    const [dead] = await two.peek("orders/$DeadLetterQueue", { maxMessages: 1 });

    expect(dead).toMatchObject({ deadLetterReason: "a\uFFFDb", deadLetterErrorDescription: "\uFFFD" });
    expect(dead?.envelope.applicationProperties).toMatchObject({ DeadLetterReason: "a\0b" });
    await Promise.all([one.close(), two.close()]);
  });
});
