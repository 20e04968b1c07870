import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import type { Delivery } from "../../../src/core/engine/delivery.ts";
import type { Engine, Transaction } from "../../../src/core/engine/engine.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/envelope.ts";
import { SqliteStore } from "../../../src/broker/durable/sqlite-store.ts";
import { storedConnection } from "../../../src/broker/memory/stored-verbs.ts";
import { StoredHome } from "../../../src/broker/memory/stored-home.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";

/**
 * Loads a durable engine until it is killed: `node load-process.ts DIRECTORY CYCLE`.
 *
 * Every call has a line when it begins and one when it is acknowledged: `KIND begun|done ARGUMENTS`.
 */
const [directory = "", cycle = "0"] = process.argv.slice(2);

// Whoever stops the proof leaves no load behind.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 1000).unref();

const setup = {
  queues: {
    plain: { lockDuration: 300_000, maxDeliveryCount: 100_000 },
    ordered: { lockDuration: 300_000, maxDeliveryCount: 100_000, requiresSession: true },
  },
  memoryBudget: 64 * 1024,
};

const say = (kind: string, when: "begun" | "done", text: string): void =>
  void writeSync(1, `${kind} ${when} ${text}\n`);

let count = 0;
const fresh = (): string => `id-${cycle}-${++count}-`;

const message = (messageId: string, more: object = {}): Envelope =>
  createEnvelope({
    payload: new Uint8Array(200 + (count % 7) * 400),
    brokerProperties: { messageId, ...more },
  });

const idOf = (delivery: Delivery): string => String(delivery.envelope.brokerProperties.messageId);

async function seen(kind: string, queue: string, deliveries: readonly Delivery[]): Promise<void> {
  for (const delivery of deliveries) say(kind, "done", `${queue} ${idOf(delivery)} ${delivery.sequenceNumber}`);
}

async function sender(engine: Engine): Promise<never> {
  const link = await engine.openSender("plain");
  for (;;) {
    const id = fresh();
    say("send", "begun", `plain ${id}`);
    await link.send([message(id)]);
    say("send", "done", `plain ${id}`);
  }
}

async function scheduler(engine: Engine): Promise<never> {
  for (;;) {
    const id = fresh();
    const scheduledEnqueueTimeUtc = new Date(Date.now() + 5 + (count % 40) * 10);
    say("send", "begun", `plain ${id}`);
    await engine.schedule("plain", [message(id, { scheduledEnqueueTimeUtc })]);
    say("send", "done", `plain ${id}`);
  }
}

async function orderedSender(engine: Engine, session: string): Promise<never> {
  const link = await engine.openSender("ordered");
  for (;;) {
    const id = `${fresh()}${session}`;
    say("send", "begun", `ordered ${id}`);
    await link.send([message(id, { sessionId: session })]);
    say("send", "done", `ordered ${id}`);
  }
}

async function receiver(engine: Engine): Promise<never> {
  const link = await engine.openReceiver("plain", { receiveMode: "peekLock" });
  for (;;) {
    const deliveries = await link.receive({ maxMessages: 3, maxWaitTimeInMs: 1000 });
    await seen("delivered", "plain", deliveries);
    for (const [index, delivery] of deliveries.entries()) {
      const token = delivery.lockToken;
      if (token === undefined) throw new Error("A delivery under peek-lock has no token.");
      if (index === 2) {
        await engine.settle("plain", token, { kind: "abandon" });
        continue;
      }
      say("complete", "begun", `plain ${idOf(delivery)}`);
      await engine.settle("plain", token, { kind: "complete" });
      say("complete", "done", `plain ${idOf(delivery)}`);
    }
  }
}

async function deleter(engine: Engine): Promise<never> {
  const link = await engine.openReceiver("plain", { receiveMode: "receiveAndDelete" });
  for (;;) {
    say("take", "begun", "plain");
    await seen("take", "plain", await link.receive({ maxMessages: 2, maxWaitTimeInMs: 1000 }));
  }
}

async function mover(engine: Engine): Promise<never> {
  const link = await engine.openReceiver("plain", { receiveMode: "peekLock" });
  const back = await engine.openSender("plain");
  for (;;) {
    const [delivery] = await link.receive({ maxMessages: 1, maxWaitTimeInMs: 1000 });
    if (delivery?.lockToken === undefined) continue;
    const id = fresh();
    const transaction: Transaction = await engine.begin();
    await engine.settle("plain", delivery.lockToken, { kind: "complete" }, { transaction });
    await back.send([message(id)], { transaction });
    say("move", "begun", `plain ${idOf(delivery)} ${id}`);
    await transaction.commit();
    say("move", "done", `plain ${idOf(delivery)} ${id}`);
  }
}

async function sessionReceiver(engine: Engine): Promise<never> {
  for (;;) {
    const options = { receiveMode: "peekLock", sessionId: undefined, maxWaitTimeInMs: 1000 } as const;
    const link = await engine.acceptSession("ordered", options).catch((error: unknown) => {
      if (error instanceof SobreError && error.code === "ServiceTimeout") return undefined;
      throw error;
    });
    if (link === undefined) continue;
    for (let taken = 0; taken < 4; taken++) {
      const [delivery] = await link.receive({ maxMessages: 1, maxWaitTimeInMs: 20 });
      if (delivery?.lockToken === undefined) break;
      await seen("delivered", "ordered", [delivery]);
      say("state", "begun", `${link.sessionId} ${idOf(delivery)}`);
      await link.setSessionState(Buffer.from(idOf(delivery)));
      say("state", "done", `${link.sessionId} ${idOf(delivery)}`);
      say("complete", "begun", `ordered ${idOf(delivery)}`);
      await engine.settle("ordered", delivery.lockToken, { kind: "complete" });
      say("complete", "done", `ordered ${idOf(delivery)}`);
    }
    await link.close();
  }
}

// The next life starts with these modules compiled; a killed process would not leave them.
if (cycle === "1") flushCompileCache();
const store = await SqliteStore.open(directory);
const home = await StoredHome.open(store, setup);
const engine = storedConnection("durable", home);
say("open", "done", cycle);
const sessions = ["s1", "s2", "s3"].map((session) => orderedSender(engine, session));
const workers: readonly Promise<unknown>[] = [
  ...Array.from({ length: 4 }, () => sender(engine)),
  scheduler(engine),
  ...sessions,
  receiver(engine),
  receiver(engine),
  receiver(engine),
  deleter(engine),
  mover(engine),
  ...Array.from({ length: 3 }, () => sessionReceiver(engine)),
];
await Promise.all(workers).catch((error: unknown) => {
  say("failed", "done", error instanceof SobreError ? `${error.code} ${error.message}` : String(error));
  process.exitCode = 1;
});
