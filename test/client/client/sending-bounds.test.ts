import { describe, expect, it } from "vitest";
import { protobuf } from "../../../codecs/protobuf/index.ts";
import { json } from "../../../codecs/json/index.ts";
import {
  createMessageConverter,
  fromServiceBusMessage,
  toServiceBusMessage,
} from "../../../src/client/interop/index.ts";
import { type ReadMessage, toDeadLetterOptions } from "../../../src/client/client/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { compression } from "../../../src/client/stages/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";
import { noting, one, setup } from "./setup.support.ts";
import { jsonSchema } from "../../../src/core/json-schema/json-schema.ts";

describe("a sender", () => {
  it("has at most maxInFlight messages without outcome, and 16 MiB; flush and close wait for all", async () => {
    const { engine, client } = setup({ queues: ["orders"] });
    let running = 0;
    let most = 0;
    const answers: (() => void)[] = [];
    const slow = {
      ...engine,
      openSender: async () => ({
        maxMessageSize: 1e9,
        close: async () => undefined,
        async send() {
          most = Math.max(most, ++running);
          await new Promise<void>((done) => answers.push(done));
          running--;
        },
      }),
    };
    const bounded = createClient({ engine: slow, serializer: createSerializer({ codecs: [json()] }) });
    const sender = bounded.createSender("orders", { maxInFlight: 3 });
    const large = bounded.createSender("orders");

    const sends = Array.from({ length: 10 }, () => sender.sendMessages({ body: 1 }));
    const order: string[] = [];
    const flushed = sender.flush().then(() => order.push("flushed"));
    const closed = sender.close().then(() => order.push("closed"));
    while (order.length < 2) {
      answers.shift()?.();
      await new Promise(setImmediate);
    }
    await Promise.all([...sends, flushed, closed]);
    const countOfThree = most;
    most = 0;
    const twenty = [1, 2, 3].map(() => large.sendMessages({ body: "x".repeat(9 * 1024 * 1024) }));
    for (let sent = 0; sent < 3;) {
      await new Promise(setImmediate);
      const answer = answers.shift();
      if (answer !== undefined) sent++;
      answer?.();
    }
    await Promise.all(twenty);

    expect(countOfThree).toBe(3);
    expect(most).toBe(1);
    await client.close();
  });

  it("sends via another entity in one transaction", async () => {
    const { client } = setup({ queues: ["inbox", "outbox"] });
    const transaction = await client.beginTransaction();
    await client
      .createSender("outbox", { via: "inbox" })
      .sendMessages({ body: 1, partitionKey: "p", viaPartitionKey: "p" }, { transaction });

    await transaction.commit();

    expect(one(await client.createReceiver("outbox").receiveMessages(1)).body).toBe(1);
  });

  it("rejects sendMany with throwOnFailure once all have an outcome", async () => {
    const { client, faults } = setup({ queues: ["orders"] });
    faults.refuse("send", "MessagingEntityDisabled");
    const sender = client.createSender("orders");

    const error = await rejection(
      sender.sendMany([{ body: 1 }, { body: 2 }], { throwOnFailure: true, maxConcurrency: 1 }),
    );

    expect(error).toMatchObject({ code: "MessagingEntityDisabled", cause: [{ ok: false }, { ok: true }] });
    expect(error.message).toContain("1 of 2 messages were not sent");
  });
});

describe("a received message", () => {
  it("is replied to in the session and with the correlation that it asks for", async () => {
    const Accepted = defineMessage("shop.accepted", { 1: jsonSchema({ type: "object", required: ["id"] }) });
    const { client, clock } = setup({ queues: { orders: {}, replies: { requiresSession: true } } });
    await client
      .createSender("orders")
      .sendMessages({ body: 1, messageId: "m-1", replyTo: "sb://host/replies", replyToSessionId: "s-1" });
    const { errors, handlers } = noting(async (message: ReadMessage<readonly []>) => {
      await message.reply({ plain: true }, { subject: "first" });
      await message.reply(Accepted.message({ id: 1 }));
    });

    client.startProcessor("orders", handlers);
    await clock.advance(0);
    const session = await client.acceptSession("replies", "s-1", { messageTypes: [Accepted] });
    const [plain, typed] = await session.receiveMessages(2);

    expect(errors).toEqual([]);
    expect(plain).toMatchObject({ correlationId: "m-1", sessionId: "s-1", subject: "first" });
    expect(typed).toMatchObject({ ok: true, correlationId: "m-1", messageType: "shop.accepted", body: { id: 1 } });
  });

  it("without replyTo says so", async () => {
    const { client } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages({ body: 1 });
    const message = one(await client.createReceiver("orders").receiveMessages(1));

    expect((await rejection(message.reply(1))).code).toBe("InvalidOperation");
  });
});

describe("a client's engine", () => {
  it("is closed with the client when it is asked to, and otherwise stays its owner's", async () => {
    for (const closeEngine of [true, false]) {
      const { engine } = setup({ queues: ["orders"] });
      const client = createClient({ engine, closeEngine, serializer: createSerializer({ codecs: [json()] }) });

      await client.close();

      const opening = engine.openSender("orders").then(
        () => "open",
        () => "closed",
      );
      expect(await opening).toBe(closeEngine ? "closed" : "open");
    }
  });

  it("is made of a connection string, which is checked at once", async () => {
    const serializer = createSerializer({ codecs: [json()] });
    const key = "SharedAccessKeyName=a;SharedAccessKey=b";
    const client = createClient({
      connectionString: `Endpoint=sb://127.0.0.1:1;${key};UseDevelopmentEmulator=true`,
      serializer,
      retryOptions: { maxRetries: 0 },
    });

    expect((await rejection(client.createSender("orders").sendMessages({ body: 1 }))).code).toBe(
      "ServiceCommunicationProblem",
    );
    await client.close();
    expect(refusal(() => createClient({ connectionString: "Endpoint=sb://x", serializer })).code).toBe(
      "InvalidArgument",
    );
    const both = { engine: setup({}).engine, connectionString: "x", serializer };
    expect(refusal(() => createClient(both)).code).toBe("InvalidArgument");
  });
});

describe("a serializer", () => {
  it("assumes a content type where there is none, and only there", () => {
    const serializer = createSerializer({ codecs: [json()], assume: "application/json" });
    const payload = new TextEncoder().encode('{"id":1}');

    expect(serializer.deserialize(createEnvelope({ payload }))).toMatchObject({ ok: true, body: { id: 1 } });
    expect(serializer.deserialize(createEnvelope({ payload, brokerProperties: { contentType: "a/b" } })).ok).toBe(
      false,
    );
    expect(refusal(() => createSerializer({ codecs: [json()], assume: "json" })).message).toContain("assume");
  });

  it("reads a payload as the type that the caller expects", () => {
    const schema = 'syntax = "proto3"; message Order { int32 id = 1; }';
    const serializer = createSerializer({ codecs: [protobuf({ protos: { "order.proto": schema } })] });
    const envelope = createEnvelope({
      payload: new Uint8Array([0x08, 0x07]),
      brokerProperties: { contentType: "application/protobuf" },
    });

    expect(serializer.deserialize(envelope).ok).toBe(false);
    expect(serializer.deserialize(envelope, { type: "Order" })).toMatchObject({ ok: true, body: { id: 7 } });
  });
});

describe("another client", () => {
  it("dead-letters with the reason, the description and every attempt", () => {
    const serializer = createSerializer({ codecs: [json()] });
    const envelope = createEnvelope({
      payload: new Uint8Array([1]),
      brokerProperties: { contentType: "application/json" },
    });
    const result = serializer.deserialize(envelope);
    if (result.ok) throw new Error("It was read.");

    const options = toDeadLetterOptions(envelope, result);

    expect(options).toMatchObject({
      deadLetterReason: "Unreadable",
      deadLetterErrorDescription: expect.stringContaining("json"),
    });
    expect(JSON.parse(String(options.propertiesToModify?.["sobre-attempts"])).attempts).toHaveLength(1);
  });

  it("sends and reads message types, versions and stages", async () => {
    const Order = defineMessage("shop.order", {
      1: jsonSchema({ type: "object", properties: { id: { type: "string" } }, required: ["id"] }),
    });
    const converter = createMessageConverter({
      serializer: createSerializer({ codecs: [json()] }),
      stages: [compression({ encoding: "gzip", threshold: 0 })],
      messageTypes: [Order],
    });

    const sent = toServiceBusMessage(await converter.toEnvelope(Order.message({ id: "o".repeat(2_000) })));
    const read = await converter.fromEnvelope(fromServiceBusMessage(sent));

    expect(sent.applicationProperties).toMatchObject({ "sobre-type": "shop.order" });
    expect(read).toMatchObject({
      ok: true,
      messageType: "shop.order",
      messageVersion: 1,
      body: { id: "o".repeat(2_000) },
    });
    await expect(converter.toEnvelope(Order.message(JSON.parse("{}")))).rejects.toMatchObject({
      code: "ValidationFailed",
    });
  });
});
