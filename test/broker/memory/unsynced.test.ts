import type { Engine } from "../../../src/core/engine/engine.ts";
import { rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ReceiveMode } from "../../../src/core/engine/delivery.ts";
import type { EngineReceiver, EngineSender } from "../../../src/core/engine/engine.ts";
import { storedConnection } from "../../../src/broker/memory/stored-verbs.ts";
import { StoredHome } from "../../../src/broker/memory/stored-home.ts";
import type { StoreFact } from "../../../src/broker/memory/store.ts";
import { createEnvelope } from "../../../src/core/envelope/envelope.ts";
import { DirectStore } from "../durable/direct-store.support.ts";
import { storeDirectory } from "../durable/store-directory.support.ts";

/** A store whose disk takes as long as the test says. */
class SlowStore extends DirectStore {
  /** Of each batch: how many messages it has, and whether another one follows. */
  readonly batches: (readonly [number, boolean])[] = [];
  #waiting: Promise<void> | undefined;
  #go: (() => void) | undefined;

  override async commit(facts: readonly StoreFact[], isFollowed: boolean): Promise<void> {
    this.batches.push([facts.filter(({ kind }) => kind === "message").length, isFollowed]);
    await this.#waiting;
    await super.commit(facts, isFollowed);
  }

  hold(): void {
    this.#waiting = new Promise((resolve) => (this.#go = resolve));
  }

  release(): void {
    this.#go?.();
  }
}

const message = createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId: "one" } });

let directory = "";
let store: SlowStore;
let engine: Engine;
let sender: EngineSender;

beforeEach(async () => {
  directory = await storeDirectory();
  store = new SlowStore(directory);
  engine = storedConnection("durable", await StoredHome.open(store, { queues: ["orders"], memoryBudget: 2 ** 20 }));
  sender = await engine.openSender("orders");
});
afterEach(async () => {
  await engine.close();
  await rm(directory, { recursive: true });
});

const open = (receiveMode: ReceiveMode): Promise<EngineReceiver> => engine.openReceiver("orders", { receiveMode });
const one = { maxMessages: 1, maxWaitTimeInMs: 0 };

/** Which of the calls have resolved while the disk writes, and which once it has written. */
async function resolved(calls: Readonly<Record<string, Promise<unknown>>>): Promise<readonly (readonly string[])[]> {
  const done: string[] = [];
  for (const [name, call] of Object.entries(calls)) void call.then(() => done.push(name));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  const before = [...done];
  store.release();
  await Promise.all(Object.values(calls));
  return [before, done];
}

describe("a memory engine whose store is writing", () => {
  it("neither answers a send nor hands its message over before both are on disk", async () => {
    const receiver = await open("peekLock");
    store.hold();

    const calls = await resolved({ send: sender.send([message]), receive: receiver.receive(one) });

    expect(calls).toEqual([[], ["send", "receive"]]);
  });

  it("hands nothing over under peek-lock before its delivery is on disk", async () => {
    const receiver = await open("peekLock");
    await sender.send([message]);
    store.hold();

    expect(await resolved({ receive: receiver.receive(one) })).toEqual([[], ["receive"]]);
  });

  it("hands nothing over that is deleted on receipt before its removal is on disk", async () => {
    const receiver = await open("receiveAndDelete");
    await sender.send([message]);
    store.hold();

    expect(await resolved({ receive: receiver.receive(one) })).toEqual([[], ["receive"]]);
  });

  it("answers settlements, session states and changes of entities once they are on disk", async () => {
    await engine.admin.createQueue("work", { requiresSession: true });
    const receiver = await open("peekLock");
    await sender.send([message]);
    const [delivery] = await receiver.receive(one);
    if (delivery?.lockToken === undefined) throw new Error("Nothing was received.");
    const session = await engine.acceptSession("work", { receiveMode: "peekLock", sessionId: "s", maxWaitTimeInMs: 0 });
    store.hold();

    const calls = await resolved({
      settle: engine.settle("orders", delivery.lockToken, { kind: "complete" }),
      state: session.setSessionState(Uint8Array.of(1)),
      create: engine.admin.createQueue("more"),
    });

    expect(calls.map((names) => names.toSorted())).toEqual([[], ["create", "settle", "state"]]);
  });

  it("gets all that is sent in one turn of the event loop, knowing which batch is the last", async () => {
    store.batches.length = 0;

    await Promise.all(Array.from({ length: 150 }, () => sender.send([message])));
    await sender.send([message]);

    expect(store.batches).toEqual([
      [64, true],
      [64, true],
      [22, false],
      [1, false],
    ]);
  });
});
