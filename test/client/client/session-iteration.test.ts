import { describe, expect, it } from "vitest";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import type { Client } from "../../../src/client/client/index.ts";
import { rejection } from "../../refusal.support.ts";
import { advancedUntil, noting, setup } from "./setup.support.ts";

const queues = { orders: { requiresSession: true, lockDuration: 60_000 } };
const sendTo = (client: Client, sessionId: string): Promise<void> =>
  client.createSender("orders").sendMessages({ sessionId, body: "hello" });

describe("iterating a session", () => {
  it.each<readonly [string, readonly string[], (all: ReturnType<typeof setup>) => Promise<void>]>([
    ["whose lock was lost", ["SessionLockLost"], ({ clock }) => clock.advance(61_000)],
    [
      "whose connection was cut",
      ["ServiceCommunicationProblem", "SessionCannotBeLocked"],
      ({ faults }) => faults.cut(),
    ],
  ])("accepts a session %s again, and reports it", async (_how, codes, lose) => {
    const all = setup({ queues });
    const { client, clock } = all;
    const session = await client.acceptSession("orders", "a", { maxAutoLockRenewalDurationInMs: 0 });
    const errors: unknown[] = [];
    const iterator = session.getMessageIterator({ onError: (error) => void errors.push(error) });
    const next = iterator.next();
    await clock.advance(0);
    await lose(all);
    await sendTo(client, "a");
    // The broker holds the session for a connection that was cut until its lock runs out.
    const message = await advancedUntil(clock, 1_000, next);

    expect(message).toMatchObject({ value: { body: "hello", sessionId: "a" } });
    expect([...new Set(errors.map((error) => SobreError.from(error).code))]).toEqual(codes);
    await session.setSessionState(new Uint8Array([1]));
    expect(await session.getSessionState()).toEqual(new Uint8Array([1]));
  });

  it("a processor on the session goes on too", async () => {
    const { client, clock, faults } = setup({ queues });
    const session = await client.acceptSession("orders", "a");
    const bodies: unknown[] = [];
    const { errors, handlers } = noting(({ body }: { readonly body: unknown }) => void bodies.push(body));
    session.subscribe(handlers);
    await clock.advance(0);
    await faults.cut();
    await sendTo(client, "a");
    await clock.advance(100_000);

    expect(bodies).toEqual(["hello"]);
    expect(new Set(errors.map(({ errorSource, code }) => `${errorSource}: ${code}`))).toEqual(
      new Set(["receive: ServiceCommunicationProblem", "receive: SessionCannotBeLocked"]),
    );
  });

  it("a session that another receiver took is not taken away from it", async () => {
    const { client, clock } = setup({ queues });
    const lost = await client.acceptSession("orders", "a", { maxAutoLockRenewalDurationInMs: 0 });
    await clock.advance(61_000);
    const other = await client.acceptSession("orders", "a");

    expect(await rejection(lost.receiveMessages(1, { maxWaitTimeInMs: 0 }))).toMatchObject({ code: "SessionLockLost" });
    expect(await rejection(lost.receiveMessages(1, { maxWaitTimeInMs: 0 }))).toMatchObject({
      code: "SessionCannotBeLocked",
    });
    await lost.close();
    await other.setSessionState(new Uint8Array([1]));
  });

  it("ends at once when the receiver is closed while it waits to try again", async () => {
    const { client, clock, faults } = setup({ queues: ["plain"] });
    faults.refuse("receive", "ServiceCommunicationProblem");
    const receiver = client.createReceiver("plain");
    const next = receiver.getMessageIterator().next();
    await clock.advance(0);
    await receiver.close();

    expect(await next).toEqual({ done: true, value: undefined });
  });
});
