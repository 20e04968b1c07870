import type { Engine } from "../../../src/core/engine/engine.ts";
import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decodeMessage } from "../../../src/wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../../src/wire/amqp/message/encode-message.ts";
import { storedConnection } from "../../../src/broker/memory/stored-verbs.ts";
import { StoredHome } from "../../../src/broker/memory/stored-home.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/envelope.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { DirectStore } from "./direct-store.support.ts";
import { storeDirectory } from "./store-directory.support.ts";

let directory = "";
let store: DirectStore | undefined;
beforeEach(async () => {
  directory = await storeDirectory();
});
afterEach(() => {
  store?.kill();
  rmSync(directory, { recursive: true });
});

const clock = new ManualClock();
const queues = { orders: {}, ids: { requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: "PT1M" } };

/** The next life of an engine whose process was killed. */
async function nextLife(): Promise<Engine> {
  store?.kill();
  store = new DirectStore(directory);
  return storedConnection("durable", await StoredHome.open(store, { clock, queues, memoryBudget: 0 }));
}

async function send(engine: Engine, queue: string, ...envelopes: readonly Envelope[]): Promise<void> {
  await (await engine.openSender(queue)).send(envelopes);
}

const named = (messageId: string): Envelope =>
  createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId } });

const idsIn = async (engine: Engine, queue: string): Promise<readonly unknown[]> =>
  (await engine.peek(queue, { maxMessages: 10 })).map(({ envelope }) => envelope.brokerProperties.messageId);

describe("a store whose process was killed", () => {
  it("has every section of a message of the network byte for byte, those that no envelope shows included", async () => {
    const properties = { messageId: "m", subject: "order", to: "there", contentType: "text/plain" };
    const usual = encodeMessage(
      createEnvelope({
        payload: Uint8Array.of(1, 2, 3),
        brokerProperties: properties,
        applicationProperties: { digest: Uint8Array.of(4) },
      }),
    );
    const footer = Uint8Array.of(0x00, 0x53, 0x78, 0xc1, 0x05, 0x02, 0xa3, 0x01, 0x66, 0x41);
    const written = new Uint8Array([...usual, ...footer]);
    await send(await nextLife(), "orders", decodeMessage(written.slice()));

    const [delivery] = await (await nextLife()).peek("orders", { maxMessages: 1 });

    expect(encodeMessage(delivery?.envelope ?? named(""))).toEqual(written);
  });

  it("drops an id that was seen before, until its window is over", async () => {
    await send(await nextLife(), "ids", named("a"));
    const engine = await nextLife();

    await clock.advance(50_000);
    await send(engine, "ids", named("a"), named("b"));
    const within = await idsIn(engine, "ids");
    await clock.advance(11_000);
    await send(engine, "ids", named("a"));

    expect(within).toEqual(["a", "b"]);
    expect(await idsIn(engine, "ids")).toEqual(["a", "b", "a"]);
  });

  it("gives no sequence number again, of messages that are gone neither", async () => {
    const first = await nextLife();
    await send(first, "orders", named("a"), named("b"), named("c"));
    const receiver = await first.openReceiver("orders", { receiveMode: "receiveAndDelete" });
    const taken = await receiver.receive({ maxMessages: 3, maxWaitTimeInMs: 0 });
    const engine = await nextLife();

    await send(engine, "orders", named("d"));

    const [delivery] = await engine.peek("orders", { maxMessages: 1 });
    expect(taken.map(({ sequenceNumber }) => sequenceNumber)).toEqual([1n, 2n, 3n]);
    expect(delivery?.sequenceNumber).toBeGreaterThan(3n);
  });

  it("has nothing of a transaction that was open, and all of one that was committed", async () => {
    const first = await nextLife();
    await send(first, "orders", named("a"));
    const receiver = await first.openReceiver("orders", { receiveMode: "peekLock" });
    const [held] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    const sender = await first.openSender("ids");
    const [open, done] = [await first.begin(), await first.begin()];
    await sender.send([named("open")], { transaction: open });
    await sender.send([named("done")], { transaction: done });
    if (held?.lockToken !== undefined)
      await first.settle("orders", held.lockToken, { kind: "complete" }, { transaction: done });
    await done.commit();

    const engine = await nextLife();

    expect(await idsIn(engine, "ids")).toEqual(["done"]);
    expect(await idsIn(engine, "orders")).toEqual([]);
  });
});
