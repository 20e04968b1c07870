import { describe, expect, it } from "vitest";
import type { PayloadStage } from "../../../src/core/codec/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import type { Engine } from "../../../src/core/engine/index.ts";
import { testEngine } from "../../../src/client/testing/index.ts";
import { advancedUntil, noting, setup } from "./setup.support.ts";

const deadLetterQueue = "orders/$DeadLetterQueue";
const twenty = Array.from({ length: 20 }, (_, body) => ({ body }));

describe("messages that were fetched ahead", () => {
  it("are renewed while they wait, so that none is dead-lettered that no handler saw", async () => {
    const { client, clock } = setup({ queues: { orders: { lockDuration: 30_000, maxDeliveryCount: 3 } } });
    const handled: unknown[] = [];
    const { errors, handlers } = noting(async ({ body, deliveryCount }) => {
      handled.push([body, deliveryCount]);
      await new Promise<void>((done) => clock.setTimer(clock.now() + 10_000, done));
    });
    await client.createSender("orders").sendMessages(twenty);

    client.startProcessor("orders", handlers, { prefetchCount: 20 });
    for (let seconds = 0; seconds < 220; seconds++) await clock.advance(1_000);

    expect(handled).toEqual(twenty.map(({ body }) => [body, 0]));
    expect(errors).toEqual([]);
    expect(await client.createReceiver(deadLetterQueue).peekMessages(20)).toEqual([]);
  });

  it("are requested by the buffer in bulk, not for every few that were taken", async () => {
    const { engine } = testEngine({ queues: ["orders"] });
    const batches: number[] = [];
    const counting = (connection: Engine): Engine => ({
      ...connection,
      connect: async () => counting(await connection.connect()),
      async openReceiver(...given) {
        const receiver = await connection.openReceiver(...given);
        return {
          async receive(options) {
            const deliveries = await receiver.receive(options);
            batches.push(deliveries.length);
            return deliveries;
          },
          close: () => receiver.close(),
        };
      },
    });
    const { client, clock } = setup({}, { engine: counting(engine) });
    const handled: unknown[] = [];
    const { handlers } = noting(({ body }) => void handled.push(body));
    await client.createSender("orders").sendMessages(Array.from({ length: 400 }, (_, body) => ({ body })));

    client.startProcessor("orders", handlers, { prefetchCount: 40, maxConcurrentCalls: 4 });
    while (handled.length < 400) await clock.advance(0);

    // The last ones are fewer than there would be room for.
    expect(batches.slice(0, -1).filter((size) => size < 10)).toEqual([]);
  });

  it("go back uncounted after five minutes in the buffer of a receiver that asks for no more", async () => {
    const { client, clock } = setup({ queues: { orders: { lockDuration: 30_000, maxDeliveryCount: 1 } } });
    await client.createSender("orders").sendMessages(twenty);
    const idle = client.createReceiver("orders", { prefetchCount: 20 });
    await idle.receiveMessages(1);
    const other = client.createReceiver("orders", { receiveMode: "receiveAndDelete" });

    expect(await advancedUntil(clock, 1_000, other.receiveMessages(20, { maxWaitTimeInMs: 60_000 }))).toEqual([]);
    for (let seconds = 0; seconds < 300; seconds++) await clock.advance(1_000);
    const taken = await other.receiveMessages(20, { maxWaitTimeInMs: 0 });

    expect(taken.map(({ deliveryCount }) => deliveryCount)).toEqual(Array.from({ length: 19 }, () => 0));
  });
});

/** A stage of a store that is away for as long as it is said. */
const away = (isAway: () => boolean): PayloadStage => ({
  name: "away",
  afterReceive(envelope) {
    if (isAway()) throw new SobreError("ServiceCommunicationProblem", "The store is away.");
    return envelope;
  },
});

describe("a store that is away", () => {
  it.each([
    { prefetchCount: 0, requiresSession: false },
    { prefetchCount: 20, requiresSession: false },
    { prefetchCount: 0, requiresSession: true },
  ])("pauses the whole processor, which holds no message meanwhile: %o", async ({ prefetchCount, requiresSession }) => {
    let isAway = true;
    const queues = { orders: { requiresSession, maxDeliveryCount: 2 } };
    const { client, clock, engine } = setup({ queues }, { stages: [away(() => isAway)] });
    const bodies: unknown[] = [];
    const { errors, handlers } = noting(({ body }) => void bodies.push(body));
    await client.createSender("orders").sendMessages(twenty.map((message) => ({ ...message, sessionId: "a" })));
    if (requiresSession) client.startSessionProcessor("orders", handlers);
    else client.startProcessor("orders", handlers, { prefetchCount, maxConcurrentCalls: 4 });

    // Between two tries, everything is there for others.
    const free: number[] = [];
    for (let seconds = 0; seconds < 3; seconds++) {
      await clock.advance(seconds === 0 ? 0 : 1_500);
      const { activeMessageCount } = await engine.admin.getQueueRuntimeProperties("orders");
      const other = await engine.connect();
      const receiver = requiresSession
        ? await other.acceptSession("orders", { sessionId: "a", receiveMode: "peekLock", maxWaitTimeInMs: 0 })
        : await other.openReceiver("orders", { receiveMode: "peekLock" });
      free.push((await receiver.receive({ maxMessages: 50, maxWaitTimeInMs: 0 })).length, activeMessageCount);
      await other.close();
    }
    const tries = errors.length;
    isAway = false;
    for (let seconds = 0; seconds < 60; seconds++) await clock.advance(1_000);

    expect(free).toEqual([20, 20, 20, 20, 20, 20]);
    expect(tries).toBeLessThanOrEqual(12);
    expect(new Set(bodies)).toEqual(new Set(twenty.map(({ body }) => body)));
    expect(bodies).toHaveLength(20);
    expect(await client.createReceiver(deadLetterQueue).peekMessages(20)).toEqual([]);
  });
});
