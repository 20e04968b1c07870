import { rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/envelope.ts";
import { durableEngine } from "../../../src/broker/durable/index.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";

/**
 * Calls an engine while the file FAULT makes the disk fail: `node fault-process.ts DIRECTORY FAULT KIND`, with the recorder loaded. Prints
 * the ids of what was acknowledged.
 */
const [directory = "", fault = "", kind = ""] = process.argv.slice(2);
const engine = await durableEngine({ directory, queues: ["orders", "work", "spare"] });
const sender = await engine.openSender("orders");
const acknowledged: string[] = [];
let count = 0;

const message = (size = 1024, more: object = {}): Envelope =>
  createEnvelope({ payload: new Uint8Array(size), brokerProperties: { messageId: `message-${++count}`, ...more } });

const later = (): Envelope => message(1, { scheduledEnqueueTimeUtc: new Date(Date.now() + 3_600_000) });

const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

async function send(size?: number): Promise<void> {
  const envelope = message(size);
  await sender.send([envelope]);
  acknowledged.push(String(envelope.brokerProperties.messageId));
}

/** Everything that is there. */
async function all(): Promise<string> {
  const queues = await engine.admin.listQueues();
  const lists = queues.map(async (queue) => {
    const deliveries = await engine.peek(queue, { maxMessages: 1000 });
    return `${queue}: ${deliveries.map(({ envelope, state }) => `${String(envelope.brokerProperties.messageId)} ${state}`).join()}`;
  });
  return (await Promise.all(lists)).join("; ");
}

function expect(what: string, actual: unknown, due: unknown): void {
  if (actual !== due) throw new Error(`${what}: ${String(actual)}, and ${String(due)} was due.`);
}

function expectCode(what: string, error: unknown, code: string): void {
  expect(`the code of ${what} (${kind})`, error instanceof SobreError ? error.code : error, code);
  expect(`whether to try again after ${what}`, error instanceof SobreError && error.retryable, code === "ServiceBusy");
}

/** While the disk takes nothing, every kind of call is refused, and none has an effect. */
async function refusesAndGoesOn(): Promise<void> {
  const work = await engine.openSender("work");
  await work.send([message(), message(), message()]);
  const [scheduled = 0n] = await engine.schedule("work", [later()]);
  const receiver = await engine.openReceiver("work", { receiveMode: "peekLock" });
  const deleter = await engine.openReceiver("work", { receiveMode: "receiveAndDelete" });
  const [held] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
  if (held?.lockToken === undefined) throw new Error("Nothing was received.");
  const transaction = await engine.begin();
  await work.send([message()], { transaction });
  await send();
  const before = await all();
  writeFileSync(fault, kind);
  const calls = {
    "a send": refusal(work.send([message(), message()])),
    "a settlement": refusal(engine.settle("work", held.lockToken, { kind: "complete" })),
    "a hand-over": refusal(receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 })),
    "a removal": refusal(deleter.receive({ maxMessages: 1, maxWaitTimeInMs: 0 })),
    "a schedule": refusal(engine.schedule("work", [later()])),
    "a cancellation": refusal(engine.cancel("work", [scheduled])),
    "a transaction": refusal(transaction.commit()),
    "a creation": refusal(engine.admin.createQueue("new")),
    "a change": refusal(engine.admin.updateQueue("orders", { maxDeliveryCount: 3 })),
    "a deletion": refusal(engine.admin.deleteQueue("spare")),
  };
  for (const [what, call] of Object.entries(calls)) expectCode(what, await call, "ServiceBusy");
  expectCode("a later send", await refusal(sender.send([message()])), "ServiceBusy");
  rmSync(fault);
  for (let waited = 0; (await refusal(engine.admin.listQueues())) !== undefined; waited += 20) {
    if (waited > 10_000) throw new Error(`The engine did not go on after the disk was ${kind}.`);
    await sleep(20);
  }
  expect(`what is there after the disk was ${kind}`, await all(), before);
  expect("the settings of the queue", (await engine.admin.getQueue("orders")).maxDeliveryCount, 10);
  await send();
}

/** After a failed sync or write, every call is refused until a restart, also when the disk is well again. */
async function ends(): Promise<void> {
  await send();
  writeFileSync(fault, kind);
  let failed: unknown;
  // The log is copied into the database when it has 16 MiB.
  for (let left = 100; failed === undefined && left > 0; left--)
    failed = await refusal(send(kind === "database" ? 400_000 : 1));
  expectCode("a send", failed, "Closed");
  rmSync(fault);
  expectCode("a later send", await refusal(send()), "Closed");
  expectCode("a later change", await refusal(engine.admin.createQueue("new")), "Closed");
}

await (kind === "full" || kind === "readonly" ? refusesAndGoesOn() : ends());
await engine.close();
process.stdout.write(acknowledged.join(" "));
