import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { durableEngine } from "../../../src/broker/durable/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/envelope.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

const queues = { q: { requiresDuplicateDetection: true, maxDeliveryCount: 1 }, s: { requiresSession: true } };
const topics = { t: { subscriptions: ["one"] } };

const message = (messageId: string, sessionId?: string): Envelope =>
  createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId, sessionId } });

const send = async (engine: Engine, entity: string, ...envelopes: readonly Envelope[]): Promise<void> =>
  (await engine.openSender(entity)).send(envelopes);

const clear = (engine: Engine, entity: string): Promise<void> =>
  engine.admin.clear?.(entity) ?? Promise.reject(new Error("The engine cannot be cleared."));

const counts = async (engine: Engine, name: string): Promise<number> =>
  (await engine.admin.getQueueRuntimeProperties(name)).totalMessageCount;

function open(): Engine {
  const engine = memoryEngine({ queues, topics });
  onTestFinished(() => engine.close());
  return engine;
}

describe("clearing an entity", () => {
  it("drops ready, locked, scheduled and dead-lettered messages, and forgets their ids", async () => {
    const engine = open();
    await send(engine, "q", message("a"), message("b"), message("c"));
    await engine.schedule("q", [
      createEnvelope({
        payload: new Uint8Array(),
        brokerProperties: { messageId: "d", scheduledEnqueueTimeUtc: new Date(Date.now() + 1e6) },
      }),
    ]);
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const [first, second] = await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 });
    if (first?.lockToken === undefined || second?.lockToken === undefined) throw new Error("nothing was received");
    await engine.settle("q", first.lockToken, { kind: "deadLetter" });
    await clear(engine, "q");

    const { totalMessageCount, sizeInBytes } = await engine.admin.getQueueRuntimeProperties("q");
    expect([totalMessageCount, sizeInBytes]).toEqual([0, 0]);
    await expect(engine.settle("q", second.lockToken, { kind: "complete" })).rejects.toMatchObject({
      code: "MessageLockLost",
    });
    await send(engine, "q", message("a"));
    const [again] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    expect(again?.sequenceNumber).toBe(5n);
  });

  it("ends the locks of sessions, and drops their states", async () => {
    const engine = open();
    await send(engine, "s", message("a", "one"));
    const held = await engine.acceptSession("s", { sessionId: "one", receiveMode: "peekLock", maxWaitTimeInMs: 0 });
    await held.setSessionState(Uint8Array.of(7));
    await clear(engine, "s");

    await expect(held.getSessionState()).rejects.toMatchObject({ code: "SessionLockLost" });
    const next = await engine.acceptSession("s", { sessionId: "one", receiveMode: "peekLock", maxWaitTimeInMs: 0 });
    expect(await next.getSessionState()).toBeUndefined();
    expect(await next.receive({ maxMessages: 1, maxWaitTimeInMs: 0 })).toEqual([]);
  });

  it("empties every subscription of a topic, and keeps their rules", async () => {
    const engine = open();
    await send(engine, "t", message("a"));
    await clear(engine, "t");

    const { totalMessageCount } = await engine.admin.getSubscriptionRuntimeProperties("t", "one");
    expect(totalMessageCount).toBe(0);
    expect(await engine.admin.listRules("t", "one")).toHaveLength(1);
  });

  it("leaves a receive waiting, which gets the next message", async () => {
    const clock = new ManualClock();
    const engine = memoryEngine({ clock, queues });
    const receiver = await engine.openReceiver("q", { receiveMode: "receiveAndDelete" });
    const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    await clear(engine, "q");
    await send(engine, "q", message("a"));
    expect(await waiting).toHaveLength(1);
    await engine.close();
  });

  it("leaves the messages of an open transaction to it", async () => {
    const engine = open();
    await send(engine, "q", message("a"), message("b"));
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (delivery?.lockToken === undefined) throw new Error("nothing was received");
    const transaction = await engine.begin();
    await engine.settle("q", delivery.lockToken, { kind: "complete" }, { transaction });
    await clear(engine, "q");

    expect(await counts(engine, "q")).toBe(1);
    await transaction.commit();
    expect(await counts(engine, "q")).toBe(0);
  });

  it("is refused for a missing entity", async () => {
    await expect(clear(open(), "missing")).rejects.toMatchObject({ code: "MessagingEntityNotFound" });
  });

  it("is durable where the engine is", async () => {
    const directory = await mkdtemp(join(tmpdir(), "sobre-clear-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const engine = await durableEngine({ directory, queues });
    await send(engine, "q", message("a"));
    await send(engine, "s", message("b", "one"));
    const held = await engine.acceptSession("s", { sessionId: "one", receiveMode: "peekLock", maxWaitTimeInMs: 0 });
    await held.setSessionState(Uint8Array.of(7));
    await Promise.all(["q", "s"].map((entity) => clear(engine, entity)));
    await engine.close();

    await using reopened = await durableEngine({ directory, queues });
    expect([await counts(reopened, "q"), await counts(reopened, "s")]).toEqual([0, 0]);
    await send(reopened, "q", message("a"));
    expect(await counts(reopened, "q")).toBe(1);
    const next = await reopened.acceptSession("s", { sessionId: "one", receiveMode: "peekLock", maxWaitTimeInMs: 0 });
    expect(await next.getSessionState()).toBeUndefined();
  });
});
