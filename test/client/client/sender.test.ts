import { describe, expect, it, vi } from "vitest";
import * as fc from "fast-check";
import { z } from "zod";
import { encodeBatch } from "../../../src/wire/amqp/message/batch.ts";
import type { Message } from "../../../src/core/codec/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { compression } from "../../../src/client/stages/index.ts";
import { rejection, refusal } from "../../refusal.support.ts";
import { one, setup } from "./setup.support.ts";

const Order = defineMessage(
  "acme.order",
  { 1: z.object({ key: z.number() }), 2: z.object({ id: z.number() }) },
  { upcast: { 1: ({ key }) => ({ id: key }) }, downcast: { 2: ({ id }) => ({ key: id }) } },
);

describe("sending a message type", () => {
  it("writes its name and version and validates the body first", async () => {
    const { client } = setup({ queues: ["orders"] });
    const sender = client.createSender("orders");

    await sender.sendMessages([Order.message({ id: 7 }), Order.message({ id: 8 }, { version: 1, subject: "old" })]);
    const [latest, older] = await client.createReceiver("orders").receiveMessages(2);

    expect(latest).toMatchObject({
      body: { id: 7 },
      applicationProperties: { "sobre-type": "acme.order", "sobre-version": 2 },
    });
    expect(older).toMatchObject({ body: { key: 8 }, subject: "old", applicationProperties: { "sobre-version": 1 } });
    const error = await rejection(sender.sendMessages(Order.message({ id: Number.NaN })));
    expect(error).toMatchObject({ code: "ValidationFailed", path: "$.id" });
  });

  it("writes them into the content type when the type wants it so", async () => {
    const { client } = setup({ queues: ["orders"] });
    const Other = defineMessage("acme.other", { 3: z.number() }, { wire: "contentType" });

    await client.createSender("orders").sendMessages(Other.message(7));
    const message = one(await client.createReceiver("orders", { messageTypes: [Other] }).receiveMessages(1));

    expect(message.contentType).toBe("application/json;type=acme.other;version=3");
    expect(message).toMatchObject({ body: 7, messageType: "acme.other", messageVersion: 3, applicationProperties: {} });
  });
});

async function* bodies(): AsyncGenerator<Message> {
  for (let body = 0; body < 10; body++) yield { body };
  yield { body: Symbol("none") };
}

function* broken(): Generator<Message> {
  yield { body: 1 };
  throw new RangeError("the source");
}

describe("sending many", () => {
  it("keeps to the concurrency and returns the outcome of each, in order", async () => {
    const { client, clock, faults } = setup({ queues: ["orders"] }, { retryOptions: { maxRetries: 0 } });
    let running = 0;
    let most = 0;
    const stage = {
      name: "count",
      async beforeSend<T>(envelope: T): Promise<T> {
        most = Math.max(most, ++running);
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        running--;
        return envelope;
      },
    };
    faults.refuse("send", "QuotaExceeded", { times: 1 });
    const counting = setup({ queues: ["orders"] }, { stages: [stage] });
    const counted = await counting.client.createSender("orders").sendMany(bodies(), { maxConcurrency: 3 });
    const outcomes = await client.createSender("orders").sendMany([{ body: 1 }, { body: 2 }]);
    await clock.advance(0);

    expect(most).toBe(3);
    expect(counted.map(({ ok }) => ok)).toEqual([...Array.from({ length: 10 }, () => true), false]);
    expect(outcomes).toMatchObject([{ ok: false, error: { code: "QuotaExceeded" } }, { ok: true }]);
  });

  it("reports messages that an aborted signal kept from being sent as Aborted", async () => {
    const { client } = setup({ queues: ["orders"] });

    const outcomes = await client
      .createSender("orders")
      .sendMany([{ body: 1 }, { body: 2 }], { abortSignal: AbortSignal.abort() });

    expect(outcomes).toMatchObject([{ error: { code: "Aborted" } }, { error: { code: "Aborted" } }]);
  });

  it("waits for what is under way when the source fails", async () => {
    const { client } = setup({ queues: ["orders"] });

    await expect(client.createSender("orders").sendMany(broken())).rejects.toThrow("the source");
    expect(await client.createReceiver("orders").peekMessages(5)).toHaveLength(1);
  });
});

describe("a batch", () => {
  it("knows its size to the byte, as AMQP writes it", async () => {
    const { client } = setup({ queues: ["orders"] }, { stages: [compression({ encoding: "gzip", threshold: 300 })] });
    const sender = client.createSender("orders");
    const message = fc.record(
      {
        body: fc.string({ maxLength: 600 }),
        messageId: fc.oneof(fc.string({ maxLength: 20 }), fc.nat()),
        sessionId: fc.string({ maxLength: 20 }),
        subject: fc.string({ maxLength: 300 }),
        timeToLive: fc.integer({ min: 1, max: 5e9 }),
      },
      { requiredKeys: ["body"] },
    );

    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 4 }), async (messages) => {
        const batch = await sender.createMessageBatch();
        for (const each of messages) await batch.addMessage(each);

        expect(batch.count).toBe(messages.length);
        expect(batch.sizeInBytes).toBe(encodeBatch(batch.envelopes).byteLength);
      }),
      { numRuns: 60 },
    );
  });

  it("takes what fits to the byte and nothing more, and is sent as one", async () => {
    const { client } = setup({ queues: ["orders"] });
    const sender = client.createSender("orders");
    const probe = await sender.createMessageBatch();
    await probe.addMessage({ body: "12345" });
    await probe.addMessage({ body: "12345" });

    const exact = await sender.createMessageBatch({ maxSizeInBytes: probe.sizeInBytes });
    const short = await sender.createMessageBatch({ maxSizeInBytes: probe.sizeInBytes - 1 });
    const added = [exact, exact, exact, short, short].map((batch) => batch.tryAddMessage({ body: "12345" }));
    await sender.sendMessages(exact);

    expect(added).toEqual([true, true, false, true, false]);
    expect(short).toMatchObject({ count: 1, maxSizeInBytes: probe.sizeInBytes - 1 });
    expect(await client.createReceiver("orders").peekMessages(5)).toHaveLength(2);
  });

  it("is at most as large as the entity's messages", async () => {
    const { client } = setup({ queues: { orders: { maxMessageSizeInBytes: 1000 } } });

    const sending = client.createSender("orders").createMessageBatch({ maxSizeInBytes: 1001 });

    expect((await rejection(sending)).message).toContain("maxSizeInBytes");
  });
});

describe("scheduling", () => {
  it("delivers at the time, and not what was cancelled", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const sender = client.createSender("orders");
    const receiver = client.createReceiver("orders");

    const [first = 0n, second = 0n] = await sender.scheduleMessages(
      [{ body: 1 }, { body: 2 }],
      new Date(clock.now() + 60_000),
    );
    await sender.cancelScheduledMessages(first);
    const early = await receiver.receiveMessages(2, { maxWaitTimeInMs: 0 });
    await clock.advance(60_000);
    const due = await receiver.receiveMessages(2, { maxWaitTimeInMs: 0 });

    expect(early).toEqual([]);
    expect(due).toMatchObject([{ body: 2 }]);
    expect(second).toBe(first + 1n);
    expect((await rejection(sender.cancelScheduledMessages([first]))).code).toBe("MessageNotFound");
  });

  it("refuses an invalid time", async () => {
    const { client } = setup({ queues: ["orders"] });

    const scheduling = client.createSender("orders").scheduleMessages({ body: 1 }, new Date(Number.NaN));

    expect((await rejection(scheduling)).message).toContain("scheduledEnqueueTimeUtc");
  });
});

describe("retrying", () => {
  it("retries transient errors with growing waits, and reopens a lost link", async () => {
    const { client, clock, faults } = setup({ queues: ["orders"] }, { retryOptions: { retryDelayInMs: 1_000 } });
    const sender = client.createSender("orders");
    const done = vi.fn();
    await sender.sendMessages({ body: 0 });
    await faults.cut();
    faults.refuse("send", "ServiceBusy", { times: 2 });

    const sending = sender.sendMessages({ body: 1 }).finally(done);
    await clock.advance(1_200);
    await clock.advance(2_400);
    expect(done).not.toHaveBeenCalled();
    await clock.advance(4_800);
    await sending;

    expect(done).toHaveBeenCalledOnce();
    expect(await client.createReceiver("orders").peekMessages(5)).toHaveLength(2);
  });

  it("gives up after maxRetries, and at once with permanent errors", async () => {
    const { client, clock, faults } = setup({ queues: ["orders"] }, { retryOptions: { maxRetries: 1, mode: "fixed" } });
    const sender = client.createSender("orders");
    faults.refuse("send", "ServiceBusy", { times: 2 });

    const busy = rejection(sender.sendMessages({ body: 1 }));
    await clock.advance(10_000);
    faults.refuse("send", "QuotaExceeded");
    const full = await rejection(sender.sendMessages({ body: 1 }));

    expect((await busy).code).toBe("ServiceBusy");
    expect(full.code).toBe("QuotaExceeded");
    expect(await client.createReceiver("orders").peekMessages(5)).toEqual([]);
  });

  it("sends once where the broker detects duplicates, though the answer was lost", async () => {
    const { client, clock, faults } = setup({ queues: { orders: { requiresDuplicateDetection: true } } });
    faults.loseAnswer("send");

    const sending = client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    await clock.advance(2_000);
    await sending;

    expect(await client.createReceiver("orders").peekMessages(5)).toHaveLength(1);
  });

  it("ends the waiting when the signal is aborted", async () => {
    const { client, clock, faults } = setup({ queues: ["orders"] });
    const abort = new AbortController();
    faults.refuse("send", "ServiceBusy", { times: Infinity });

    const sending = rejection(client.createSender("orders").sendMessages({ body: 1 }, { abortSignal: abort.signal }));
    await clock.advance(100);
    abort.abort();

    expect((await sending).code).toBe("Aborted");
  });

  it.each([
    ["maxRetries", -1],
    ["maxRetries", 1.5],
    ["retryDelayInMs", Number.NaN],
    ["maxRetryDelayInMs", -1],
    ["mode", "sometimes"],
  ])("refuses retryOptions.%s: %j and names it", (option, value) => {
    const error = refusal(() => setup({}, { retryOptions: { [option]: value } }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.retryOptions.${option}` });
  });
});

describe("a sender", () => {
  it("sends in a transaction: all or nothing", async () => {
    const { client } = setup({ queues: ["orders"] });
    const sender = client.createSender("orders");
    const transaction = await client.beginTransaction();

    await sender.sendMessages([{ body: 1 }, { body: 2 }], { transaction });
    const before = await client.createReceiver("orders").peekMessages(5);
    await transaction.commit();

    expect(before).toEqual([]);
    expect(await client.createReceiver("orders").peekMessages(5)).toHaveLength(2);
  });

  it("sends nothing for an empty list, and refuses anything but messages", async () => {
    const { client } = setup({ queues: ["orders"] });
    const sender = client.createSender("orders");

    await sender.sendMessages([]);

    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
    const send: unknown = Reflect.get(sender, "sendMessages");
    if (typeof send !== "function") throw new Error("There is no such method.");
    await expect(Reflect.apply(send, sender, [null])).rejects.toMatchObject({ code: "InvalidArgument" });
  });

  it("refuses to send once it is closed", async () => {
    const { client } = setup({ queues: ["orders"] });
    const sender = client.createSender("orders");
    await sender.close();

    expect((await rejection(sender.sendMessages({ body: 1 }))).code).toBe("Closed");
  });
});
