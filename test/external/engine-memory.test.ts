import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine/index.ts";
import { memoryEngineWithin } from "../../src/broker/memory/memory-engine.ts";
import { Memory } from "../../src/broker/memory/meter.ts";
import { createEnvelope, type EnvelopeInit } from "../../src/core/envelope/index.ts";
import { used } from "../serve/server/amqp/hostile-peer.support.ts";

const empty = { payload: new Uint8Array() };
const megabyte = 2 ** 20;

async function send(engine: Engine, entity: string, ...messages: Partial<EnvelopeInit>[]): Promise<void> {
  const sender = await engine.openSender(entity);
  await sender.send(messages.map((message) => createEnvelope({ ...empty, ...message })));
  await sender.close();
}

describe("the memory of an engine, measured", () => {
  it.each(["close", "abort"] as const)("keeps nothing of connections that have ended by %s", async (end) => {
    const engine = memoryEngineWithin(undefined, { queues: ["q"] });
    const comeAndGo = async (): Promise<void> => {
      for (let count = 0; count < 2000; count++) {
        const connection = await engine.connect();
        await connection.openReceiver("q", { receiveMode: "peekLock" });
        await connection[end]();
      }
    };
    await comeAndGo();
    const before = used();

    await comeAndGo();

    expect(used() - before).toBeLessThan(megabyte);
    await engine.close();
  });

  it.each<readonly [string, (index: number) => Partial<EnvelopeInit>]>([
    ["empty messages", () => ({})],
    ["messages of a session each", (index) => ({ brokerProperties: { sessionId: `${index}`, messageId: `${index}` } })],
    [
      "messages of many properties",
      (index) => ({
        applicationProperties: Object.fromEntries(Array.from({ length: 30 }, (_, name) => [`${name} ${index}`, name])),
      }),
    ],
    ["ids that are remembered", (index) => ({ brokerProperties: { messageId: `${index}`.padStart(100, "-") } })],
  ])("is at least what %s take", async (what, message) => {
    const remembers = what.startsWith("ids");
    const memory = new Memory();
    const count = what.includes("properties") ? 1000 : 10_000;
    const settings = { requiresSession: what.includes("session"), requiresDuplicateDetection: remembers };
    const fill = async (): Promise<Engine> => {
      const engine = memoryEngineWithin(memory, { queues: { q: settings } });
      for (let index = 0; index < count; index += 100)
        await send(engine, "q", ...Array.from({ length: 100 }, (_, member) => message(index + member)));
      if (remembers) await engine.deleteMessages("q", { maxMessages: 10_000 });
      return engine;
    };
    const shareOfCounted = async (): Promise<number> => {
      const countedBefore = memory.used;
      const before = used();
      const engine = await fill();
      const share = (used() - before) / (memory.used - countedBefore);
      await engine.close();
      return share;
    };
    await (await fill()).close();

    let share = Infinity;
    // Other tests of the process leave something to compile or to collect now and then.
    for (let round = 0; round < 4 && share >= 1.1; round++) share = Math.min(share, await shareOfCounted());

    expect(share).toBeLessThan(1.1);
  });
});
