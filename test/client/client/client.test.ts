import { afterEach, describe, expect, it, vi } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import {
  attemptsProperty,
  type Client,
  type ProcessErrorArgs,
  withoutDeadLetterMarks,
} from "../../../src/client/client/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { compression } from "../../../src/client/stages/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

const clock = new ManualClock();
const clients: Client[] = [];

function newClient(stages = [compression({ encoding: "gzip", threshold: 10 })]): Client {
  const engine = memoryEngine({ clock, queues: { orders: { maxDeliveryCount: 2 } } });
  const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }), stages });
  clients.push(client);
  return client;
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

const garbage = (applicationProperties: Envelope["applicationProperties"] = {}): Envelope =>
  createEnvelope({
    payload: new Uint8Array([0xff, 0x00]),
    brokerProperties: { contentType: "application/json" },
    applicationProperties,
  });

describe("sending and receiving", () => {
  it("brings a message back with body, properties and the story of its reading", async () => {
    const client = newClient();
    await client
      .createSender("orders")
      .sendMessages({ body: { id: 7 }, subject: "new", applicationProperties: { region: "eu" } });

    const [message] = await client.createReceiver("orders").receiveMessages(5);

    expect(message).toMatchObject({
      body: { id: 7 },
      subject: "new",
      contentType: "application/json",
      applicationProperties: { region: "eu" },
      deliveryCount: 0,
      result: { ok: true, codec: "json", attempts: [{ codec: "json", outcome: "read" }] },
    });
  });

  it("runs stages around the serializer and keeps the envelope as it travelled", async () => {
    const client = newClient();
    await client.createSender("orders").sendMessages({ body: "x".repeat(500) });

    const [message] = await client.createReceiver("orders").receiveMessages(1);

    expect(message?.body).toBe("x".repeat(500));
    expect(message?.contentEncoding).toBe("gzip");
    expect(message?.envelope.payload.byteLength).toBeLessThan(100);
  });

  it("hands an unreadable message over with its result, unless it is set to dead-letter it", async () => {
    const client = newClient();
    await client.createSender("orders").sendEnvelopes([garbage(), garbage()]);

    const [handedOver] = await client.createReceiver("orders").receiveMessages(1);
    const rest = await client.createReceiver("orders", { onUnreadable: "dead-letter" }).receiveMessages(1);
    const [deadLetter] = await client
      .createReceiver("orders/$DeadLetterQueue")
      .receiveMessages(2, { maxWaitTimeInMs: 0 });

    expect(handedOver).toMatchObject({ body: undefined, result: { ok: false, error: { code: "Unreadable" } } });
    expect(rest).toEqual([]);
    expect(deadLetter).toMatchObject({ deadLetterReason: "Unreadable" });
  });

  it("settles with the verbs of the official client and refuses a lock that is gone", async () => {
    const client = newClient();
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = client.createReceiver("orders");
    const [first, second] = await receiver.receiveMessages(2);
    if (first === undefined || second === undefined) throw new Error("two messages were sent");

    await receiver.completeMessage(first);
    await receiver.abandonMessage(second, { seen: true });
    const [again] = await receiver.receiveMessages(1);

    expect(again).toMatchObject({ body: 2, deliveryCount: 1, applicationProperties: { seen: true } });
    await expect(receiver.completeMessage(first)).rejects.toMatchObject({ code: "MessageLockLost" });
  });

  it("peeks without locking, and a peeked message cannot be settled", async () => {
    const client = newClient();
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");

    const [peeked] = await receiver.peekMessages(1);

    expect(peeked).toMatchObject({ body: 1, lockToken: undefined });
    if (peeked)
      await expect(receiver.completeMessage(peeked)).rejects.toThrow(
        expect.objectContaining({ code: "InvalidOperation" }),
      );
  });

  it.each(["completeMessage", "abandonMessage", "deferMessage", "deadLetterMessage"] as const)(
    "refuses to %s what is no message",
    async (verb) => {
      const receiver = newClient().createReceiver("orders");

      // As a caller without types would.
      await expect(async () => Reflect.apply(receiver[verb], receiver, [undefined])).rejects.toMatchObject({
        code: "InvalidArgument",
      });
    },
  );

  it("fails with the engine's code for an entity that is not there, and again when tried again", async () => {
    const sender = newClient().createSender("nowhere");

    await expect(sender.sendMessages({ body: 1 })).rejects.toMatchObject({ code: "MessagingEntityNotFound" });
    await expect(sender.sendMessages({ body: 1 })).rejects.toMatchObject({ code: "MessagingEntityNotFound" });
  });

  it("refuses to dead-letter what receive-and-delete has consumed", () => {
    const client = newClient();

    expect(() =>
      client.createReceiver("orders", { receiveMode: "receiveAndDelete", onUnreadable: "dead-letter" }),
    ).toThrow(/peekLock/);
  });
});

describe("a processor", () => {
  it("completes what its handler took", async () => {
    const client = newClient();
    const bodies: unknown[] = [];
    const processor = client.startProcessor("orders", {
      processMessage: ({ body }) => void bodies.push(body),
      processError: vi.fn(),
    });

    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await clock.advance(0);
    await processor.close();

    expect(bodies).toEqual([1, 2]);
    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });

  it("abandons what its handler throws at, until the broker dead-letters it", async () => {
    const client = newClient();
    const errors: ProcessErrorArgs[] = [];
    const processor = client.startProcessor("orders", {
      processMessage: () => Promise.reject(new Error("no stock")),
      processError: (args) => void errors.push(args),
    });

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);
    await processor.close();
    const [deadLetter] = await client.createReceiver("orders/$DeadLetterQueue").peekMessages(1);

    expect(errors.map(({ errorSource }) => errorSource)).toEqual(["handler", "handler"]);
    expect(deadLetter?.deadLetterReason).toBe("MaxDeliveryCountExceeded");
  });

  it("dead-letters an unreadable message at once, bytes untouched, with every attempt, and calls processError", async () => {
    const client = newClient([]);
    const processMessage = vi.fn();
    const errors: ProcessErrorArgs[] = [];
    const processor = client.startProcessor("orders", {
      processMessage,
      processError: (args) => void errors.push(args),
    });

    await client.createSender("orders").sendEnvelopes(garbage({ tenant: "a" }));
    await clock.advance(0);
    await processor.close();
    const [deadLetter] = await client.createReceiver("orders/$DeadLetterQueue").peekMessages(1);

    expect(processMessage).not.toHaveBeenCalled();
    expect(errors).toMatchObject([
      { errorSource: "deserialize", code: "Unreadable", attempts: [{ codec: "json", outcome: "failed" }] },
    ]);
    expect(deadLetter?.envelope.payload).toEqual(garbage().payload);
    expect(deadLetter).toMatchObject({
      deadLetterReason: "Unreadable",
      deliveryCount: 0,
      applicationProperties: { tenant: "a" },
    });
    expect(JSON.parse(String(deadLetter?.applicationProperties[attemptsProperty]))).toMatchObject({
      code: "Unreadable",
      attempts: [{ codec: "json", outcome: "failed", code: "DecodeFailed" }],
    });
  });

  it("dead-letters an unreadable message even when its properties leave no room for the story", async () => {
    const client = newClient([]);
    const processor = client.startProcessor("orders", { processMessage: vi.fn(), processError: vi.fn() });
    const full = garbage({ filler: "x".repeat(64 * 1024 - 100) });

    await client.createSender("orders").sendEnvelopes(full);
    await clock.advance(0);
    await processor.close();
    const [deadLetter] = await client.createReceiver("orders/$DeadLetterQueue").peekMessages(1);

    expect(deadLetter?.envelope.payload).toEqual(full.payload);
    expect(deadLetter?.deadLetterReason).toBe("Unreadable");
    expect(deadLetter?.applicationProperties[attemptsProperty]).toBeUndefined();
  });

  it("requires processUnreadable where nothing can be dead-lettered, and calls it there", async () => {
    const client = newClient([]);
    const handlers = { processMessage: vi.fn(), processError: vi.fn() };
    const processUnreadable = vi.fn();

    expect(() => client.startProcessor("orders", handlers, { receiveMode: "receiveAndDelete" })).toThrow(
      /processUnreadable/,
    );
    expect(() => client.startProcessor("orders/$deadletterqueue", handlers)).toThrow(/processUnreadable/);
    const processor = client.startProcessor(
      "orders",
      { ...handlers, processUnreadable },
      { receiveMode: "receiveAndDelete" },
    );
    await client.createSender("orders").sendEnvelopes(garbage());
    await clock.advance(0);
    await processor.close();

    expect(processUnreadable).toHaveBeenCalledOnce();
    expect(handlers.processError).not.toHaveBeenCalled();
  });

  it("runs at most maxConcurrentCalls handlers at once and waits for them when it closes", async () => {
    const client = newClient();
    let running = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const processMessage = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => release.push(resolve));
      running--;
    };
    const processor = client.startProcessor(
      "orders",
      { processMessage, processError: vi.fn() },
      { maxConcurrentCalls: 2 },
    );
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
    await clock.advance(0);

    const closed = processor.close();
    for (const resolve of release) resolve();
    await closed;

    expect(most).toBe(2);
    expect(running).toBe(0);
    expect(await client.createReceiver("orders").peekMessages(5)).toHaveLength(1);
  });

  it("reports a missing entity and gives up", async () => {
    const errors: ProcessErrorArgs[] = [];
    const processor = newClient().startProcessor("nowhere", {
      processMessage: vi.fn(),
      processError: (args) => void errors.push(args),
    });

    await clock.advance(0);
    await processor.close();

    expect(errors).toMatchObject([{ errorSource: "receive", code: "MessagingEntityNotFound" }]);
  });
});

describe("a dead letter", () => {
  it("is sent again with its original bytes and without its marks", async () => {
    const client = newClient([]);
    const sender = client.createSender("orders");
    await sender.sendEnvelopes(garbage({ tenant: "a" }));
    await client.createReceiver("orders", { onUnreadable: "dead-letter" }).receiveMessages(1);
    const deadLetters = client.createReceiver("orders/$DeadLetterQueue");
    const [deadLetter] = await deadLetters.receiveMessages(1);
    if (deadLetter === undefined) throw new Error("one message was dead-lettered");

    await sender.sendEnvelopes(withoutDeadLetterMarks(deadLetter.envelope));
    await deadLetters.completeMessage(deadLetter);
    const [again] = await client.createReceiver("orders").receiveMessages(1);

    expect(again?.applicationProperties).toEqual({ tenant: "a" });
    expect(again?.deadLetterReason).toBeUndefined();
  });
});
