import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { failureProperty, type ReadMessage } from "../../../src/client/client/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import type { Engine } from "../../../src/core/engine/index.ts";
import { sobreMatchers, testEngine } from "../../../src/client/testing/index.ts";
import { refusal } from "../../refusal.support.ts";
import { noting, one, setup } from "./setup.support.ts";

const Order = defineMessage(
  "acme.order",
  { 1: z.object({ key: z.number() }), 2: z.object({ id: z.number() }) },
  { upcast: { 1: ({ key }) => ({ id: key }) } },
);
const Invoice = defineMessage("acme.invoice", { 1: z.object({ number: z.string() }) });

describe("a processor of message types", () => {
  it("hands each body over as its type says, distinguished by messageType", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const seen: (number | string)[] = [];
    client.startProcessor(
      "orders",
      {
        processMessage: (message) => {
          if (message.messageType === "acme.order") seen.push(message.body.id);
          else seen.push(message.body.number);
        },
        processError: vi.fn(),
      },
      { messageTypes: [Order, Invoice] },
    );

    await client.createSender("orders").sendMessages([Order.message({ id: 7 }), Invoice.message({ number: "A" })]);
    await clock.advance(0);

    expect(seen).toEqual([7, "A"]);
  });

  it.each([
    ["ValidationFailed", { "sobre-type": "acme.order", "sobre-version": 2 }],
    ["UnknownMessageVersion", { "sobre-type": "acme.order", "sobre-version": 9 }],
    ["UnknownMessageType", { "sobre-type": "acme.other" }],
  ])("dead-letters at once with the reason %s", async (reason, applicationProperties) => {
    const { client, clock, engine } = setup({ queues: ["orders"] });
    const { errors, handlers } = noting(vi.fn());
    client.startProcessor("orders", handlers, { messageTypes: [Order] });

    await client.createSender("orders").sendMessages({ body: { key: 7 }, applicationProperties });
    await clock.advance(0);

    expect(handlers.processMessage).not.toHaveBeenCalled();
    expect(errors).toMatchObject([{ errorSource: "deserialize", code: reason }]);
    expect((await sobreMatchers.toHaveDeadLettered(engine, "orders", { reason, count: 1 })).pass).toBe(true);
  });
});

describe("a completion that the broker has not confirmed", () => {
  it("does not keep the next message waiting, and the one after that is handled and waits to be completed", async () => {
    const { engine } = testEngine({ queues: ["orders"] });
    const answers: (() => void)[] = [];
    const settle: Engine["settle"] = async (...given) => {
      await engine.settle(...given);
      await new Promise<void>((answer) => answers.push(answer));
    };
    const { client, clock } = setup({}, { engine: { ...engine, settle } });
    const handled: unknown[] = [];
    const { errors, handlers } = noting(({ body }: { readonly body: unknown }) => void handled.push(body));
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);

    const processor = client.startProcessor("orders", handlers);
    await clock.advance(0);
    const meanwhile = [[...handled], answers.length];
    for (let answer = answers.shift(); answer !== undefined; answer = answers.shift()) {
      answer();
      await clock.advance(0);
    }
    await processor.close();

    expect(meanwhile).toEqual([[1, 2], 1]);
    expect(handled).toEqual([1, 2, 3]);
    expect(errors).toEqual([]);
  });

  it.each([
    { prefetchCount: 4, maxConcurrentCalls: 2, pending: 4 },
    { prefetchCount: 200, maxConcurrentCalls: 1, pending: 8 },
  ])(
    "leaves room for as many more as were prefetched for a call, at most eight: %o",
    async ({ pending, ...options }) => {
      const { engine } = testEngine({ queues: ["orders"] });
      const answers: (() => void)[] = [];
      const unconfirmed = (connection: Engine): Engine => ({
        ...connection,
        connect: async () => unconfirmed(await connection.connect()),
        async settle(...given) {
          await new Promise<void>((answer) => answers.push(answer));
          await connection.settle(...given);
        },
      });
      const { client, clock } = setup({}, { engine: unconfirmed(engine) });
      const { errors, handlers } = noting(vi.fn());
      await client.createSender("orders").sendMessages(Array.from({ length: 20 }, (_, body) => ({ body })));

      const processor = client.startProcessor("orders", handlers, options);
      await clock.advance(0);
      const meanwhile = answers.length;
      for (let answer = answers.shift(); answer !== undefined; answer = answers.shift()) {
        answer();
        await clock.advance(0);
      }
      await processor.close();

      expect(meanwhile).toBe(pending);
      expect(handlers.processMessage).toHaveBeenCalledTimes(20);
      expect(errors).toEqual([]);
      expect(await engine.peek("orders", { maxMessages: 1 })).toEqual([]);
    },
  );

  it("is waited for when the processor closes", async () => {
    const { engine } = testEngine({ queues: ["orders"] });
    const answers: (() => void)[] = [];
    const settle: Engine["settle"] = async (...given) => {
      await new Promise<void>((answer) => answers.push(answer));
      await engine.settle(...given);
    };
    const { client, clock } = setup({}, { engine: { ...engine, settle } });
    const { handlers } = noting(() => undefined);
    await client.createSender("orders").sendMessages({ body: 1 });
    const processor = client.startProcessor("orders", handlers);
    await clock.advance(0);

    const closing = processor.close();
    await clock.advance(0);
    const before = await engine.peek("orders", { maxMessages: 1 });
    for (const answer of answers) answer();
    await closing;

    expect(before).toHaveLength(1);
    expect(await engine.peek("orders", { maxMessages: 1 })).toEqual([]);
  });
});

it("a body that zod refuses is dead-lettered with its reason, and nothing of the body", async () => {
  const { client, clock, engine } = setup({ queues: ["orders"] });
  const Placed = defineMessage("shop.order", { 1: z.object({ orderId: z.string() }) });
  const { errors, handlers } = noting(vi.fn());
  client.startProcessor("orders", handlers, { messageTypes: [Placed] });

  const applicationProperties = { "sobre-type": "shop.order", "sobre-version": 1 };
  await client.createSender("orders").sendMessages({ body: { orderId: 4711 }, applicationProperties });
  await clock.advance(0);

  const letter = one(await engine.peek("orders/$DeadLetterQueue", { maxMessages: 1 }));
  const reason = "$.orderId is refused by zod: Invalid input: expected string, received number";
  expect(letter.deadLetterReason).toBe("ValidationFailed");
  expect(letter.deadLetterErrorDescription).toContain(reason);
  expect(letter.deadLetterErrorDescription).not.toContain("4711");
  expect(String(one(errors).error)).toContain(reason);
});

describe("a handler that fails", () => {
  it("keeps its cause on the dead letter, cut to 1,024 characters", async () => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 2 } } });
    const { handlers } = noting(() => Promise.reject(new RangeError(`no stock ${"x".repeat(2_000)}`)));
    client.startProcessor("orders", handlers);

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);
    const letter = one(await client.createReceiver("orders/$DeadLetterQueue").peekMessages(1));

    expect(letter.deadLetterReason).toBe("MaxDeliveryCountExceeded");
    expect(letter.applicationProperties[failureProperty]).toMatch(/^RangeError: no stock x+…$/);
    expect(String(letter.applicationProperties[failureProperty])).toHaveLength(1_024);
  });

  it("is abandoned without its cause where the properties leave no room, or when it throws no error", async () => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 1 } } });
    const { handlers } = noting(() => {
      // oxlint-disable-next-line typescript/only-throw-error -- what is tested
      throw "text";
    });
    client.startProcessor("orders", handlers);

    await client
      .createSender("orders")
      .sendMessages([{ body: 1, applicationProperties: { filler: "x".repeat(64 * 1024 - 500) } }, { body: 2 }]);
    await clock.advance(0);
    const [full, small] = await client.createReceiver("orders/$DeadLetterQueue").peekMessages(2);

    expect(full?.applicationProperties[failureProperty]).toBeUndefined();
    expect(small?.applicationProperties[failureProperty]).toBe("string thrown");
  });

  it.each([
    ["a getter that throws", Object.defineProperty(new Error("x"), "message", { get: () => JSON.parse("{") })],
    ["a name that is not a text", Object.assign(new Error("x"), { name: Symbol("odd") })],
    ["a proxy that was revoked", revokedProxy()],
  ])("is abandoned, and the processor goes on, whatever it throws: %s", async (_what, thrown) => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 1 } } });
    const { handlers } = noting(() => {
      throw thrown;
    });
    const processor = client.startProcessor("orders", handlers);

    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await clock.advance(0);
    const letters = await client.createReceiver("orders/$DeadLetterQueue").peekMessages(5);

    expect(letters).toHaveLength(2);
    expect(letters[1]?.applicationProperties[failureProperty]).toBe("an error thrown that cannot be described");
    expect(processor.isRunning).toBe(true);
  });

  it("does not stop the processor, nor does a failing processError", async () => {
    const { client, clock } = setup({ queues: { orders: { maxDeliveryCount: 1 } } });
    const processMessage = vi.fn(({ body }: { readonly body: unknown }) => {
      if (body === 1) throw new Error("first");
    });
    client.startProcessor("orders", {
      processMessage,
      processError: () => Promise.reject(new Error("nobody listens")),
    });

    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await clock.advance(0);

    expect(processMessage).toHaveBeenCalledTimes(2);
  });
});

describe("a handler's context", () => {
  it("settles the message, which is then not settled again", async () => {
    const { client, clock, engine } = setup({ queues: ["orders"] });
    const { errors, handlers } = noting(async (message: ReadMessage<readonly []>, context) => {
      const { body } = message;
      if (body === "complete") await context.completeMessage(message);
      if (body === "dead-letter") await context.deadLetterMessage(message, { deadLetterReason: "Refused" });
      if (body === "defer") await context.deferMessage(message, { later: true });
    });
    client.startProcessor("orders", handlers);

    await client
      .createSender("orders")
      .sendMessages([{ body: "complete" }, { body: "dead-letter" }, { body: "defer" }]);
    await clock.advance(0);

    expect(errors).toEqual([]);
    expect(await client.createReceiver("orders").peekMessages(5)).toMatchObject([{ body: "defer", state: "deferred" }]);
    expect((await sobreMatchers.toHaveDeadLettered(engine, "orders", { reason: "Refused" })).pass).toBe(true);
  });

  it("leaves messages alone with autoCompleteMessages off, until the lock ends", async () => {
    const { client, clock } = setup({ queues: { orders: { lockDuration: 10_000 } } });
    const processMessage = vi.fn();
    client.startProcessor("orders", { processMessage, processError: vi.fn() }, { autoCompleteMessages: false });

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(10_000);

    expect(processMessage).toHaveBeenCalledTimes(2);
  });

  it("has a signal that is aborted when the lock is lost; the message is not settled then", async () => {
    const { client, clock, faults } = setup({ queues: { orders: { lockDuration: 10_000 } } });
    let signal: AbortSignal | undefined;
    let finish: (() => void) | undefined;
    const { errors, handlers } = noting(async (_message, context) => {
      signal ??= context.abortSignal;
      await new Promise<void>((resolve) => (finish ??= resolve));
    });
    client.startProcessor("orders", handlers);
    faults.refuse("renew", "MessageLockLost");

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(4_999);
    const before = signal?.aborted;
    await clock.advance(1);
    finish?.();
    await clock.advance(0);

    expect([before, signal?.aborted]).toEqual([false, true]);
    expect(errors).toMatchObject([{ errorSource: "renewLock", code: "MessageLockLost" }]);
    finish = () => undefined;
  });
});

describe("closing", () => {
  it("waits for the handlers and releases uncounted what was fetched ahead", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    let finish: (() => void) | undefined;
    const bodies: unknown[] = [];
    const { errors, handlers } = noting(async ({ body }: { readonly body: unknown }) => {
      await new Promise<void>((resolve) => (finish = resolve));
      bodies.push(body);
    });
    const processor = client.startProcessor("orders", handlers, { prefetchCount: 3 });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
    await clock.advance(0);

    const closing = processor.close();
    const running = processor.isRunning;
    finish?.();
    await closing;

    expect(running).toBe(false);
    expect(bodies).toEqual([1]);
    expect(errors).toEqual([]);
    expect(await client.createReceiver("orders").receiveMessages(5, { maxWaitTimeInMs: 0 })).toMatchObject([
      { body: 2, deliveryCount: 0 },
      { body: 3, deliveryCount: 0 },
    ]);
  });

  it("of the client ends its processors, and nothing is made afterwards", async () => {
    const { client } = setup({ queues: ["orders"] });
    const processor = client.createReceiver("orders").subscribe({ processMessage: vi.fn(), processError: vi.fn() });

    await client.close();

    expect(processor.isRunning).toBe(false);
    expect(refusal(() => client.createSender("orders")).code).toBe("Closed");
  });
});

describe("options", () => {
  const handlers = { processMessage: vi.fn(), processError: vi.fn() };

  it.each<readonly [string, Record<string, unknown>, Record<string, unknown>]>([
    ["maxConcurrentCalls", {}, { maxConcurrentCalls: 0 }],
    ["maxConcurrentCalls", {}, { maxConcurrentCalls: 1.5 }],
    ["autoCompleteMessages", {}, { autoCompleteMessages: "no" }],
    ["prefetchCount", {}, { prefetchCount: Number.NaN }],
    ["receiveMode", {}, { receiveMode: "" }],
    ["maxAutoLockRenewalDurationInMs", {}, { maxAutoLockRenewalDurationInMs: -1 }],
    ["processMessage", { processMessage: undefined }, {}],
    ["processError", { processError: "log" }, {}],
    ["processUnreadable", { processUnreadable: 1 }, {}],
  ])("refuses a wrong %s and names it", (option, wrongHandlers, options) => {
    const { client } = setup({ queues: ["orders"] });
    const create = Reflect.get(client, "startProcessor");

    const error = refusal(() => Reflect.apply(create, client, ["orders", { ...handlers, ...wrongHandlers }, options]));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
  });

  it("refuses an entity without a name, and message types that share one", () => {
    const { client } = setup({ queues: ["orders"] });

    expect(refusal(() => client.createSender("")).path).toBe("$.entityPath");
    expect(
      refusal(() => client.startProcessor("orders", handlers, { messageTypes: [Order, Order] })).message,
    ).toContain("acme.order");
  });
});

function revokedProxy(): Error {
  const { proxy, revoke } = Proxy.revocable(new Error("x"), {});
  revoke();
  return proxy;
}
