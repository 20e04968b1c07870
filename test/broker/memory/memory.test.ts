import { describe, expect, it } from "vitest";
import type { Engine } from "../../../src/core/engine/index.ts";
import { memoryEngineWithin } from "../../../src/broker/memory/memory-engine.ts";
import { besides, Memory } from "../../../src/broker/memory/meter.ts";
import { createEnvelope, type EnvelopeInit } from "../../../src/core/envelope/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

const empty = { payload: new Uint8Array() };
const megabyte = 2 ** 20;

async function send(engine: Engine, entity: string, ...messages: Partial<EnvelopeInit>[]): Promise<void> {
  const sender = await engine.openSender(entity);
  await sender.send(messages.map((message) => createEnvelope({ ...empty, ...message })));
  await sender.close();
}

describe("the memory of an engine", () => {
  it("counts what empty messages take, so that a queue of a megabyte holds fewer than 1,700 of them", async () => {
    const engine = memoryEngineWithin(undefined, { queues: { q: { maxSizeInMegabytes: 1 } } });

    let held = 0;
    const filling = async (): Promise<void> => {
      for (; held < 3000; held++) await send(engine, "q", {});
    };

    await expect(filling()).rejects.toMatchObject({ code: "QuotaExceeded" });
    expect(held).toBeGreaterThan(1300);
    expect(held).toBeLessThan(1700);
    const { sizeInBytes } = await engine.admin.getQueueRuntimeProperties("q");
    expect(sizeInBytes).toBe(held * 45);
  });

  it("refuses sends to every engine that shares it, and takes them again when messages have left", async () => {
    const memory = new Memory(megabyte);
    const one = memoryEngineWithin(memory, { queues: ["q"] });
    const other = memoryEngineWithin(memory, { queues: ["q"] });
    await send(one, "q", { payload: new Uint8Array(900_000) });

    await expect(send(other, "q", { payload: new Uint8Array(200_000) })).rejects.toMatchObject({
      code: "QuotaExceeded",
      message: expect.stringContaining("limit of 1 MB of memory"),
    });
    await expect(other.admin.createQueue("small")).resolves.toBeUndefined();
    await (
      await one.openReceiver("q", { receiveMode: "receiveAndDelete" })
    ).receive({ maxMessages: 1, maxWaitTimeInMs: 0 });

    await expect(send(other, "q", { payload: new Uint8Array(200_000) })).resolves.toBeUndefined();
  });

  it("is free of what an engine held that is closed", async () => {
    const whole = new Memory(megabyte);
    const [one, other] = [whole.part(), whole.part()];
    await send(memoryEngineWithin(one, { queues: ["q"] }), "q", { payload: new Uint8Array(900_000) });
    const engine = memoryEngineWithin(other, { queues: ["q"] });
    await expect(send(engine, "q", { payload: new Uint8Array(200_000) })).rejects.toMatchObject({
      code: "QuotaExceeded",
    });

    one.leave();

    await expect(send(engine, "q", { payload: new Uint8Array(200_000) })).resolves.toBeUndefined();
    expect(whole.used).toBe(other.used);
  });

  it("has no room for entities, session states and scheduled messages without end either", async () => {
    const memory = new Memory(100_000);
    const engine = memoryEngineWithin(memory, { queues: { s: { requiresSession: true } } });
    const session = await engine.acceptSession("s", { sessionId: "a", receiveMode: "peekLock", maxWaitTimeInMs: 0 });
    const creating = async (): Promise<void> => {
      for (let index = 0; index < 100; index++) await engine.admin.createQueue(`q${index}`);
    };

    await expect(creating()).rejects.toMatchObject({ code: "QuotaExceeded" });
    await expect(session.setSessionState(new Uint8Array(20_000))).rejects.toMatchObject({ code: "QuotaExceeded" });
    const scheduledEnqueueTimeUtc = new Date(Date.now() + 100_000);
    const late = createEnvelope({ payload: new Uint8Array(20_000), brokerProperties: { scheduledEnqueueTimeUtc } });
    await expect(engine.schedule("q0", [late])).rejects.toMatchObject({ code: "QuotaExceeded" });
  });

  it("counts what transactions are going to send, until they end", async () => {
    const memory = new Memory(megabyte);
    const engine = memoryEngineWithin(memory, { queues: ["q"] });
    const before = memory.used;
    const sender = await engine.openSender("q");
    const large = [createEnvelope({ payload: new Uint8Array(600_000) })];
    const [first, second] = [await engine.begin(), await engine.begin()];
    await sender.send(large, { transaction: first });

    await expect(sender.send(large, { transaction: second })).rejects.toMatchObject({ code: "QuotaExceeded" });
    await first.rollback();
    expect(memory.used).toBe(before);
    await sender.send(large, { transaction: second });
    await second.commit();

    expect(memory.used - before).toBeGreaterThan(600_000);
    expect(memory.used - before).toBeLessThan(602_000);
  });

  it("is back to nothing when everything has left, in whatever way", async () => {
    const memory = new Memory();
    const clock = new ManualClock();
    const engine = memoryEngineWithin(memory, { clock });
    const { admin } = engine;
    const properties = { applicationProperties: { a: 1, b: "two" } };
    for (let way = 0; way < 4; way++) {
      await admin.createQueue("q", { requiresDuplicateDetection: true });
      await admin.createQueue("s", { requiresSession: true });
      await admin.createTopic("t");
      for (const name of ["one", "two"]) await admin.createSubscription("t", name);
      for (const entity of ["q", "q", "t"]) await send(engine, entity, properties, {}, properties);
      await send(engine, "s", { brokerProperties: { sessionId: "a" } }, { brokerProperties: { sessionId: "b" } });
      const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
      const held = await receiver.receive({ maxMessages: 4, maxWaitTimeInMs: 0 });
      const session = await engine.acceptSession("s", { sessionId: "a", receiveMode: "peekLock", maxWaitTimeInMs: 0 });
      await session.setSessionState(new Uint8Array(100));
      await session.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
      const kinds = [
        { kind: "complete" },
        { kind: "abandon", propertiesToModify: { c: 3 } },
        { kind: "deadLetter", deadLetterReason: "r" },
        { kind: "defer", propertiesToModify: { a: undefined } },
      ] as const;
      for (const [index, { lockToken }] of held.entries()) {
        const kind = kinds[(index + way) % 4];
        if (lockToken !== undefined && kind !== undefined && index < 3) await engine.settle("q", lockToken, kind);
      }
      expect(memory.used).toBeGreaterThan(20 * besides.message);
      if (way === 1) await clock.advance(3_600_000);
      if (way === 2) await session.close();
      if (way === 3) await admin.deleteSubscription("t", "one");

      for (const queue of ["q", "s"]) await admin.deleteQueue(queue);
      await admin.deleteTopic("t");

      expect(memory.used).toBe(0);
    }
  });
});
