import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { createTestHarness, type TestHarness, type TestHarnessOptions } from "../../../src/client/testing/index.ts";
import { rejection } from "../../refusal.support.ts";

const Placed = defineMessage("shop.placed", { 1: z.object({ id: z.number() }) });
const Billed = defineMessage(
  "shop.billed",
  { 1: z.object({ total: z.number() }), 2: z.object({ cents: z.number() }) },
  { upcast: { 1: ({ total }) => ({ cents: total * 100 }) }, downcast: { 2: ({ cents }) => ({ total: cents / 100 }) } },
);
const processError = (): void => undefined;
const open: TestHarness[] = [];
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.close();
});

function harnessOf(options: Omit<TestHarnessOptions, "serializer"> = { queues: ["orders", "bills"] }): TestHarness {
  const harness = createTestHarness({ serializer: createSerializer({ codecs: [json()] }), ...options });
  open.push(harness);
  return harness;
}

/** A service that sends a bill for each order, after so many failures. */
function startBilling({ client }: TestHarness, failures = 0): void {
  const bills = client.createSender("bills");
  let failed = 0;
  client.startProcessor(
    "orders",
    {
      async processMessage({ body }) {
        if (failed++ < failures) throw new Error("away");
        await bills.sendMessages(Billed.message({ cents: body.id * 100 }, { version: 1 }));
      },
      processError,
    },
    { messageTypes: [Placed], retries: { delayed: ["10m", "30m"], jitter: 0 } },
  );
}

describe("a test harness", () => {
  it("is idle when the handlers have run, and says what was published, by type and by entity", async () => {
    const harness = harnessOf();
    startBilling(harness);

    await harness.client.createSender("orders").sendMessages([Placed.message({ id: 7 }), Placed.message({ id: 8 })]);
    await harness.idle();

    const bills = await harness.published({ messageType: Billed });
    expect(bills.map(({ body, entity }) => [entity, body])).toEqual([
      ["bills", { cents: 700 }],
      ["bills", { cents: 800 }],
    ]);
    expect((await harness.published({ entity: "ORDERS" })).map(({ body }) => body)).toEqual([{ id: 7 }, { id: 8 }]);
    expect(await harness.published()).toHaveLength(4);
    expect(await harness.published({ entity: "orders", messageType: Billed })).toEqual([]);
  });

  it("lets delayed retries, scheduled messages and pauses pass in virtual time", async () => {
    const harness = harnessOf();
    const { client, clock } = harness;
    const start = clock.now();
    startBilling(harness, 2);

    await client.createSender("orders").scheduleMessages(Placed.message({ id: 7 }), new Date(start + 60_000));
    await harness.idle();

    expect(clock.now() - start).toBeGreaterThanOrEqual(60_000 + 40 * 60_000);
    expect(await harness.published({ messageType: Billed })).toHaveLength(1);
  });

  it("waits for handlers that wait for more than the clock, and for sessions", async () => {
    const harness = harnessOf({ queues: { carts: { requiresSession: true } } });
    const done: unknown[] = [];
    harness.client.startSessionProcessor("carts", {
      async processMessage({ body }) {
        await new Promise((resolve) => setImmediate(resolve));
        done.push(body);
      },
      processError,
    });

    const messages = [1, 2, 3].map((body) => ({ body, sessionId: `s${body % 2}` }));
    await harness.client.createSender("carts").sendMessages(messages);
    await harness.idle();

    expect(new Set(done)).toEqual(new Set([1, 2, 3]));
  });

  it("is idle while only dead letters, deferred messages and entities without a consumer are left", async () => {
    const harness = harnessOf();
    const { client } = harness;
    client.startProcessor("orders", {
      processMessage: (message, context) =>
        message.body === "later" ? context.deferMessage(message) : context.deadLetterMessage(message),
      processError,
    });

    await client.createSender("orders").sendMessages([{ body: "later" }, { body: "never" }]);
    await client.createSender("bills").sendMessages({ body: 1 });
    await harness.idle();

    expect(await harness.engine.peek("orders/$DeadLetterQueue", { maxMessages: 2 })).toHaveLength(1);
  });

  it("waits for handlers whose messages are settled already", async () => {
    const harness = harnessOf();
    const { client, clock } = harness;
    let isDone = false;
    client.startProcessor("orders", {
      async processMessage(message, context) {
        await context.completeMessage(message);
        await new Promise<void>((resolve) => void clock.setTimer(clock.now() + 5_000, resolve));
        isDone = true;
      },
      processError,
    });

    await client.createSender("orders").sendMessages({ body: 1 });
    await harness.idle();

    expect(isDone).toBe(true);
  });

  it("is idle although a session is held after its dead letter", async () => {
    const harness = harnessOf({ queues: { carts: { requiresSession: true } } });
    const handlers = { processMessage: () => Promise.reject(new Error("away")), processError };
    harness.client.startSessionProcessor("carts", handlers, { retries: { holdSession: true } });
    await harness.client.createSender("carts").sendMessages([1, 2].map((body) => ({ body, sessionId: "a" })));

    await harness.idle();

    expect(await harness.engine.peek("carts/$DeadLetterQueue", { maxMessages: 2 })).toHaveLength(1);
  });

  it("rejects when messages stay, and names their entities", async () => {
    const harness = harnessOf();
    let finish: (() => void) | undefined;
    const processMessage = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    harness.client.startProcessor("orders", { processMessage, processError });
    await harness.client.createSender("orders").sendMessages({ body: 1 });
    const start = harness.clock.now();

    const error = await rejection(harness.idle({ maxWaitTimeInMs: 5_500 }));

    expect(error.code).toBe("ServiceTimeout");
    expect(error.message).toContain("messages left in orders");
    expect(harness.clock.now()).toBe(start + 5_500);
    finish?.();
  });

  it("shows a message that cannot be read, and rejects with one that is not valid for its type", async () => {
    const harness = harnessOf();
    const sender = harness.client.createSender("orders");
    await sender.sendMessages({
      body: { id: "text" },
      applicationProperties: { "sobre-type": "shop.placed", "sobre-version": 1 },
    });
    await sender.sendMessages({ body: 1, contentType: "application/json" });

    const [published] = await harness.published();
    const error = await rejection(harness.published({ messageType: Placed }));

    expect(published?.body).toEqual({ id: "text" });
    expect(error.code).toBe("ValidationFailed");
  });
});
