import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rabbitmqEngine } from "../../src/broker/rabbitmq/rabbitmq-engine.ts";
import type { Delivery, Engine, EngineReceiver } from "../../src/core/engine/index.ts";
import { type BrokerPropertiesInit, createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { RabbitmqServer } from "./rabbitmq-server.support.ts";

let server: RabbitmqServer;
let engine: Engine;

beforeAll(async () => {
  server = await RabbitmqServer.create();
  engine = await rabbitmqEngine({ url: server.url(), queues: ["warm-up"] });
  // The first message that is scheduled declares the ladder, which takes its time.
  await send("warm-up", message("a", { scheduledEnqueueTimeUtc: inMs(1000) }));
});
afterAll(async () => {
  await engine.close();
  await server[Symbol.asyncDispose]();
});

const message = (messageId: string, properties: BrokerPropertiesInit = {}): Envelope =>
  createEnvelope({ payload: Buffer.from(messageId), brokerProperties: { messageId, ...properties } });
const inMs = (milliseconds: number): Date => new Date(Date.now() + milliseconds);
const idOf = ({ envelope }: Delivery): unknown => envelope.brokerProperties.messageId;

async function send(entity: string, ...envelopes: readonly Envelope[]): Promise<void> {
  const sender = await engine.openSender(entity);
  await sender.send(envelopes);
  await sender.close();
}

const open = (entity: string): Promise<EngineReceiver> =>
  engine.openReceiver(entity, { receiveMode: "receiveAndDelete" });

/** So many messages, as soon as they have arrived; what else is there, too. */
async function taken(entity: string, count: number): Promise<readonly Delivery[]> {
  const receiver = await open(entity);
  const all: Delivery[] = [];
  for (;;) {
    const maxWaitTimeInMs = all.length < count ? 30_000 : 0;
    const some = await receiver.receive({ maxMessages: 100, maxWaitTimeInMs });
    if (some.length === 0) break;
    all.push(...some);
  }
  await receiver.close();
  return all;
}

describe.concurrent("times on RabbitMQ", () => {
  it("dead-letter an expired message with its reason, without anybody receiving", async () => {
    await engine.admin.createQueue("expiring", { deadLetteringOnMessageExpiration: true });
    await send("expiring", message("a", { timeToLive: 300 }), message("b"));

    const [dead] = await taken("expiring/$DeadLetterQueue", 1);

    expect(dead).toMatchObject({ deadLetterReason: "TTLExpiredException", deadLetterSource: undefined });
    expect(dead?.envelope.applicationProperties["DeadLetterReason"]).toBe("TTLExpiredException");
    expect((await taken("expiring", 1)).map(idOf)).toEqual(["b"]);
  });

  it("drop an expired message that lies under one that lives longer", async () => {
    await engine.admin.createQueue("short-last", {});
    await send("short-last", message("long", { timeToLive: 60_000 }), message("short", { timeToLive: 300 }));
    await setTimeout(400);

    expect((await taken("short-last", 1)).map(idOf)).toEqual(["long"]);
    expect(await taken("short-last/$DeadLetterQueue", 0)).toEqual([]);
  });

  it("forward an expired message with the entity that it comes from", async () => {
    await engine.admin.createQueue("all-dead");
    await engine.admin.createQueue("expires-there", {
      deadLetteringOnMessageExpiration: true,
      forwardDeadLetteredMessagesTo: "all-dead",
    });
    await send("expires-there", message("a", { timeToLive: 300 }));

    const [dead] = await taken("all-dead", 1);

    expect(dead).toMatchObject({
      deadLetterReason: "TTLExpiredException",
      deadLetterSource: "expires-there",
      deliveryCount: 0,
    });
  });

  it("deliver scheduled messages in the order of their times, not before and at most two seconds after", async () => {
    await engine.admin.createQueue("scheduled");
    const due = inMs(3000);
    await send(
      "scheduled",
      message("third", { scheduledEnqueueTimeUtc: inMs(7000) }),
      message("second", { scheduledEnqueueTimeUtc: due }),
      message("first"),
    );

    const receiver = await open("scheduled");
    const seen: (readonly [unknown, number])[] = [];
    while (seen.length < 3) {
      const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 20_000 });
      if (delivery === undefined) break;
      seen.push([idOf(delivery), Date.now()]);
      if (seen.length === 2) expect(delivery.enqueuedTimeUtc).toEqual(due);
    }
    await receiver.close();

    expect(seen.map(([id]) => id)).toEqual(["first", "second", "third"]);
    expect(seen[1]?.[1]).toBeGreaterThanOrEqual(due.getTime());
    expect(seen[1]?.[1]).toBeLessThan(due.getTime() + 2000);
  });

  it("schedule on a topic, by the rules of the time when the message is due", async () => {
    await engine.admin.createTopic("later");
    await engine.admin.createSubscription("later", "early");
    const numbers = await engine.schedule("later", [message("a", { scheduledEnqueueTimeUtc: inMs(2000) })]);
    await engine.admin.createSubscription("later", "late");

    expect(numbers).toEqual([0n]);
    expect((await taken("later/Subscriptions/early", 1)).map(idOf)).toEqual(["a"]);
    expect((await taken("later/Subscriptions/late", 1)).map(idOf)).toEqual(["a"]);
  });

  it("count the time to live of a scheduled message from its time on", async () => {
    await engine.admin.createQueue("scheduled-life");
    await send("scheduled-life", message("a", { scheduledEnqueueTimeUtc: inMs(2000), timeToLive: 500 }));
    await setTimeout(4500);

    expect(await taken("scheduled-life", 0)).toEqual([]);
  });

  it("forward a message at once, from queues and subscriptions, to queues and topics", async () => {
    await engine.admin.createQueue("end");
    await engine.admin.createTopic("crossing");
    await engine.admin.createSubscription("crossing", "on", {
      forwardTo: "end",
      rules: [{ name: "r", filter: { kind: "sql", expression: "sys.MessageId LIKE 'g%'" } }],
    });
    await engine.admin.createQueue("start", { forwardTo: "crossing" });
    await send("start", message("go"), message("stay"));

    const deliveries = await taken("end", 1);

    expect(deliveries.map(idOf)).toEqual(["go"]);
    expect(deliveries[0]).toMatchObject({ deadLetterReason: undefined, deadLetterSource: undefined });
  });

  it("return a message whose lock has run out, with one delivery more", async () => {
    await engine.admin.createQueue("locks", { lockDuration: 500, maxDeliveryCount: 2 });
    await send("locks", message("a"));
    const receiver = await engine.openReceiver("locks", { receiveMode: "peekLock" });
    const counts: number[] = [];
    for (let round = 0; round < 2; round++) {
      const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 15_000 });
      counts.push(delivery?.deliveryCount ?? -1);
    }
    const [dead] = await taken("locks/$DeadLetterQueue", 1);

    expect(counts).toEqual([0, 1]);
    expect(dead).toMatchObject({ deadLetterReason: "MaxDeliveryCountExceeded", deliveryCount: 2 });
  });
});
