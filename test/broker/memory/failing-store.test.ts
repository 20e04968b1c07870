import { rm } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { storedConnection } from "../../../src/broker/memory/stored-verbs.ts";
import { StoredHome } from "../../../src/broker/memory/stored-home.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/envelope.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { DirectStore } from "../durable/direct-store.support.ts";
import { storeDirectory } from "../durable/store-directory.support.ts";
import type { StoreFact } from "../../../src/broker/memory/store.ts";

/** A store whose disk is full for as long as the test says. */
class FullStore extends DirectStore {
  failure: SobreError | undefined;
  #freed: (() => void) | undefined;

  override async commit(facts: readonly StoreFact[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    await super.commit(facts);
  }

  override recovered(): Promise<void> {
    return new Promise((resolve) => (this.#freed = resolve));
  }

  free(): void {
    this.failure = undefined;
    this.#freed?.();
  }
}

const message = (messageId: string): Envelope =>
  createEnvelope({ payload: new Uint8Array([1]), brokerProperties: { messageId } });

let directory = "";
afterEach(() => rm(directory, { recursive: true }));

async function openEngine(): Promise<{ readonly engine: Engine; readonly store: FullStore }> {
  directory = await storeDirectory();
  const store = new FullStore(directory);
  const home = await StoredHome.open(store, { queues: ["orders"], memoryBudget: 2 ** 20 });
  return { engine: storedConnection("durable", home), store };
}

const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a memory engine whose store fails", () => {
  it("keeps nothing of what it refused, and goes on over the same links when there is space again", async () => {
    const { engine, store } = await openEngine();
    const sender = await engine.openSender("orders");
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    await sender.send([message("before")]);
    store.failure = new SobreError("ServiceBusy", "The disk is full.");

    const refused = await Promise.all([
      refusal(sender.send([message("lost")])),
      refusal(sender.send([message("too")])),
    ]);
    expect(refused).toMatchObject([{ code: "ServiceBusy" }, { code: "ServiceBusy" }]);
    expect(await refusal(engine.peek("orders", { maxMessages: 1 }))).toMatchObject({ code: "ServiceBusy" });
    store.free();
    await expect.poll(() => refusal(sender.send([message("after")])), { interval: 1 }).toBe(undefined);

    const deliveries = await receiver.receive({ maxMessages: 10, maxWaitTimeInMs: 0 });
    expect(deliveries.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(["before", "after"]);
    await engine.close();
  });

  it("loses the locks it had, and refuses whoever waits", async () => {
    const { engine, store } = await openEngine();
    const sender = await engine.openSender("orders");
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    await sender.send([message("held")]);
    const [held] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    const waiting = refusal(receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 }));
    store.failure = new SobreError("ServiceBusy", "The disk is full.");
    await refusal(sender.send([message("lost")]));

    expect(await waiting).toMatchObject({ code: "ServiceBusy" });
    store.free();
    await expect.poll(() => refusal(sender.send([message("after")])), { interval: 1 }).toBe(undefined);
    const token = held?.lockToken;
    if (token === undefined) throw new Error("Nothing was held.");
    expect(await refusal(engine.settle("orders", token, { kind: "complete" }))).toMatchObject({
      code: "MessageLockLost",
    });
    await engine.close();
  });

  it("loses every batch after one that failed, and reports it to each of their callers", async () => {
    const { engine, store } = await openEngine();
    const sender = await engine.openSender("orders");
    await sender.send([message("before")]);
    store.failure = new SobreError("ServiceBusy", "The disk is full.");

    // More than one batch is handed to the store at once.
    const refused = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => refusal(sender.send([message(`lost-${index}`)]))),
    );
    expect(refused.every((error) => error instanceof SobreError && error.code === "ServiceBusy")).toBe(true);
    store.free();
    await expect.poll(() => refusal(sender.send([message("after")])), { interval: 1 }).toBe(undefined);

    const deliveries = await engine.peek("orders", { maxMessages: 10 });
    expect(deliveries.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(["before", "after"]);
    await engine.close();
  });

  it("refuses everything after a failed sync", async () => {
    const { engine, store } = await openEngine();
    const sender = await engine.openSender("orders");
    store.failure = new SobreError("Closed", "The store has failed.");

    expect(await refusal(sender.send([message("lost")]))).toMatchObject({ code: "Closed" });
    store.failure = undefined;
    expect(await refusal(sender.send([message("again")]))).toMatchObject({ code: "Closed" });
    expect(await refusal(engine.admin.listQueues())).toMatchObject({ code: "Closed" });
    await engine.close();
  });
});
