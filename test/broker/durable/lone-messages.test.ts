import type { Engine } from "../../../src/core/engine/engine.ts";
import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storedConnection } from "../../../src/broker/memory/stored-verbs.ts";
import { StoredHome, type StoredEngineOptions } from "../../../src/broker/memory/stored-home.ts";
import type { StoreFact } from "../../../src/broker/memory/store.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/envelope.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { DirectStore } from "./direct-store.support.ts";
import { storeDirectory } from "./store-directory.support.ts";

/** A store that records the kinds of the facts in each batch. */
class RecordingStore extends DirectStore {
  readonly batches: (readonly StoreFact["kind"][])[] = [];
  /** Refuses the next batch. */
  failure: SobreError | undefined;

  override async commit(facts: readonly StoreFact[]): Promise<void> {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    this.batches.push(facts.map(({ kind }) => kind));
    await super.commit(facts);
  }

  override async recovered(): Promise<void> {}
}

const start = Date.UTC(2026, 10, 26);
const clock = new ManualClock(start);

let directory = "";
let store: RecordingStore;
let engine: Engine;

async function open(options: Omit<StoredEngineOptions, "clock" | "memoryBudget"> = {}): Promise<void> {
  store = new RecordingStore(directory);
  engine = storedConnection("durable", await StoredHome.open(store, { ...options, clock, memoryBudget: 2 ** 20 }));
}

async function killAndOpen(): Promise<void> {
  store.kill();
  await open();
}

beforeEach(async () => {
  directory = await storeDirectory();
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

const message = (brokerProperties: Envelope["brokerProperties"] = {}): Envelope =>
  createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId: "one", ...brokerProperties } });

async function send(queue: string, envelope = message()): Promise<void> {
  const sender = await engine.openSender(queue);
  await sender.send([envelope]);
}

async function complete(queue: string): Promise<void> {
  const receiver = await engine.openReceiver(queue, { receiveMode: "peekLock" });
  const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
  if (delivery?.lockToken === undefined) throw new Error(`No message was in ${queue}.`);
  await engine.settle(queue, delivery.lockToken, { kind: "complete" });
}

async function numbersIn(queue: string): Promise<readonly bigint[]> {
  return (await engine.peek(queue, { maxMessages: 100 })).map(({ sequenceNumber }) => sequenceNumber);
}

describe("a message that is sent alone to a durable engine", () => {
  it("is all that its commit writes, until a message may be gone", async () => {
    await open({ queues: ["orders"] });
    store.batches.length = 0;

    await send("orders");
    await send("orders");
    await complete("orders");

    expect(store.batches).toEqual([["message"], ["message"], ["status", "numbers", "used"], ["removed"]]);
  });

  it.each([{ enablePartitioning: false }, { enablePartitioning: true }])(
    "keeps its number from being given again after a kill, with %j",
    async (settings) => {
      await open({ queues: { orders: settings } });
      await send("orders", message({ partitionKey: "a" }));
      await send("orders", message({ partitionKey: "a" }));
      await killAndOpen();
      await send("orders", message({ partitionKey: "a" }));

      const [first = 0n, ...others] = await numbersIn("orders");

      expect(others).toEqual([first + 1n, first + 2n]);
    },
  );

  it("keeps its number from being given again after it was completed", async () => {
    await open({ queues: ["orders"] });
    await send("orders");
    await complete("orders");
    await killAndOpen();
    await send("orders");

    expect(await numbersIn("orders")).toEqual([2n]);
  });

  it.each(["kill", "close"])(
    "keeps its number from being given again when it is completed after a restart, and then a %s",
    async (end) => {
      await open({ queues: ["orders"] });
      await send("orders");
      await killAndOpen();
      await complete("orders");
      if (end === "close") await engine.close();
      else store.kill();
      await open();
      await send("orders");

      expect(await numbersIn("orders")).toEqual([2n]);
    },
  );

  it("keeps the numbers of dead letters from being given again after two restarts", async () => {
    await open({ queues: ["orders"] });
    await send("orders");
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (delivery?.lockToken === undefined) throw new Error("No message was there.");
    await engine.settle("orders", delivery.lockToken, { kind: "deadLetter" });
    await killAndOpen();
    await complete("orders/$DeadLetterQueue");
    await killAndOpen();
    await send("orders");

    expect(await numbersIn("orders")).toEqual([2n]);
  });

  it("keeps its number from being given again when the store has failed and recovered before it is completed", async () => {
    await open({ queues: ["orders"] });
    await send("orders");
    store.failure = new SobreError("ServiceBusy", "The disk is full.");
    await expect(send("orders")).rejects.toMatchObject({ code: "ServiceBusy" });
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await complete("orders");
    await engine.close();
    await open();
    await send("orders");

    expect(await numbersIn("orders")).toEqual([2n]);
  });

  it.each(["cancelled", "expired"])("keeps its number from being given again after it was %s", async (how) => {
    await open({ queues: ["orders"] });
    if (how === "expired") await send("orders", message({ timeToLive: 1000 }));
    else {
      const [number = 0n] = await engine.schedule("orders", [
        message({ scheduledEnqueueTimeUtc: new Date(clock.now() + 60_000) }),
      ]);
      await engine.cancel("orders", [number]);
    }
    await clock.advance(2000);
    expect(await numbersIn("orders")).toEqual([]);
    await killAndOpen();
    await send("orders");

    expect(await numbersIn("orders")).toEqual([2n]);
  });

  it("says when its queue was used, after a kill and after a close", async () => {
    await open({ queues: ["orders"] });
    await clock.advance(5000);
    await send("orders");
    const sentAt = new Date(clock.now());
    await clock.advance(60_000);
    const accessedAt = async (): Promise<Date> => (await engine.admin.getQueueRuntimeProperties("orders")).accessedAt;

    await killAndOpen();
    expect(await accessedAt()).toEqual(sentAt);
    await engine.close();
    await open();

    expect(await accessedAt()).toEqual(sentAt);
  });

  it("counts as use of a queue that is deleted when idle, from when it was sent", async () => {
    await open({ queues: { orders: { autoDeleteOnIdle: "PT5M" } } });
    await clock.advance(240_000);
    await send("orders");
    await killAndOpen();

    await clock.advance(299_000);
    expect(await engine.admin.listQueues()).toEqual(["orders"]);
    await clock.advance(2000);
    expect(await engine.admin.listQueues()).toEqual([]);
  });
});
