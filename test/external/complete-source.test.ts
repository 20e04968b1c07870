import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { completeSource, createQueueSource, migrate } from "../../src/migration/index.ts";

const scratch = mkdtempSync(join(tmpdir(), "sobre-complete-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const message = (id: number, sessionId?: string): Envelope =>
  createEnvelope({
    payload: Buffer.from(`{"Id":${id}}`),
    brokerProperties: { messageId: `m-${id}`, contentType: "application/json", sessionId },
  });

function engineOf(): Engine {
  const engine = memoryEngine({ queues: { orders: {}, groups: { requiresSession: true } } });
  onTestFinished(() => engine.close());
  return engine;
}

async function send(engine: Engine, entity: string, envelopes: readonly Envelope[]): Promise<void> {
  const sender = await engine.openSender(entity);
  for (let at = 0; at < envelopes.length; at += 1_000) await sender.send(envelopes.slice(at, at + 1_000));
  await sender.close();
}

let outputs = 0;
/** Migrates all messages of an entity; resolves to the output. */
async function migrated(engine: Engine, entity: string): Promise<string> {
  const output = join(scratch, `${++outputs}.ndjson`);
  const serializer = createSerializer({ codecs: [json()] });
  await migrate({ source: createQueueSource(engine, entity), serializer, target: { format: "json" }, output });
  return output;
}

async function idsIn(engine: Engine, entity: string): Promise<readonly unknown[]> {
  const all = await engine.peek(entity, { maxMessages: 100_000 });
  return all.map(({ envelope }) => envelope.brokerProperties.messageId);
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** The object with some members replaced. */
const replaced = <T extends object>(target: T, members: Partial<T>): T =>
  new Proxy(target, {
    get(_, name): unknown {
      const member: unknown = Reflect.get(Reflect.has(members, name) ? members : target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** An engine whose connections fail after some settlements, as when the process is killed. */
function interrupted(engine: Engine, settlements: number): Engine {
  let left = settlements;
  return replaced(engine, {
    connect: async () => {
      const own = await engine.connect();
      return replaced(own, {
        settle: (...args) => (left-- > 0 ? own.settle(...args) : Promise.reject(new Error("killed"))),
      });
    },
  });
}

describe("completing the source of a migration", () => {
  it("empties a queue of 10,000 messages, and leaves those that are new", async () => {
    const engine = engineOf();
    await send(
      engine,
      "orders",
      numbers(10_000).map((id) => message(id)),
    );
    const output = await migrated(engine, "orders");
    await send(engine, "orders", [message(10_001), message(10_002)]);

    const done = await completeSource({ engine, entity: "orders", output });

    expect([done.completed, done.gone, done.left.map(({ messageId, reason }) => [messageId, reason])]).toEqual([
      10_000,
      0,
      [
        ["m-10001", "new"],
        ["m-10002", "new"],
      ],
    ]);
    expect(await idsIn(engine, "orders")).toEqual(["m-10001", "m-10002"]);
  });

  it("empties every session of a queue, and leaves the one that another receiver holds until it is free", async () => {
    const engine = engineOf();
    await send(
      engine,
      "groups",
      numbers(2_000).map((id) => message(id, `s-${id % 50}`)),
    );
    const output = await migrated(engine, "groups");
    const other = await engine.connect();
    await other.acceptSession("groups", { sessionId: "s-7", receiveMode: "peekLock", maxWaitTimeInMs: 0 });

    const first = await completeSource({ engine, entity: "groups", output });
    await other.close();
    const second = await completeSource({ engine, entity: "groups", output });

    expect([first.completed, new Set(first.left.map(({ reason }) => reason))]).toEqual([1_960, new Set(["locked"])]);
    expect([second.completed, second.gone, second.left]).toEqual([40, 1_960, []]);
    expect(await idsIn(engine, "groups")).toEqual([]);
  });

  it("is continued by the same call after it was cut at any message", async () => {
    for (const settlements of [0, 1, 99, 100, 250, 299]) {
      const engine = engineOf();
      await send(
        engine,
        "orders",
        numbers(300).map((id) => message(id)),
      );
      const output = await migrated(engine, "orders");
      await send(engine, "orders", [message(301)]);

      const cut = completeSource({ engine: interrupted(engine, settlements), entity: "orders", output });
      await expect(cut).rejects.toThrow("killed");
      const left = await engine.peek("orders", { maxMessages: 1_000 });
      const again = await completeSource({ engine, entity: "orders", output });

      expect([left.length, left.every(({ deliveryCount }) => deliveryCount === 0)]).toEqual([301 - settlements, true]);
      expect([again.completed, again.gone]).toEqual([300 - settlements, settlements]);
      expect(await idsIn(engine, "orders")).toEqual(["m-301"]);
    }
  });
});
