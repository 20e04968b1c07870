import { describe, expect, it } from "vitest";
import type { FaultyOperation } from "../../../src/client/testing/index.ts";
import type { Receiver } from "../../../src/client/client/index.ts";
import { rejection } from "../../refusal.support.ts";
import { advancedUntil, noting, one, setup, type Setup } from "./setup.support.ts";

const queues = { orders: { lockDuration: 60_000, maxDeliveryCount: 3 }, talks: { requiresSession: true } };

async function withMessage(): Promise<Setup & { readonly receiver: Receiver }> {
  const all = setup({ queues });
  await all.client.createSender("orders").sendMessages({ body: 1 });
  await all.client.createSender("talks").sendMessages({ body: 1, sessionId: "a" });
  return { ...all, receiver: all.client.createReceiver("orders") };
}

describe("calls that can be repeated without harm", () => {
  it.each<readonly [string, FaultyOperation, (all: Awaited<ReturnType<typeof withMessage>>) => Promise<unknown>]>([
    ["receiving", "receive", ({ receiver }) => receiver.receiveMessages(1)],
    ["opening a receiver", "open", ({ receiver }) => receiver.receiveMessages(1)],
    ["accepting a session", "acceptSession", ({ client }) => client.acceptSession("talks", "a")],
    ["completing", "settle", async ({ receiver }) => receiver.completeMessage(one(await receiver.receiveMessages(1)))],
    ["abandoning", "settle", async ({ receiver }) => receiver.abandonMessage(one(await receiver.receiveMessages(1)))],
    ["renewing", "renew", async ({ receiver }) => receiver.renewMessageLock(one(await receiver.receiveMessages(1)))],
    [
      "reading a session's state",
      "sessionState",
      async ({ client }) => (await client.acceptSession("talks", "a")).getSessionState(),
    ],
    [
      "scheduling",
      "schedule",
      ({ client }) => client.createSender("orders").scheduleMessages({ body: 1 }, new Date(9e12)),
    ],
  ])("are repeated while the broker is busy: %s", async (_name, operation, call) => {
    const all = await withMessage();
    all.faults.refuse(operation, "ServiceBusy", { times: 2 });

    await expect(advancedUntil(all.clock, 500, call(all))).resolves.not.toThrow();
  });

  it("are not: the writing of a session's state", async () => {
    const { client, faults } = await withMessage();
    const session = await client.acceptSession("talks", "a");
    faults.refuse("sessionState", "ServiceBusy");

    expect((await rejection(session.setSessionState(new Uint8Array(1)))).code).toBe("ServiceBusy");
  });
});

describe("a settlement whose answer was lost", () => {
  it("rejects with the lost lock of its repetition, and says that the outcome is unknown", async () => {
    const { receiver, clock, faults } = await withMessage();
    const message = one(await receiver.receiveMessages(1));
    faults.loseAnswer("settle");

    const error = await advancedUntil(clock, 500, rejection(receiver.completeMessage(message)));

    expect(error).toMatchObject({ code: "MessageLockLost", outcome: "unknown" });
  });

  it("is taken as done by a processor", async () => {
    const { client, clock, faults } = await withMessage();
    const bodies: unknown[] = [];
    const { errors, handlers } = noting(({ body }) => void bodies.push(body));
    faults.loseAnswer("settle");

    client.startProcessor("orders", handlers);
    for (let seconds = 0; seconds < 100; seconds++) await clock.advance(1_000);

    expect(errors).toEqual([]);
    expect(bodies).toEqual([1]);
  });

  it("does not run a handler again when the broker was busy", async () => {
    const { client, clock, faults } = await withMessage();
    const bodies: unknown[] = [];
    const { errors, handlers } = noting(({ body }) => void bodies.push(body));
    faults.refuse("settle", "ServiceBusy", { times: 3 });

    client.startProcessor("orders", handlers);
    for (let seconds = 0; seconds < 100; seconds++) await clock.advance(1_000);

    expect(errors).toEqual([]);
    expect(bodies).toEqual([1]);
    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });
});

it("a message shows the new end of its lock, renewed by the verb and by itself", async () => {
  const { client, clock, receiver } = await withMessage();
  const message = one(await receiver.receiveMessages(1));
  await clock.advance(10_000);

  const until = await receiver.renewMessageLock(message);

  expect(message.lockedUntilUtc).toEqual(until);
  await receiver.abandonMessage(message);
  const renewing = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 200_000 });
  const renewed = one(await renewing.receiveMessages(1));
  await clock.advance(100_000);
  expect(renewed.lockedUntilUtc?.getTime()).toBeGreaterThan(clock.now());
});

it("a session's state is bytes, and null clears it", async () => {
  const { client } = await withMessage();
  const session = await client.acceptSession("talks", "a");
  await session.setSessionState(new Uint8Array([1]));

  expect((await rejection(Reflect.apply(session.setSessionState.bind(session), undefined, ["text"]))).code).toBe(
    "InvalidArgument",
  );
  expect(await session.getSessionState()).toEqual(new Uint8Array([1]));
  await session.setSessionState(null);
  expect(await session.getSessionState()).toBeUndefined();
});
