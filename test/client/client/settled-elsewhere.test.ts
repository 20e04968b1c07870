import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../src/core/engine/index.ts";
import type { MessageContext, ReadMessage, Receiver } from "../../../src/client/client/index.ts";
import { rejection } from "../../refusal.support.ts";
import { noting, one, setup } from "./setup.support.ts";

type Message = ReadMessage<readonly []>;
const queues = { orders: { lockDuration: 10_000, maxDeliveryCount: 3 }, later: {} };

describe("a handler that settles by the receiver, as in @azure/service-bus", () => {
  it.each<readonly [string, (receiver: Receiver, message: Delivery) => Promise<void>, number]>([
    ["completes", (receiver, message) => receiver.completeMessage(message), 0],
    ["dead-letters", (receiver, message) => receiver.deadLetterMessage(message), 0],
    ["defers", (receiver, message) => receiver.deferMessage(message), 1],
  ])("%s its message once, and reports no lost lock", async (_what, settle, left) => {
    const { client, clock } = setup({ queues });
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const { errors, handlers } = noting((message: Message) => settle(receiver, message));

    receiver.subscribe(handlers);
    await clock.advance(0);

    expect(errors).toEqual([]);
    expect(await receiver.peekMessages(5)).toHaveLength(left);
  });

  it("keeps working after it has completed the message, and keeps its signal", async () => {
    const { client, clock } = setup({ queues });
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const gate = new AbortController();
    const opened = new Promise<void>((resolve) => gate.signal.addEventListener("abort", () => resolve()));
    const aborted: boolean[] = [];
    const { errors, handlers } = noting(async (message: Message, { abortSignal }: MessageContext) => {
      await receiver.completeMessage(message);
      await opened;
      aborted.push(abortSignal.aborted);
    });

    client.startProcessor("orders", handlers);
    await clock.advance(60_000);
    gate.abort();
    await clock.advance(0);

    expect(aborted).toEqual([false]);
    expect(errors).toEqual([]);
  });

  it("has its message settled by the processor after a settlement that was refused for its own sake", async () => {
    const { client, clock } = setup({ queues });
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const { errors, handlers } = noting(async (message: Message) => {
      await rejection(receiver.deferMessage(message, { note: "x".repeat(70_000) }));
    });

    receiver.subscribe(handlers);
    await clock.advance(0);

    expect(errors).toEqual([]);
    expect(await receiver.peekMessages(5)).toEqual([]);
  });
});

describe("a receiver that renews its locks", () => {
  it("keeps the lock of a message whose settlement was refused for its own sake", async () => {
    const { client, clock } = setup({ queues });
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 100_000 });
    const message = one(await receiver.receiveMessages(1));

    const refused = await rejection(receiver.deferMessage(message, { note: "x".repeat(70_000) }));
    await clock.advance(30_000);
    await receiver.completeMessage(message);

    expect(refused.code).toBe("MessageSizeExceeded");
    expect(await receiver.peekMessages(1)).toEqual([]);
  });
});

describe("a handler that settles in a transaction", () => {
  it.each([0, 3])("sends a copy for later and completes, or neither, prefetching %i", async (prefetchCount) => {
    const { client, clock } = setup({ queues });
    const sender = client.createSender("later");
    const { errors, handlers } = noting(async (message: Message, context: MessageContext) => {
      const { body } = message;
      const transaction = await client.beginTransaction();
      await sender.sendMessages({ body }, { transaction });
      await context.completeMessage(message, { transaction });
      await (body === "keep" ? transaction.commit() : transaction.rollback());
    });

    await client.createSender("orders").sendMessages([{ body: "keep" }, { body: "undo" }]);
    const processor = client.startProcessor("orders", handlers, { prefetchCount });
    await clock.advance(0);
    await processor.close();
    await clock.advance(10_001);

    expect(errors).toEqual([]);
    expect(one(await client.createReceiver("later").peekMessages(5)).body).toBe("keep");
    expect(one(await client.createReceiver("orders").peekMessages(5)).body).toBe("undo");
  });

  it("refuses an unknown option", async () => {
    const { client, clock } = setup({ queues });
    const { errors, handlers } = noting((message: Message, context: MessageContext) =>
      Reflect.apply(context.completeMessage.bind(context), undefined, [message, { transacton: 1 }]),
    );
    client.startProcessor("orders", handlers);

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);

    expect(errors[0]).toMatchObject({ errorSource: "handler", code: "InvalidArgument" });
  });
});
