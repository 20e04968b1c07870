import { connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rabbitmqEngine, type RabbitmqEngineOptions } from "../../src/broker/rabbitmq/rabbitmq-engine.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { RabbitmqServer } from "./rabbitmq-server.support.ts";

let server: RabbitmqServer;
let engine: Engine;

beforeAll(async () => {
  server = await RabbitmqServer.create();
  engine = await rabbitmqEngine({ url: server.url(), queues: ["q"] });
});
afterAll(async () => {
  await engine.close();
  await server[Symbol.asyncDispose]();
});

const failure = async (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const opened = (options: Partial<RabbitmqEngineOptions>): Promise<unknown> =>
  failure(rabbitmqEngine({ url: server.url(), ...options }));

describe("an engine on RabbitMQ that cannot be opened", () => {
  it.each([
    ["another protocol", () => "http://localhost", "InvalidArgument", false],
    ["no address at all", () => "amqp://[", "InvalidArgument", false],
    ["a port that nobody listens on", () => "amqp://127.0.0.1:1", "ServiceCommunicationProblem", true],
    ["a wrong password", () => server.url().replace("guest:guest", "guest:other"), "UnauthorizedAccess", true],
    ["a missing virtual host", () => server.url("guest", "nowhere"), "InvalidOperation", false],
    ["a user without rights", () => server.url("reader"), "UnauthorizedAccess", true],
  ])("says so for %s", async (_what, url, code, retryable) => {
    expect(await opened({ url: url() })).toMatchObject({ code, retryable });
  });

  it("never shows the password", async () => {
    const error = await opened({ url: server.url().replace("guest:guest", "guest:secret-word") });

    expect(String(error)).not.toContain("secret-word");
  });

  it.each([
    [{ prefix: "x".repeat(61) }, "$.prefix"],
    [{ heartbeat: 5 }, "$.heartbeat"],
  ])("names a wrong option", async (options, path) => {
    expect(await opened(options)).toMatchObject({ code: "InvalidArgument", path });
  });
});

describe("an entity on RabbitMQ that cannot be created", () => {
  it.each([
    [{ requiresSession: true }, "sessions"],
    [{ requiresDuplicateDetection: true }, "duplicateDetection"],
    [{ enablePartitioning: true }, "sequenceNumbers"],
    [{ autoDeleteOnIdle: "10m" }, "autoDeleteOnIdle"],
  ])("is refused with the reason, and nothing is left of it", async (options, what) => {
    expect(await failure(engine.admin.createQueue("refused", options))).toMatchObject({
      code: "UnsupportedCapability",
      message: expect.stringContaining(`does not support ${what}: RabbitMQ`),
    });
    expect(await engine.admin.queueExists("refused")).toBe(false);
  });

  it("says which argument differs when another client has declared its queue", async () => {
    const connection = await connect(server.url());
    const channel = await connection.createChannel();
    await channel.assertQueue("sobre.taken", { arguments: { "x-queue-type": "quorum", "x-delivery-limit": 5 } });

    expect(await failure(engine.admin.createQueue("taken"))).toMatchObject({
      code: "InvalidOperation",
      message: expect.stringMatching(/inequivalent arg 'x-[a-z-]+' for queue 'sobre.taken'/),
    });
    expect(await engine.admin.queueExists("taken")).toBe(false);
    await connection.close();
  });

  it("has a name that RabbitMQ can take", async () => {
    expect(await failure(engine.admin.createQueue("x".repeat(181)))).toMatchObject({
      code: "InvalidArgument",
      path: "$.name",
    });
  });

  it("says which plugin a topic needs", async () => {
    await using plain = await RabbitmqServer.create([]);
    await using without = await rabbitmqEngine({ url: plain.url(), queues: ["q"] });

    expect(await failure(without.admin.createTopic("t"))).toMatchObject({
      code: "UnsupportedCapability",
      message: expect.stringContaining("rabbitmq_jms_topic_exchange"),
    });
    expect(await without.admin.queueExists("q")).toBe(true);
  });
});

describe("a call that RabbitMQ cannot carry out", () => {
  it.each([
    ["peek", () => engine.peek("q", { maxMessages: 1 })],
    ["defer", () => engine.receiveDeferred("q", [1n], { receiveMode: "peekLock" })],
    ["cancelScheduled", () => engine.cancel("q", [1n])],
    ["transactions", () => engine.begin()],
    ["inspect", () => engine.inspection.counts("q")],
  ])("names the capability %s and the reason", async (capability, call) => {
    expect(await failure(call())).toMatchObject({
      code: "UnsupportedCapability",
      message: expect.stringMatching(new RegExp(`does not support ${capability}: RabbitMQ`)),
    });
  });

  it("refuses properties whose copies for rules exceed the 64 KiB of headers, and sends the next message", async () => {
    await engine.admin.createTopic("wide");
    await engine.admin.createSubscription("wide", "s");
    const sender = await engine.openSender("wide");
    const applicationProperties = { large: "x".repeat(40_000) };

    const refusal = await failure(sender.send([createEnvelope({ payload: new Uint8Array(), applicationProperties })]));
    await sender.send([createEnvelope({ payload: new Uint8Array(), brokerProperties: { messageId: "next" } })]);
    const receiver = await engine.openReceiver("wide/Subscriptions/s", { receiveMode: "receiveAndDelete" });
    const deliveries = await receiver.receive({ maxMessages: 5, maxWaitTimeInMs: 5000 });

    expect(refusal).toMatchObject({ code: "MessageSizeExceeded" });
    expect(deliveries.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(["next"]);
  });

  it("keeps ids beyond the 255 bytes of AMQP 0-9-1", async () => {
    const messageId = "\u{1F4E9}".repeat(64);
    await engine.admin.createQueue("long-ids");
    const sender = await engine.openSender("long-ids");
    await sender.send([createEnvelope({ payload: new Uint8Array(), brokerProperties: { messageId } })]);
    const receiver = await engine.openReceiver("long-ids", { receiveMode: "receiveAndDelete" });

    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 5000 });

    expect(delivery?.envelope.brokerProperties.messageId).toBe(messageId);
  });
});
