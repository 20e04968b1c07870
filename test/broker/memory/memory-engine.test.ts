import { describe, expect, it } from "vitest";
import { memoryEngine, type MemoryEngineOptions } from "../../../src/broker/memory/index.ts";
import { lockToken as tokenOf } from "../../../src/core/engine/delivery.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { refusal } from "../../refusal.support.ts";

const message = (messageId: string, properties: object = {}): Envelope =>
  createEnvelope({ payload: new Uint8Array(), brokerProperties: { messageId, ...properties } });

async function filled(
  options: MemoryEngineOptions,
  ...ids: readonly string[]
): Promise<ReturnType<typeof memoryEngine>> {
  const engine = memoryEngine({ queues: ["q"], ...options });
  await (await engine.openSender("q")).send(ids.map((id) => message(id)));
  return engine;
}

describe("memoryEngine", () => {
  it("takes names and options of queues, topics and subscriptions", async () => {
    const engine = memoryEngine({
      queues: { orders: { maxDeliveryCount: 2 } },
      topics: { prices: { subscriptions: { eu: { lockDuration: "PT5S" } } }, news: { subscriptions: ["all"] } },
    });

    expect(await engine.admin.listQueues()).toEqual(["orders"]);
    expect(await engine.admin.listTopics()).toEqual(["news", "prices"]);
    expect(await engine.admin.listSubscriptions("news")).toEqual(["all"]);
    expect(await engine.admin.getSubscription("prices", "eu")).toMatchObject({ lockDuration: 5000 });
  });

  it("names the option that is wrong", () => {
    expect(() => memoryEngine({ queues: { q: { lockDuration: "PT6M" } } })).toThrow(/lockDuration/);
    expect(() => memoryEngine({ topics: { t: { subscriptions: { s: { maxDeliveryCount: 0 } } } } })).toThrow(
      /maxDeliveryCount/,
    );
  });

  it.each<[string, object]>([
    ["queues", { queues: "q" }],
    ["topics", { topics: 5 }],
    ["subscriptions", { topics: { t: { subscriptions: "s" } } }],
    ["clock", { clock: 5 }],
    ["firstSequenceNumber", { firstSequenceNumber: 1 }],
    ["keys", { keys: { all: "secret" } }],
    ["options", { queues: { q: null } }],
    ["maxDelivery", { queues: { q: { maxDelivery: 5 } } }],
    ["lockDuration", { topics: { t: { lockDuration: 5 } } }],
    ["maxSizeInMegabytes", { topics: { t: { subscriptions: { s: { maxSizeInMegabytes: 1 } } } } }],
  ])("names %s when it is an unknown option of an entity, or has a value that it cannot have", (option, options) => {
    const error = refusal(() => memoryEngine(options));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
  });

  it("goes on at sequence number 0 after the last of 64 bits, in the order of arrival", async () => {
    const engine = await filled({ firstSequenceNumber: 2n ** 64n - 2n }, "a", "b", "c", "d");

    const seen = await engine.peek("q", { maxMessages: 9 });
    const fromZero = await engine.peek("q", { maxMessages: 9, fromSequenceNumber: 0n });

    expect(seen.map(({ sequenceNumber }) => sequenceNumber)).toEqual([2n ** 64n - 2n, 2n ** 64n - 1n, 0n, 1n]);
    expect(fromZero.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(["c", "d"]);
  });

  it("finds deferred messages by numbers beyond the end of the range", async () => {
    const engine = await filled({ firstSequenceNumber: 2n ** 64n - 1n }, "a", "b");
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    for (const { lockToken } of await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 }))
      if (lockToken !== undefined) await engine.settle("q", lockToken, { kind: "defer" });

    const deferred = await engine.receiveDeferred("q", [0n, 2n ** 64n - 1n], { receiveMode: "receiveAndDelete" });

    expect(deferred.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(["b", "a"]);
  });

  it("keeps the partition when the 48 bits of a partitioned entity are used up", async () => {
    const engine = memoryEngine({ firstSequenceNumber: 2n ** 48n - 1n, queues: { q: { enablePartitioning: true } } });
    const sender = await engine.openSender("q");
    await sender.send([message("a", { partitionKey: "k" }), message("b", { partitionKey: "k" })]);

    const [a, b] = await engine.peek("q", { maxMessages: 9 });

    expect([a, b].map((delivery) => BigInt.asUintN(48, delivery?.sequenceNumber ?? 5n))).toEqual([2n ** 48n - 1n, 0n]);
    expect((a?.sequenceNumber ?? 0n) >> 48n).toBe((b?.sequenceNumber ?? 1n) >> 48n);
  });

  it("hands bytes over without a copy to a connection that shares them", async () => {
    const engine = await memoryEngine({ queues: ["q"] }).connect({ sharesBytes: true });
    const sent = message("a");
    await (await engine.openSender("q")).send([sent]);

    const [seen] = await engine.peek("q", { maxMessages: 1 });

    expect(seen?.envelope).toBe(sent);
  });

  it("begins the numbers of sub-queues where those of their entity begin", async () => {
    const engine = memoryEngine({ queues: ["q"], firstSequenceNumber: 5000n });
    await (await engine.openSender("q")).send([message("a")]);
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });

    await engine.settle("q", delivery?.lockToken ?? tokenOf(""), { kind: "deadLetter" });

    const [dead] = await engine.peek("q/$DeadLetterQueue", { maxMessages: 1 });
    expect(dead?.sequenceNumber).toBe(5000n);
  });

  it("forgets message ids when their window is over, so that memory stays bounded", async () => {
    const clock = new ManualClock();
    const queue = { requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: 1000 };
    const engine = memoryEngine({ clock, queues: { q: queue } });
    const sender = await engine.openSender("q");
    for (let round = 0; round < 50; round++) {
      await sender.send([message("same"), message(`other ${round}`)]);
      await clock.advance(100);
    }

    const seen = await engine.peek("q", { maxMessages: 100 });

    const ids = seen.map(({ envelope }) => envelope.brokerProperties.messageId);
    expect(ids.filter((id) => id === "same")).toHaveLength(5);
  });

  it("lets a message that would expire beyond every Date never expire", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    await (
      await engine.openSender("q")
    ).send([message("a", { timeToLive: 1e300 }), message("b", { timeToLive: 1000 })]);

    const [endless, short] = await engine.peek("q", { maxMessages: 2 });

    expect(endless?.expiresAtUtc).toBeUndefined();
    expect(short?.expiresAtUtc).toBeInstanceOf(Date);
  });

  it("takes half a surrogate pair out of the texts of a dead letter, which no wire could carry", async () => {
    const engine = await filled({}, "a");
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (delivery?.lockToken === undefined) throw new Error("Nothing was received.");

    await engine.settle("q", delivery.lockToken, {
      kind: "deadLetter",
      deadLetterReason: "half \ud83d",
      deadLetterErrorDescription: "\ude80 other half",
    });

    const [letter] = await engine.peek("q/$DeadLetterQueue", { maxMessages: 1 });
    expect(letter).toMatchObject({ deadLetterReason: "half \ufffd", deadLetterErrorDescription: "\ufffd other half" });
  });

  it("refuses a lock that is over, however much else is due at the same time", async () => {
    let now = 1_000_000;
    const engine = await filled({ clock: { now: () => now, setTimer: () => ({ cancel() {} }) } }, "held");
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const [held] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (held?.lockToken === undefined) throw new Error("Nothing was received.");
    const due = new Date(now + 1000);
    await engine.schedule(
      "q",
      Array.from({ length: 6000 }, () => message("later", { scheduledEnqueueTimeUtc: due })),
    );

    now += 60_000;

    const settled = engine.settle("q", held.lockToken, { kind: "complete" });
    await expect(settled).rejects.toMatchObject({ code: "MessageLockLost" });
    const [again] = await engine.peek("q", { maxMessages: 1 });
    expect(again).toMatchObject({ deliveryCount: 1 });
  });

  it("takes what is over for over, however much else is due at the same time", async () => {
    let now = 1_000_000;
    const queues = { q: { defaultMessageTimeToLive: 40_000 }, s: { requiresSession: true } };
    const clock = { now: () => now, setTimer: () => ({ cancel() {} }) };
    const engine = await filled({ queues, clock }, "deferred");
    const defer = { kind: "defer" } as const;
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const [held] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (held?.lockToken === undefined) throw new Error("Nothing was received.");
    await engine.settle("q", held.lockToken, defer);
    const mine = { receiveMode: "peekLock", sessionId: "mine", maxWaitTimeInMs: 0 } as const;
    await engine.acceptSession("s", mine);
    const dueIn = (milliseconds: number): Envelope =>
      message("later", { scheduledEnqueueTimeUtc: new Date(now + milliseconds) });
    await engine.schedule(
      "q",
      Array.from({ length: 6000 }, () => dueIn(1000)),
    );
    const [due = 0n] = await engine.schedule("q", [dueIn(30_000)]);

    now += 60_000;

    await expect(engine.cancel("q", [due])).rejects.toMatchObject({ code: "MessageNotFound" });
    const expired = engine.receiveDeferred("q", [held.sequenceNumber], { receiveMode: "peekLock" });
    await expect(expired).rejects.toMatchObject({ code: "MessageNotFound" });
    await expect(engine.acceptSession("s", mine)).resolves.toMatchObject({ sessionId: "mine" });
  });

  it("releases what a closed connection holds, and nothing of the others", async () => {
    const engine = await filled({}, "a", "b", "c", "d");
    const others = await Promise.all([engine.connect(), engine.connect()]);
    for (const connection of [...others, ...others]) {
      const receiver = await connection.openReceiver("q", { receiveMode: "peekLock" });
      await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    }

    await others[0]?.close();

    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const given = await receiver.receive({ maxMessages: 4, maxWaitTimeInMs: 0 });
    expect(given.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(["a", "c"]);
  });

  it("is closed with its connections", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const other = await engine.connect();

    await engine.close();

    await expect(other.openSender("q")).rejects.toMatchObject({ code: "Closed" });
  });
});
