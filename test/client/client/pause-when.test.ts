import { describe, expect, it } from "vitest";
import type { PauseWhen } from "../../../src/client/client/index.ts";
import { refusal } from "../../refusal.support.ts";
import { noting, setup } from "./setup.support.ts";

const minute = 60_000;
const away = (): Error => new Error("database away");

/** Numbers from 1 up. */
const bodies = (count: number): readonly { readonly body: number }[] =>
  Array.from({ length: count }, (_, index) => ({ body: index + 1 }));

describe("a processor that pauses", () => {
  it.each([
    ["one call", { maxConcurrentCalls: 1 }],
    ["ten calls", { maxConcurrentCalls: 10 }],
    ["ten calls and a buffer", { maxConcurrentCalls: 10, prefetchCount: 100 }],
  ])("brings 1,000 good messages through a minute without the database, with %s", async (_what, options) => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 10 } } });
    const until = clock.now() + minute;
    const handled = new Set<unknown>();
    let deliveries = 0;
    const processor = client.startProcessor(
      "orders",
      {
        processMessage({ body, deliveryCount }) {
          deliveries = Math.max(deliveries, deliveryCount);
          if (clock.now() < until) throw away();
          handled.add(body);
        },
        processError: () => undefined,
      },
      { ...options, pauseWhen: {} },
    );
    await client.createSender("orders").sendMessages(bodies(1_000));
    await clock.advance(minute - 1);
    const before = handled.size;
    for (let turn = 0; turn < 1_500 && handled.size < 1_000; turn++) await clock.advance(100);

    expect([before, handled.size]).toEqual([0, 1_000]);
    // Only failures before the first pause are counted.
    expect(deliveries).toBeLessThanOrEqual(4);
    expect(await client.createReceiver("orders/$DeadLetterQueue").peekMessages(1)).toEqual([]);
    expect(processor.isPaused).toBe(false);
  });

  it("costs no delivery when an error shows the outage", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const counts: number[] = [];
    let isAway = true;
    client.startProcessor(
      "orders",
      {
        processMessage({ deliveryCount }) {
          counts.push(deliveryCount);
          if (isAway) throw away();
        },
        processError: () => undefined,
      },
      { pauseWhen: { error: (error) => error instanceof Error && error.message === "database away" } },
    );
    await client.createSender("orders").sendMessages(bodies(3));
    await clock.advance(5 * minute);
    isAway = false;
    await clock.advance(5 * minute);

    expect(counts.length).toBeGreaterThan(5);
    expect(new Set(counts)).toEqual(new Set([0]));
  });

  it.each([0, 50])("keeps no message locked and none in its buffer, with prefetchCount %i", async (prefetchCount) => {
    const { client, clock } = setup({ queues: ["orders"] });
    const { handlers } = noting(() => Promise.reject(away()));
    const processor = client.startProcessor("orders", handlers, {
      prefetchCount,
      maxConcurrentCalls: 4,
      pauseWhen: { pause: "10m", maxPause: "1h" },
    });
    await client.createSender("orders").sendMessages(bodies(100));
    await clock.advance(minute);
    const paused = processor.isPaused;
    const other = await client.createReceiver("orders").receiveMessages(200, { maxWaitTimeInMs: 0 });

    expect(paused).toBe(true);
    expect(other).toHaveLength(100);
  });

  it("tries one message after a pause, and pauses longer when it fails", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const start = clock.now();
    const calls: number[] = [];
    client.startProcessor(
      "orders",
      {
        processMessage() {
          calls.push(Math.round((clock.now() - start) / 1_000));
          throw away();
        },
        processError: () => undefined,
      },
      { maxConcurrentCalls: 5, pauseWhen: { consecutiveFailures: 5, pause: "10s", maxPause: "40s" } },
    );
    await client.createSender("orders").sendMessages(bodies(50));
    for (let turn = 0; turn < 140; turn++) await clock.advance(1_000);

    const [first = NaN, second = NaN, third = NaN, fourth = NaN] = calls.slice(5);
    expect(calls.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(calls.length).toBeLessThanOrEqual(10);
    for (const [waited, wanted] of [
      [first, 10],
      [second - first, 20],
      [third - second, 40],
      [fourth - third, 40],
    ] as const) {
      expect(waited).toBeGreaterThanOrEqual(wanted * 0.8 - 1);
      expect(waited).toBeLessThanOrEqual(wanted * 1.2 + 1);
    }
  });

  it("skips a message that fails every time, and finally dead-letters it", async () => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 10 } } });
    const handled = new Set<unknown>();
    client.startProcessor(
      "orders",
      {
        processMessage({ body }) {
          if (body === 1 || body === 2) throw new Error("poison");
          handled.add(body);
        },
        processError: () => undefined,
      },
      { pauseWhen: {} },
    );
    await client.createSender("orders").sendMessages(bodies(100));
    for (let turn = 0; turn < 200; turn++) await clock.advance(3_000);

    expect(handled.size).toBe(98);
    const letters = await client.createReceiver("orders/$DeadLetterQueue").peekMessages(5);
    expect(letters.map(({ body }) => body)).toEqual([1, 2]);
  });

  it("pauses by the share of failures among the last ones", async () => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 100 } } });
    let calls = 0;
    const processor = client.startProcessor(
      "orders",
      {
        processMessage() {
          if (calls++ % 2 === 0) throw away();
        },
        processError: () => undefined,
      },
      { pauseWhen: { consecutiveFailures: 100, failureRate: 0.5, sampleSize: 8 } },
    );
    await client.createSender("orders").sendMessages(bodies(50));
    await clock.advance(1_000);
    await clock.advance(1_000);

    expect(calls).toBe(9);
    expect(processor.isPaused).toBe(true);
  });

  it("counts only the errors that it is set to count", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const { handlers } = noting(() => Promise.reject(new Error("wrong order")));
    const processor = client.startProcessor("orders", handlers, { pauseWhen: { error: () => false } });
    await client.createSender("orders").sendMessages(bodies(5));
    for (let turn = 0; turn < 60; turn++) await clock.advance(0);

    expect(processor.isPaused).toBe(false);
    expect(await client.createReceiver("orders/$DeadLetterQueue").peekMessages(9)).toHaveLength(5);
  });

  it("pauses the sessions of a session processor, which then go on in order", async () => {
    const { client, clock } = setup({ queues: { carts: { requiresSession: true, maxDeliveryCount: 10 } } });
    const until = clock.now() + minute;
    const handled = new Map<string, unknown[]>();
    client.startSessionProcessor(
      "carts",
      {
        processMessage({ body, sessionId = "" }) {
          if (clock.now() < until) throw away();
          handled.set(sessionId, [...(handled.get(sessionId) ?? []), body]);
        },
        processError: () => undefined,
      },
      { maxConcurrentSessions: 4, pauseWhen: {}, sessionIdleTimeout: 100 },
    );
    const ids = Array.from({ length: 20 }, (_, index) => `cart-${index}`);
    await client
      .createSender("carts")
      .sendMessages(ids.flatMap((sessionId) => bodies(5).map(({ body }) => ({ body, sessionId }))));
    for (let turn = 0; turn < 400; turn++) await clock.advance(1_000);

    expect([...handled.keys()].toSorted()).toEqual(ids.toSorted());
    for (const order of handled.values()) expect(order).toEqual([1, 2, 3, 4, 5]);
    expect(await client.createReceiver("carts/$DeadLetterQueue").peekMessages(1)).toEqual([]);
  });

  it("gives the trial to another loop when the link is lost in it", async () => {
    const { client, clock, faults } = setup({ queues: ["orders"] });
    let isAway = true;
    const handled: unknown[] = [];
    client.startProcessor(
      "orders",
      {
        processMessage({ body }) {
          if (isAway) throw away();
          handled.push(body);
        },
        processError: () => undefined,
      },
      { maxConcurrentCalls: 3, pauseWhen: { consecutiveFailures: 1 } },
    );
    await client.createSender("orders").sendMessages(bodies(2));
    await clock.advance(0);
    isAway = false;
    faults.refuse("receive", "ServiceCommunicationProblem", { times: 3 });
    for (let turn = 0; turn < 60; turn++) await clock.advance(1_000);

    expect(new Set(handled)).toEqual(new Set([1, 2]));
  });

  it("closes while it is paused", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const { handlers } = noting(() => Promise.reject(away()));
    const processor = client.startProcessor("orders", handlers, {
      maxConcurrentCalls: 3,
      pauseWhen: { consecutiveFailures: 1 },
    });
    await client.createSender("orders").sendMessages(bodies(5));
    await clock.advance(0);

    await processor.close();

    expect([processor.isRunning, processor.isPaused]).toEqual([false, false]);
  });
});

describe("the option pauseWhen", () => {
  it.each<[object, string]>([
    [{ consecutiveFailures: 0 }, "$.pauseWhen.consecutiveFailures"],
    [{ failureRate: 0 }, "$.pauseWhen.failureRate"],
    [{ sampleSize: 0 }, "$.pauseWhen.sampleSize"],
    [{ error: "ECONNREFUSED" }, "$.pauseWhen.error"],
    [{ pause: "soon" }, "$.pauseWhen.pause"],
    [{ after: 5 }, "$.pauseWhen.after"],
  ])("refuses %o", (pauseWhen: PauseWhen, path) => {
    const { client } = setup({ queues: ["orders"] });
    const error = refusal(() => client.startProcessor("orders", noting(() => undefined).handlers, { pauseWhen }));

    expect(error.code).toBe("InvalidArgument");
    expect(error.path).toBe(path);
  });
});
