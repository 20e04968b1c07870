import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { rejection, refusal } from "../../refusal.support.ts";
import { one, setup } from "./setup.support.ts";

const Order = defineMessage(
  "acme.order",
  { 1: z.object({ key: z.number() }), 2: z.object({ id: z.number() }) },
  { upcast: { 1: ({ key }) => ({ id: key }) } },
);

describe("a receiver of message types", () => {
  it("hands bodies over in the latest version, and what is not valid with its result", async () => {
    const { client } = setup({ queues: ["orders"] });
    const old = { "sobre-type": "acme.order", "sobre-version": 1 };
    await client.createSender("orders").sendMessages([
      { body: { key: 7 }, applicationProperties: old },
      { body: { key: "7" }, applicationProperties: old },
    ]);

    const [valid, invalid] = await client.createReceiver("orders", { messageTypes: [Order] }).receiveMessages(2);

    expect(valid).toMatchObject({ body: { id: 7 }, messageType: "acme.order", messageVersion: 1 });
    expect(invalid).toMatchObject({ body: undefined, messageType: undefined, result: { ok: false } });
  });

  it.each([
    ["ValidationFailed", { "sobre-type": "acme.order", "sobre-version": 2 }],
    ["UnknownMessageVersion", { "sobre-type": "acme.order", "sobre-version": 9 }],
    ["UnknownMessageType", { "sobre-type": "acme.invoice" }],
  ])("dead-letters with the reason %s when it is set to do so", async (reason, applicationProperties) => {
    const { client } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages({ body: { key: 7 }, applicationProperties });

    const messages = await client
      .createReceiver("orders", { messageTypes: [Order], onUnreadable: "dead-letter" })
      .receiveMessages(1);
    const letter = one(await client.createReceiver("orders", { subQueueType: "deadLetter" }).receiveMessages(1));

    expect(messages).toEqual([]);
    expect(letter.deadLetterReason).toBe(reason);
    expect(letter.deadLetterErrorDescription).not.toContain(reason);
    expect(letter.body).toEqual({ key: 7 });
  });
});

describe("a receiver", () => {
  it("defers and receives what it deferred by its number", async () => {
    const { client } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const message = one(await receiver.receiveMessages(1));

    await receiver.deferMessage(message, { why: "later" });
    const none = await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 });
    const deferred = one(await receiver.receiveDeferredMessages(message.sequenceNumber));
    await receiver.completeMessage(deferred);

    expect(none).toEqual([]);
    expect(deferred).toMatchObject({ body: 1, state: "deferred", applicationProperties: { why: "later" } });
    expect((await rejection(receiver.receiveDeferredMessages([message.sequenceNumber]))).code).toBe("MessageNotFound");
  });

  it("peeks from a number on, and hands unreadable messages over there too", async () => {
    const { client } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await client.createSender("orders").sendEnvelopes(createEnvelope({ payload: new Uint8Array([1]) }));

    const peeked = await client
      .createReceiver("orders", { onUnreadable: "dead-letter" })
      .peekMessages(5, { fromSequenceNumber: 2n });

    expect(peeked).toMatchObject([{ body: 2 }, { body: undefined, result: { ok: false } }]);
  });

  it("iterates until it is left, and reports and reopens a lost link", async () => {
    const { client, clock, faults } = setup({ queues: ["orders"] });
    const errors: unknown[] = [];
    const bodies: unknown[] = [];
    const receiver = client.createReceiver("orders");
    const iterating = (async () => {
      for await (const message of receiver.getMessageIterator({ onError: (error) => void errors.push(error) })) {
        bodies.push(message.body);
        await receiver.completeMessage(message);
        if (message.body === 2) return;
      }
    })();

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);
    await faults.cut();
    await clock.advance(5_000);
    await client.createSender("orders").sendMessages({ body: 2 });
    await clock.advance(5_000);
    await iterating;

    expect(bodies).toEqual([1, 2]);
    expect(errors).toMatchObject([{ code: "ServiceCommunicationProblem" }]);
  });

  it("ends its iteration with the signal, and with a permanent error", async () => {
    const { client } = setup({ queues: ["orders"] });
    const abort = new AbortController();
    const iterating = client.createReceiver("orders").getMessageIterator({ abortSignal: abort.signal }).next();
    const failing = client.createReceiver("nowhere").getMessageIterator().next();

    abort.abort();

    expect(await iterating).toEqual({ done: true, value: undefined });
    expect((await rejection(failing)).code).toBe("MessagingEntityNotFound");
  });

  it("renews locks until the message is settled or the maximum is reached", async () => {
    const { client, clock } = setup({ queues: { orders: { lockDuration: 10_000 } } });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 60_000 });
    const [first, second] = await receiver.receiveMessages(2);
    if (first === undefined || second === undefined) throw new Error("two were sent");

    await clock.advance(50_000);
    await receiver.completeMessage(first);
    await clock.advance(30_000);

    expect((await rejection(receiver.completeMessage(second))).code).toBe("MessageLockLost");
  });

  it("fetches ahead, hands over without waiting, and releases uncounted what nobody took", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages([1, 2, 3, 4, 5].map((body) => ({ body })));
    const receiver = client.createReceiver("orders", { prefetchCount: 3 });
    const other = client.createReceiver("orders");

    const first = one(await receiver.receiveMessages(1));
    await clock.advance(0);
    const left = await other.receiveMessages(5, { maxWaitTimeInMs: 0 });
    await receiver.completeMessage(first);
    await receiver.close();
    const back = await other.receiveMessages(5, { maxWaitTimeInMs: 0 });

    expect(first.body).toBe(1);
    expect(left.map(({ body }) => body)).toEqual([5]);
    expect(back).toMatchObject([
      { body: 2, deliveryCount: 0 },
      { body: 3, deliveryCount: 0 },
      { body: 4, deliveryCount: 0 },
    ]);
  });

  it("hands over what is there without waiting, though it is being fetched ahead, in its order", async () => {
    const { client } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages([1, 2, 3, 4].map((body) => ({ body })));
    const receiver = client.createReceiver("orders", { prefetchCount: 3 });

    const first = await receiver.receiveMessages(10, { maxWaitTimeInMs: 0 });
    const second = await receiver.receiveMessages(10, { maxWaitTimeInMs: 0 });

    expect(first.map(({ body }) => body)).toEqual([1, 2, 3, 4]);
    expect(second).toEqual([]);
  });

  it("does not hand over what was fetched ahead and has lost its lock", async () => {
    const { client, clock, faults } = setup({ queues: { orders: { lockDuration: 10_000 } } });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = client.createReceiver("orders", { prefetchCount: 5 });
    faults.loseLock({ times: 2 });

    await receiver.receiveMessages(1);
    await clock.advance(10_001);
    const again = await receiver.receiveMessages(1);

    expect(again).toMatchObject([{ deliveryCount: 1 }]);
    await expect(receiver.completeMessage(one(again))).resolves.toBeUndefined();
  });

  it("ends a receive with the signal, the wait and the closing, and loses nothing", async () => {
    for (const prefetchCount of [0, 2]) {
      const { client, clock } = setup({ queues: ["orders"] });
      const receiver = client.createReceiver("orders", { prefetchCount });
      const abort = new AbortController();

      const aborted = receiver.receiveMessages(1, { abortSignal: abort.signal });
      const waited = receiver.receiveMessages(1, { maxWaitTimeInMs: 1_000 });
      const closed = receiver.receiveMessages(1);
      await clock.advance(0);
      abort.abort();
      await clock.advance(1_000);
      await receiver.close();

      expect(await Promise.all([aborted, waited, closed])).toEqual([[], [], []]);
      expect((await rejection(receiver.receiveMessages(1))).code).toBe("Closed");
    }
  });

  it("deletes in bulk", async () => {
    const { client } = setup({ queues: ["orders"] });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
    const receiver = client.createReceiver("orders");

    expect(await receiver.deleteMessages(2)).toBe(2);
    expect(await receiver.peekMessages(5)).toMatchObject([{ body: 3 }]);
  });

  it("settles in a transaction", async () => {
    const { client } = setup({ queues: ["orders", "done"] });
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const message = one(await receiver.receiveMessages(1));
    const transaction = await client.beginTransaction();

    await receiver.completeMessage(message, { transaction });
    await client.createSender("done").sendMessages({ body: 2 }, { transaction });
    await transaction.rollback();
    await receiver.completeMessage(message);

    expect(await client.createReceiver("done").peekMessages(1)).toEqual([]);
  });

  it("is of use again when its entity was deleted and is back", async () => {
    const { client, engine } = setup({ queues: ["orders"] });
    const receiver = client.createReceiver("orders");
    const sender = client.createSender("orders");
    await sender.sendMessages({ body: 1 });
    await receiver.receiveMessages(1);

    await engine.admin.deleteQueue("orders");
    const errors = [await rejection(sender.sendMessages({ body: 2 })), await rejection(receiver.receiveMessages(1))];
    await engine.admin.createQueue("orders");
    await sender.sendMessages({ body: 3 });

    expect(errors.map(({ code }) => code)).toEqual(["MessagingEntityNotFound", "MessagingEntityNotFound"]);
    expect(await receiver.receiveMessages(1)).toMatchObject([{ body: 3 }]);
  });

  it.each<readonly [string, Record<string, unknown>]>([
    ["receiveMode", { receiveMode: "peek" }],
    ["onUnreadable", { onUnreadable: "ignore" }],
    ["onUnreadable", { onUnreadable: "dead-letter", receiveMode: "receiveAndDelete" }],
    ["subQueueType", { subQueueType: "dlq" }],
    ["prefetchCount", { prefetchCount: -1 }],
    ["maxAutoLockRenewalDurationInMs", { maxAutoLockRenewalDurationInMs: "1" }],
  ])("refuses a wrong %s and names it", (option, options) => {
    const { client } = setup({ queues: ["orders"] });

    const error = refusal(() => client.createReceiver("orders", options));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
  });

  it("refuses wrong counts and waits", async () => {
    const receiver = setup({ queues: ["orders"] }).client.createReceiver("orders");

    expect((await rejection(receiver.receiveMessages(0))).path).toBe("$.maxMessageCount");
    expect((await rejection(receiver.receiveMessages(1, { maxWaitTimeInMs: -1 }))).path).toBe("$.maxWaitTimeInMs");
  });
});
