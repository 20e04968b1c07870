import { describe, expect, it, vi } from "vitest";
import type { CloseReport, Processor } from "../../../src/client/client/index.ts";
import { rejection } from "../../refusal.support.ts";
import { advancedUntil, noting, one, setup } from "./setup.support.ts";

const second = 1_000;

/** The result of a promise, once there is one. */
function outcome<T>(promise: Promise<T>): { value: T | undefined } {
  const noted: { value: T | undefined } = { value: undefined };
  void promise.then((value) => (noted.value = value));
  return noted;
}

const forever = (): Promise<never> => new Promise(() => undefined);

describe("closing with a time limit", () => {
  it.each([0, 10])(
    "aborts the handlers that still run and releases their messages, with prefetchCount %i",
    async (prefetchCount) => {
      const { client, clock } = setup({ queues: ["orders"] });
      const signals: AbortSignal[] = [];
      const { errors, handlers } = noting(
        ({ body }: { readonly body: unknown }, { abortSignal }: { readonly abortSignal: AbortSignal }) => {
          if (body === 3) return undefined;
          signals.push(abortSignal);
          return forever();
        },
      );
      const processor = client.startProcessor("orders", handlers, { maxConcurrentCalls: 3, prefetchCount });
      await client.createSender("orders").sendMessages([1, 2, 3].map((body) => ({ body, messageId: `order-${body}` })));
      await clock.advance(0);

      const report = outcome(processor.close({ timeoutInMs: 10 * second }));
      await clock.advance(9 * second);
      const before = [report.value, ...signals.map(({ aborted }) => aborted)];
      await clock.advance(2 * second);

      expect(before).toEqual([undefined, false, false]);
      expect(report.value?.left).toMatchObject([
        { entityPath: "orders", messageId: "order-1", sequenceNumber: 1n },
        { entityPath: "orders", messageId: "order-2" },
      ]);
      expect(signals.map(({ reason }) => Reflect.get(reason, "code"))).toEqual(["Aborted", "Aborted"]);
      const again = await client.createReceiver("orders").receiveMessages(5, { maxWaitTimeInMs: 0 });
      expect(again.map(({ body, deliveryCount }) => [body, deliveryCount])).toEqual([
        [1, 0],
        [2, 0],
      ]);
      expect(errors).toEqual([]);
    },
  );

  it("resolves as soon as the handlers have ended, and has left nothing", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    let finish: (() => void) | undefined;
    const { handlers } = noting(() => new Promise<void>((resolve) => (finish = resolve)));
    const processor = client.startProcessor("orders", handlers);
    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);

    const report = outcome(processor.close({ timeoutInMs: 60 * second }));
    await clock.advance(second);
    finish?.();
    await clock.advance(0);

    expect(report.value).toEqual({ left: [] });
    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });

  it("takes nothing more while it waits", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const seen: unknown[] = [];
    const { handlers } = noting(({ body }: { readonly body: unknown }) => {
      seen.push(body);
      return forever();
    });
    const processor = client.startProcessor("orders", handlers);
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await clock.advance(0);

    const report = outcome(processor.close({ timeoutInMs: second }));
    await clock.advance(10 * second);

    expect(seen).toEqual([1]);
    expect(report.value?.left).toHaveLength(1);
  });

  it("counts no delivery for a handler that rejects when it is aborted, and refuses one that settles after it", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const late: unknown[] = [];
    const { handlers } = noting<{ readonly body: unknown; readonly lockToken: unknown }>(() => undefined);
    const processor = client.startProcessor(
      "orders",
      {
        ...handlers,
        async processMessage(message, context) {
          const { abortSignal } = context;
          await new Promise((resolve) => abortSignal.addEventListener("abort", resolve));
          if (message.body === 2) throw abortSignal.reason;
          await clock.advance(0);
          late.push((await rejection(context.completeMessage(message))).code);
        },
      },
      { maxConcurrentCalls: 2 },
    );
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await clock.advance(0);

    const report = outcome(processor.close({ timeoutInMs: second }));
    await clock.advance(5 * second);
    for (let turn = 0; turn < 5; turn++) await clock.advance(0);

    expect(report.value?.left).toHaveLength(2);
    expect(late).toEqual(["MessageLockLost"]);
    expect((await client.createReceiver("orders").peekMessages(5)).map(({ deliveryCount }) => deliveryCount)).toEqual([
      0, 0,
    ]);
  });

  it("releases the sessions of a session processor", async () => {
    const { client, clock } = setup({ queues: { carts: { requiresSession: true } } });
    const processor = client.startSessionProcessor("carts", { processMessage: forever, processError: () => undefined });
    await client.createSender("carts").sendMessages([{ body: 1, sessionId: "cart-7", messageId: "a" }]);
    await clock.advance(0);

    const report = outcome(processor.close({ timeoutInMs: second }));
    await clock.advance(5 * second);
    const session = await client.acceptSession("carts", "cart-7");

    expect(report.value?.left).toMatchObject([{ entityPath: "carts", messageId: "a" }]);
    expect(one(await session.receiveMessages(1, { maxWaitTimeInMs: 0 }))).toMatchObject({ body: 1, deliveryCount: 0 });
  });

  it.each([0, 10])(
    "called by a handler, lets it settle its own message, with prefetchCount %i",
    async (prefetchCount) => {
      const { client, clock } = setup({ queues: ["orders"] });
      const reports: CloseReport[] = [];
      const { errors, handlers } = noting(async ({ body }: { readonly body: unknown }) => {
        if (body === "closes") reports.push(await processor.close({ timeoutInMs: second }));
        else await forever();
      });
      const processor: Processor = client.startProcessor("orders", handlers, { maxConcurrentCalls: 2, prefetchCount });
      await client.createSender("orders").sendMessages(["works", "closes"].map((body) => ({ body, messageId: body })));
      await clock.advance(0);
      await clock.advance(5 * second);

      expect(reports).toMatchObject([{ left: [{ messageId: "works" }] }]);
      expect((await client.createReceiver("orders").peekMessages(5)).map(({ body }) => body)).toEqual(["works"]);
      expect(errors).toEqual([]);
    },
  );

  it("called by a handler of a session, lets it settle its own message", async () => {
    const { client, clock } = setup({ queues: { carts: { requiresSession: true } } });
    const reports: CloseReport[] = [];
    const { errors, handlers } = noting(async ({ body }: { readonly body: unknown }) => {
      if (body === "closes") reports.push(await processor.close({ timeoutInMs: second }));
      else await forever();
    });
    const processor: Processor = client.startSessionProcessor("carts", handlers);
    await client
      .createSender("carts")
      .sendMessages(["works", "closes"].map((body) => ({ body, messageId: body, sessionId: body })));
    await clock.advance(0);
    await clock.advance(5 * second);

    expect(reports).toMatchObject([{ left: [{ messageId: "works" }] }]);
    expect((await client.createReceiver("carts").peekMessages(5)).map(({ body }) => body)).toEqual(["works"]);
    expect(errors).toEqual([]);
  });

  it.each(["processor", "client"])("of a %s takes two seconds longer when the broker does not answer", async (what) => {
    const { client, clock, engine } = setup({ queues: ["orders"] });
    const processor = client.startProcessor("orders", { processMessage: forever, processError: () => undefined });
    await client.createSender("orders").sendMessages({ body: 1, messageId: "order-1" });
    await clock.advance(0);
    Object.defineProperty(engine, "settle", { value: forever });

    const report = outcome<CloseReport>((what === "client" ? client : processor).close({ timeoutInMs: 10 * second }));
    await clock.advance(10 * second);
    for (let turn = 0; turn < 20; turn++) await clock.advance(second / 10);

    expect(report.value).toMatchObject({ left: [{ messageId: "order-1" }] });
    await advancedUntil(clock, second, client.close({ timeoutInMs: 0 }));
  });

  it("does not name a message that its handler has settled", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const processor = client.startProcessor("orders", {
      async processMessage(message, context) {
        await context.completeMessage(message);
        await forever();
      },
      processError: () => undefined,
    });
    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);

    const report = outcome(processor.close({ timeoutInMs: second }));
    await clock.advance(2 * second);

    expect(report.value).toEqual({ left: [] });
    expect(await client.createReceiver("orders").peekMessages(5)).toEqual([]);
  });

  it("of a client closes all that it created, and names what all of them left", async () => {
    const { client, clock, engine } = setup({ queues: ["orders", "bills"] });
    for (const queue of ["orders", "bills"])
      client.startProcessor(queue, { processMessage: forever, processError: () => undefined });
    client.createReceiver("orders").subscribe({ processMessage: forever, processError: () => undefined });
    const sender = client.createSender("orders");
    await sender.sendMessages([{ body: 1 }, { body: 2 }]);
    await client.createSender("bills").sendMessages({ body: 3 });
    for (let turn = 0; turn < 5; turn++) await clock.advance(0);

    const report = outcome(client.close({ timeoutInMs: second }));
    for (let turn = 0; turn < 100; turn++) await clock.advance(100);

    expect(report.value?.left.map(({ entityPath }) => entityPath).toSorted()).toEqual(["bills", "orders", "orders"]);
    expect((await rejection(sender.sendMessages({ body: 4 }))).code).toBe("Closed");
    expect(await engine.peek("bills", { maxMessages: 5 })).toHaveLength(1);
  });

  it.each([[{ timeoutInMs: -1 }], [{ timeout: 1 }]])("refuses %o", async (options) => {
    const { client } = setup({ queues: ["orders"] });
    const processor = client.startProcessor("orders", noting(() => undefined).handlers);

    for (const closable of [client, processor])
      expect(
        (await rejection(Promise.resolve(Reflect.apply(Reflect.get(closable, "close"), closable, [options])))).code,
      ).toBe("InvalidArgument");
  });

  it("of a client that is already closing waits for the same handlers, with its own time limit", async () => {
    const { client, clock, engine } = setup({ queues: ["orders"] });
    const closed: string[] = [];
    const { handlers } = noting(forever);
    client.startProcessor("orders", handlers);
    await client.createSender("orders").sendMessages({ body: 1, messageId: "order-1" });
    await clock.advance(0);

    const first = outcome(client.close().then(() => closed.push("first")));
    const limited = outcome(client.close({ timeoutInMs: 10_000 }));
    await clock.advance(9_000);
    const before = [first.value, limited.value];
    await clock.advance(2_000);

    expect(before).toEqual([undefined, undefined]);
    expect(limited.value?.left).toMatchObject([{ messageId: "order-1" }]);
    expect(await engine.peek("orders", { maxMessages: 1 })).toMatchObject([{ deliveryCount: 0 }]);
  });

  it("closes the engine once, when all handlers have ended, however often it is called", async () => {
    const { client, clock, engine } = setup({ queues: ["orders"] }, { closeEngine: true });
    const close = vi.spyOn(engine, "close");
    let finish: (() => void) | undefined;
    const { handlers } = noting(() => new Promise<void>((resolve) => (finish = resolve)));
    client.startProcessor("orders", handlers);
    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);

    const both = outcome(Promise.all([client.close(), client.close()]));
    await clock.advance(0);
    const before = [both.value, close.mock.calls.length];
    finish?.();
    await clock.advance(0);

    expect(before).toEqual([undefined, 0]);
    expect(both.value).toEqual([{ left: [] }, { left: [] }]);
    expect(close).toHaveBeenCalledTimes(1);
  });
});
