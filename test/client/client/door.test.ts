import { expect, it } from "vitest";
import { compression } from "../../../src/client/stages/index.ts";
import { rejection } from "../../refusal.support.ts";
import { advancedUntil, noting, one, setup } from "./setup.support.ts";

it("a message whose answer was lost is sent again with the same id, and an entity that detects duplicates keeps one", async () => {
  const { client, clock, faults } = setup({ queues: { orders: { requiresDuplicateDetection: true } } });
  faults.loseAnswer("send");

  await advancedUntil(clock, 1_000, client.createSender("orders").sendMessages({ body: 1 }));

  const [kept, ...more] = await client.createReceiver("orders").peekMessages(5);
  expect(kept?.messageId).toMatch(/^[0-9a-f-]{36}$/);
  expect(more).toEqual([]);
});

it("a topic's subscription is received from by two names, and its sessions accepted by three", async () => {
  const { client } = setup({
    topics: { prices: { subscriptions: { eu: {}, talks: { requiresSession: true } } } },
  });
  const sender = client.createSender("prices");
  await sender.sendMessages([
    { body: 1, sessionId: "a" },
    { body: 2, sessionId: "b" },
  ]);

  const receiver = client.createReceiver("prices", "eu", { receiveMode: "receiveAndDelete" });
  const session = await client.acceptSession("prices", "talks", "b");
  const next = await client.acceptNextSession("prices", "talks");

  expect(receiver.entityPath).toBe("prices/Subscriptions/eu");
  expect(await receiver.receiveMessages(5)).toMatchObject([{ body: 1 }, { body: 2 }]);
  expect(one(await session.receiveMessages(1)).body).toBe(2);
  expect(next.sessionId).toBe("a");
});

it("everything that is opened is closed by `await using`", async () => {
  const { client, clock } = setup({ queues: { orders: {}, talks: { requiresSession: true } } });
  await client.createSender("talks").sendMessages({ body: 1, sessionId: "a" });
  const opened = [
    client.createSender("orders"),
    client.createReceiver("orders"),
    client.startProcessor("orders", noting(() => undefined).handlers),
    await client.acceptNextSession("talks"),
    client,
  ];

  for (const end of opened) await end[Symbol.asyncDispose]();

  const [sender, receiver, processor, session] = opened;
  expect(processor).toMatchObject({ isRunning: false });
  await clock.advance(0);
  for (const end of [sender, receiver, session])
    expect((await rejection(Reflect.apply(verbOf(end), end, [1]))).code).toBe("Closed");
});

function verbOf(end: unknown): () => Promise<unknown> {
  const verb: unknown = Object.getOwnPropertyNames(end).includes("sendMessages") ? "sendMessages" : "receiveMessages";
  const found: unknown = Reflect.get(Object(end), String(verb));
  if (typeof found !== "function") throw new Error("No verb");
  return async (...given) => Reflect.apply(found, end, verb === "sendMessages" ? [{ body: 1 }] : given);
}

it("a batch that would have to wait refuses tryAddMessage and names addMessage", async () => {
  const { client } = setup({ queues: ["orders"] }, { stages: [compression({ encoding: "gzip" })] });
  const batch = await client.createSender("orders").createMessageBatch();

  expect(() => batch.tryAddMessage({ body: 1 })).toThrow(/InvalidOperation|await batch\.addMessage/);
  expect(await batch.addMessage({ body: 1 })).toBe(true);
  expect(batch.count).toBe(1);
});

it("a handler settles by the message that it was given", async () => {
  const { client, clock } = setup({ queues: ["orders"] });
  const { errors, handlers } = noting(async (_message, context) =>
    Reflect.apply(context.completeMessage.bind(context), context, []),
  );
  client.startProcessor("orders", handlers);

  await client.createSender("orders").sendMessages({ body: 1 });
  await clock.advance(0);

  expect(String(errors[0]?.error)).toContain("The first argument must be a message");
});
