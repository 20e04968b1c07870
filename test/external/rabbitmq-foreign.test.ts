import { type ConfirmChannel, connect, type ChannelModel } from "amqplib";
import { sample } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rabbitmqEngine } from "../../src/broker/rabbitmq/rabbitmq-engine.ts";
import type { Delivery, Engine } from "../../src/core/engine/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { envelopes } from "../core/envelope/arbitraries.support.ts";
import { RabbitmqServer } from "./rabbitmq-server.support.ts";

let server: RabbitmqServer;
let engine: Engine;
let connection: ChannelModel;
let channel: ConfirmChannel;

beforeAll(async () => {
  server = await RabbitmqServer.create();
  engine = await rabbitmqEngine({ url: server.url(), prefix: "", queues: ["ours", "theirs", "all"] });
  connection = await connect(server.url());
  channel = await connection.createConfirmChannel();
});
afterAll(async () => {
  await connection.close();
  await engine.close();
  await server[Symbol.asyncDispose]();
});

async function taken(queue: string, maxMessages = 1): Promise<readonly Delivery[]> {
  const receiver = await engine.openReceiver(queue, { receiveMode: "receiveAndDelete" });
  const all: Delivery[] = [];
  while (all.length < maxMessages) {
    const some = await receiver.receive({ maxMessages, maxWaitTimeInMs: 5000 });
    if (some.length === 0) break;
    all.push(...some);
  }
  await receiver.close();
  return all;
}

describe("a message that amqplib publishes", () => {
  it("is received with its properties and the types of its headers", async () => {
    channel.sendToQueue("theirs", Buffer.from("{}"), {
      contentType: "application/json",
      contentEncoding: "utf-8",
      messageId: "m-1",
      correlationId: "c-1",
      replyTo: "answers",
      type: "order.placed",
      expiration: "60000",
      timestamp: 1_700_000_000,
      headers: {
        text: "x",
        whole: 5,
        real: 2.5,
        yes: true,
        none: null,
        bytes: Buffer.of(1, 2),
        time: { "!": "timestamp", value: 1_700_000_000 },
        table: { a: [1] },
      },
    });
    const [delivery] = await taken("theirs");

    expect(delivery?.envelope.brokerProperties).toEqual({
      contentType: "application/json",
      contentEncoding: "utf-8",
      messageId: "m-1",
      correlationId: "c-1",
      replyTo: "answers",
      subject: "order.placed",
      timeToLive: 60_000,
    });
    expect({ ...delivery?.envelope.applicationProperties }).toEqual({
      text: "x",
      whole: 5,
      real: 2.5,
      yes: true,
      none: null,
      bytes: Uint8Array.of(1, 2),
      time: new Date(1_700_000_000_000),
      table: '{"a":[1]}',
    });
    expect(delivery?.enqueuedTimeUtc).toEqual(new Date(1_700_000_000_000));
  });

  it("is dead-lettered by name when the driver has rounded one of its numbers", async () => {
    const headers = { id: { "!": "int64", value: 9_007_199_254_740_993n } };
    channel.sendToQueue("theirs", Buffer.from("big"), { headers });

    const [none] = await taken("theirs");
    const [dead] = await taken("theirs/$DeadLetterQueue");

    expect(none).toBeUndefined();
    expect(dead).toMatchObject({ deadLetterReason: "UnsupportedValue" });
    expect(dead?.deadLetterErrorDescription).toContain('The header "id"');
  });

  it("keeps the reason, the source and the count of its death at a queue of theirs", async () => {
    const theirs = { deadLetterExchange: "", deadLetterRoutingKey: "theirs" };
    await channel.assertQueue("orders", theirs);
    channel.sendToQueue("orders", Buffer.from("a"));
    await channel.waitForConfirms();
    const message = await channel.get("orders");
    if (message === false) throw new Error("Nothing was there.");
    channel.reject(message, false);

    const [dead] = await taken("theirs");

    expect(dead).toMatchObject({ deadLetterReason: "Rejected", deadLetterSource: "orders" });
  });
});

describe("a message that the engine publishes", () => {
  it("is native to amqplib", async () => {
    const sender = await engine.openSender("ours");
    const enclosed = {
      payload: Buffer.from("{}"),
      brokerProperties: {
        messageId: "m-1",
        subject: "order.placed",
        contentType: "application/json",
        correlationId: "c",
        replyTo: "r",
        timeToLive: 60_000,
      },
      applicationProperties: { text: "x", whole: 5, big: 2n ** 40n, yes: true },
    };
    await sender.send([createEnvelope(enclosed)]);
    const message = await channel.get("ours", { noAck: true });
    if (message === false) throw new Error("Nothing was there.");

    expect(message.content.toString()).toBe("{}");
    expect(message.properties).toMatchObject({
      messageId: "m-1",
      type: "order.placed",
      contentType: "application/json",
      correlationId: "c",
      replyTo: "r",
      expiration: "60000",
      deliveryMode: 2,
      headers: { text: "x", whole: 5, big: 2 ** 40, yes: true },
    });
  });
});

describe("any envelope", () => {
  it("comes back from RabbitMQ as it was sent, 64-bit integers, dates and AMQP's own types included", async () => {
    // Nothing is to wait or to expire.
    const lasting = { scheduledEnqueueTimeUtc: undefined, timeToLive: undefined };
    const sent = sample(envelopes, { numRuns: 300, seed: 1 }).map((envelope, index) =>
      createEnvelope({
        ...envelope,
        brokerProperties: { ...envelope.brokerProperties, messageId: `m-${index}`, ...lasting },
      }),
    );
    const sender = await engine.openSender("all");
    await sender.send(sent);

    const deliveries = await taken("all", sent.length);

    expect(deliveries).toHaveLength(sent.length);
    for (const [index, { envelope }] of deliveries.entries()) {
      expect(envelope.brokerProperties).toEqual(sent[index]?.brokerProperties);
      expect(envelope.applicationProperties).toEqual(sent[index]?.applicationProperties);
      expect(envelope.payload).toEqual(sent[index]?.payload);
      expect(envelope.bodyKind).toBe(sent[index]?.bodyKind);
    }
  });
});
