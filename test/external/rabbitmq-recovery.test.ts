import { setTimeout } from "node:timers/promises";
import { connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rabbitmqEngine } from "../../src/broker/rabbitmq/rabbitmq-engine.ts";
import type { Delivery, Engine, EngineReceiver } from "../../src/core/engine/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { SobreError } from "../../src/core/errors/index.ts";
import { RabbitmqServer } from "./rabbitmq-server.support.ts";

let server: RabbitmqServer;

beforeAll(async () => {
  server = await RabbitmqServer.create();
});
afterAll(() => server[Symbol.asyncDispose]());

const message = (messageId: string): Envelope =>
  createEnvelope({ payload: Buffer.from(messageId), brokerProperties: { messageId } });
const idOf = ({ envelope }: Delivery): unknown => envelope.brokerProperties.messageId;

/** Repeats what fails while the broker is away, as a client does. */
async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof SobreError) || !error.retryable || attempt > 200) throw error;
      await setTimeout(100);
    }
  }
}

async function send(engine: Engine, queue: string, ...ids: readonly string[]): Promise<void> {
  const sender = await engine.openSender(queue);
  await sender.send(ids.map(message));
}

const receiverOf = (engine: Engine, queue: string): Promise<EngineReceiver> =>
  engine.openReceiver(queue, { receiveMode: "peekLock" });

async function completeAll(engine: Engine, queue: string, receiver: EngineReceiver): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  for (;;) {
    const some = await receiver.receive({ maxMessages: 50, maxWaitTimeInMs: 1000 });
    if (some.length === 0) return ids;
    for (const { lockToken } of some) if (lockToken) await engine.settle(queue, lockToken, { kind: "complete" });
    ids.push(...some.map(idOf));
  }
}

describe("a RabbitMQ that is killed and starts again", () => {
  it("keeps what it has confirmed, and the links go on over new connections", async () => {
    const engine = await rabbitmqEngine({ url: server.url(), prefix: "killed.", queues: ["orders"] });
    const sender = await engine.openSender("orders");
    const receiver = await receiverOf(engine, "orders");
    await sender.send(["a", "b", "c"].map(message));
    const [held] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 1000 });
    if (held?.lockToken === undefined) throw new Error("Nothing was delivered.");

    // Queues that are killed as they are made may never have a leader again.
    await setTimeout(3000);
    await server.kill();
    const down = await sender.send([message("lost")]).catch((error: unknown) => error);
    await server.start();
    await retried(() => sender.send([message("d")]));
    await retried(() => engine.admin.getQueue("orders"));
    const late = await engine.settle("orders", held.lockToken, { kind: "complete" }).catch((error: unknown) => error);
    const ids = await retried(() => completeAll(engine, "orders", receiver));

    expect(down).toMatchObject({ code: "ServiceCommunicationProblem", retryable: true });
    expect(late).toMatchObject({ code: "MessageLockLost" });
    expect(new Set(ids)).toEqual(new Set(["a", "b", "c", "d"]));
    expect(ids).toHaveLength(4);
    await engine.close();
  });

  it("refuses a receive that is waiting as retryable", async () => {
    const engine = await rabbitmqEngine({ url: server.url(), prefix: "waiting.", queues: ["orders"] });
    const receiver = await receiverOf(engine, "orders");
    const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 }).catch((error: unknown) => error);
    await setTimeout(300);

    await server.kill();
    const outcome = await waiting;
    await server.start();

    expect(outcome).toMatchObject({ code: "ServiceCommunicationProblem", retryable: true });
    await engine.close();
  });
});

describe("several processes on one RabbitMQ", () => {
  it("see each other's entities, and one of two equal creations is refused", async () => {
    const options = { url: server.url(), prefix: "shared." };
    const [one, two] = [await rabbitmqEngine(options), await rabbitmqEngine(options)];

    const creations = await Promise.allSettled([one.admin.createQueue("q"), two.admin.createQueue("Q")]);
    await one.admin.createTopic("t");
    await one.admin.createSubscription("t", "s", { rules: [] });
    await two.admin.createRule("t", "s", "r", { filter: { kind: "true" } });
    await send(two, "t", "a");
    const receiver = await receiverOf(one, "T/subscriptions/S");

    expect(new Set(creations.map(({ status }) => status))).toEqual(new Set(["fulfilled", "rejected"]));
    expect(creations.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "MessagingEntityAlreadyExists" },
    });
    expect(await two.admin.listQueues()).toEqual(await one.admin.listQueues());
    expect((await receiver.receive({ maxMessages: 5, maxWaitTimeInMs: 1000 })).map(idOf)).toEqual(["a"]);
    await one.close();
    await two.close();
  });

  it("find the entities of an earlier one, with their options", async () => {
    const options = { url: server.url(), prefix: "kept." };
    const first = await rabbitmqEngine({ ...options, queues: { q: { lockDuration: "5s", userMetadata: "ours" } } });
    await first.close();

    const second = await rabbitmqEngine(options);

    expect(await second.admin.getQueue("q")).toMatchObject({ lockDuration: 5000, userMetadata: "ours" });
    await second.close();
  });

  it("share a queue: each message is delivered to one of them, and those of a closed one again", async () => {
    const options = { url: server.url(), prefix: "competing." };
    const [one, two] = [await rabbitmqEngine({ ...options, queues: ["q"] }), await rabbitmqEngine(options)];
    await send(one, "q", "a", "b", "c", "d");
    const [first, second] = [await receiverOf(one, "q"), await receiverOf(two, "q")];
    const taken = await first.receive({ maxMessages: 2, maxWaitTimeInMs: 1000 });
    const others = await second.receive({ maxMessages: 10, maxWaitTimeInMs: 1000 });
    await one.close();
    const again = await second.receive({ maxMessages: 10, maxWaitTimeInMs: 5000 });

    expect(taken.map(idOf)).toEqual(["a", "b"]);
    expect(others.map(idOf)).toEqual(["c", "d"]);
    expect(again.map(idOf)).toContain("a");
    await two.close();
  });
});

describe("what others do to RabbitMQ", () => {
  it("ends a receive as MessagingEntityNotFound when another client deletes its queue", async () => {
    const engine = await rabbitmqEngine({ url: server.url(), prefix: "gone.", queues: ["q"] });
    const receiver = await receiverOf(engine, "q");
    const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 }).catch((error: unknown) => error);
    await setTimeout(300);
    const other = await connect(server.url());
    const channel = await other.createChannel();
    await channel.deleteQueue("gone.q");

    expect(await waiting).toMatchObject({ code: "MessagingEntityNotFound" });
    expect(await send(engine, "q", "a").catch((error: unknown) => error)).toMatchObject({
      code: "MessagingEntityNotFound",
    });
    await other.close();
    await engine.close();
  });
});
