import { rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../../src/core/engine/engine.ts";
import { storedConnection } from "../../../../src/broker/memory/stored-verbs.ts";
import { StoredHome } from "../../../../src/broker/memory/stored-home.ts";
import { createEnvelope, type Envelope } from "../../../../src/core/envelope/envelope.ts";
import { messageKeep } from "../../../../src/broker/memory/bytes/message-keep.ts";
import { DirectStore } from "../../durable/direct-store.support.ts";
import { storeDirectory } from "../../durable/store-directory.support.ts";

let directory = "";
beforeEach(async () => {
  directory = await storeDirectory();
});
afterEach(() => rm(directory, { recursive: true }));

async function openEngine(memoryBudget: number): Promise<Engine> {
  const home = await StoredHome.open(new DirectStore(directory), { queues: ["orders"], memoryBudget });
  return storedConnection("durable", home);
}

const message = (number: number): Envelope => createEnvelope({ payload: new Uint8Array(1000).fill(number) });

const keptBy = (before: number): number => messageKeep.bytes - before;

describe("a message beyond the memory budget", () => {
  it("takes no place among the bytes that stay in memory, while one within it does", async () => {
    const before = messageKeep.bytes;
    const engine = await openEngine(3000);
    const sender = await engine.openSender("orders");

    const sends = [1, 2, 3].map((number) => sender.send([message(number)]));
    expect(keptBy(before)).toBe(1000);
    await Promise.all(sends);

    expect(keptBy(before)).toBe(1000);
    const found = await engine.peek("orders", { maxMessages: 10 });
    expect(found.map(({ envelope }) => [...envelope.payload.subarray(0, 2)])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    await engine.close();
  });

  it("stays for as long as a receiver holds it that was there first", async () => {
    const before = messageKeep.bytes;
    const engine = await openEngine(0);
    const sender = await engine.openSender("orders");
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });

    const receiving = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    await sender.send([message(1)]);
    const [delivery] = await receiving;

    expect(keptBy(before)).toBe(1000);
    expect(delivery?.envelope.payload).toEqual(new Uint8Array(1000).fill(1));
    if (delivery?.lockToken === undefined) throw new Error("Nothing is locked.");
    await engine.settle("orders", delivery.lockToken, { kind: "complete" });
    expect(keptBy(before)).toBe(0);
    await engine.close();
  });

  it("leaves no bytes behind when it is amended and dead-lettered before its commit has ended", async () => {
    const before = messageKeep.bytes;
    const engine = await openEngine(0);
    const sender = await engine.openSender("orders");
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    await sender.send([message(1), message(2)]);

    const deliveries = await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 });
    await Promise.all(
      deliveries.map(async ({ lockToken }) => {
        if (lockToken === undefined) throw new Error("Nothing is locked.");
        await engine.settle("orders", lockToken, { kind: "deadLetter", propertiesToModify: { seen: true } });
      }),
    );

    expect(keptBy(before)).toBe(0);
    const dead = await engine.peek("orders/$DeadLetterQueue", { maxMessages: 10 });
    expect(dead.map(({ envelope }) => envelope.payload.length)).toEqual([1000, 1000]);
    await engine.close();
  });
});
