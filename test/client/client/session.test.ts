import { describe, expect, it, vi } from "vitest";
import type { MessageContext, ReadMessage, SessionContext } from "../../../src/client/client/index.ts";
import { rejection, refusal } from "../../refusal.support.ts";
import { noting, one, setup } from "./setup.support.ts";

type Message = ReadMessage<readonly []>;
const queues = { orders: { requiresSession: true, lockDuration: 10_000 } };
const message = (sessionId: string, body: unknown): { readonly sessionId: string; readonly body: unknown } => ({
  sessionId,
  body,
});

describe("a session receiver", () => {
  it("receives one session in order and keeps its state", async () => {
    const { client } = setup({ queues });
    await client.createSender("orders").sendMessages([message("a", 1), message("b", 2), message("a", 3)]);

    const session = await client.acceptSession("orders", "a");
    const messages = await session.receiveMessages(5);
    await session.setSessionState(new Uint8Array([7]));
    const peeked = await session.peekMessages(5);
    await session.close();
    const next = await client.acceptNextSession("orders");
    const again = await client.acceptSession("orders", "a");

    expect(messages.map(({ body }) => body)).toEqual([1, 3]);
    expect(peeked).toHaveLength(2);
    expect(next.sessionId).toBe("b");
    expect(await again.getSessionState()).toEqual(new Uint8Array([7]));
  });

  it("has a processor of its own handle a message for longer than its lock, which is the session's", async () => {
    const { client, clock } = setup({ queues });
    await client.createSender("orders").sendMessages([message("a", "slow"), message("a", "next")]);
    const session = await client.acceptSession("orders", "a");
    const gate = new AbortController();
    const opened = new Promise<void>((resolve) => gate.signal.addEventListener("abort", () => resolve()));
    const story: unknown[] = [];
    const { errors, handlers } = noting(async ({ body }: Message, { abortSignal }: MessageContext) => {
      if (body === "slow") await opened;
      story.push([body, abortSignal.aborted]);
    });

    session.subscribe(handlers);
    await clock.advance(60_000);
    gate.abort();
    await clock.advance(0);

    expect(story).toEqual([
      ["slow", false],
      ["next", false],
    ]);
    expect(errors).toEqual([]);
    expect(await session.peekMessages(1)).toEqual([]);
  });

  it("is refused when another holds the session, or none is free in time", async () => {
    const { client } = setup({ queues });
    await client.createSender("orders").sendMessages(message("a", 1));
    await client.acceptSession("orders", "a");

    expect((await rejection(client.acceptSession("orders", "a"))).code).toBe("SessionCannotBeLocked");
    expect((await rejection(client.acceptNextSession("orders", { maxWaitTimeInMs: 0 }))).code).toBe("ServiceTimeout");
  });

  it("keeps its lock, for at most the maximum", async () => {
    const { client, clock } = setup({ queues });
    await client.createSender("orders").sendMessages(message("a", 1));
    const session = await client.acceptSession("orders", "a", { maxAutoLockRenewalDurationInMs: 60_000 });

    await clock.advance(59_000);
    const until = session.sessionLockedUntilUtc.getTime();
    const first = one(await session.receiveMessages(1));
    await clock.advance(20_000);

    expect(until).toBeGreaterThan(clock.now() - 20_000);
    expect((await rejection(session.completeMessage(first))).code).toMatch(/LockLost$/);
  });

  it("hands its messages to a subscription", async () => {
    const { client, clock } = setup({ queues });
    const { errors, handlers } = noting<Message>(vi.fn());
    await client.createSender("orders").sendMessages([message("a", 1), message("a", 2)]);
    const session = await client.acceptSession("orders", "a");

    session.subscribe(handlers);
    await clock.advance(0);
    await session.close();

    expect(handlers.processMessage).toHaveBeenCalledTimes(2);
    expect(errors).toEqual([]);
  });

  it("receives what was deferred in its session", async () => {
    const { client } = setup({ queues });
    await client.createSender("orders").sendMessages(message("a", 1));
    const session = await client.acceptSession("orders", "a");
    const received = one(await session.receiveMessages(1));

    await session.deferMessage(received);

    expect(await session.receiveDeferredMessages(received.sequenceNumber)).toMatchObject([{ body: 1 }]);
  });
});

describe("a session processor", () => {
  it("handles each session in order, several sessions at once", async () => {
    const { client, clock } = setup({ queues });
    const seen: string[] = [];
    let running = 0;
    let most = 0;
    const { errors, handlers } = noting<Message, SessionContext>(async ({ body }, { session }) => {
      most = Math.max(most, ++running);
      seen.push(`${session.sessionId}${String(body)}`);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      running--;
    });
    await client
      .createSender("orders")
      .sendMessages([1, 2, 3].flatMap((body) => ["a", "b", "c"].map((id) => message(id, body))));

    client.startSessionProcessor("orders", handlers, { maxConcurrentSessions: 2, sessionIdleTimeout: 1_000 });
    await clock.advance(10_000);

    expect(most).toBe(2);
    expect(errors).toEqual([]);
    for (const id of ["a", "b", "c"]) {
      expect(seen.filter((entry) => entry.startsWith(id))).toEqual([`${id}1`, `${id}2`, `${id}3`]);
    }
    expect(await client.createReceiver("orders").peekMessages(5)).toEqual([]);
  });

  it("holds only the sessions asked for", async () => {
    const { client, clock } = setup({ queues });
    const { handlers } = noting<Message, SessionContext>(vi.fn());
    await client.createSender("orders").sendMessages([message("a", 1), message("b", 2)]);

    client.startSessionProcessor("orders", handlers, { sessionIds: ["b"] });
    await clock.advance(0);

    expect(await client.createReceiver("orders").peekMessages(5)).toMatchObject([{ sessionId: "a" }]);
  });

  it("keeps a session as long as it is busy, and accepts it again when it was lost", async () => {
    const { client, clock, faults } = setup({ queues });
    const finish: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    const { errors, handlers } = noting<Message, SessionContext>((_message, { abortSignal }) => {
      signals.push(abortSignal);
      return new Promise<void>((resolve) => finish.push(resolve));
    });
    client.startSessionProcessor("orders", handlers, { maxConcurrentSessions: 1 });
    await client.createSender("orders").sendMessages(message("a", 1));

    await clock.advance(100_000);
    const calls = finish.length;
    faults.refuse("renew", "SessionLockLost");
    await clock.advance(10_000);
    finish[0]?.();
    await clock.advance(20_000);
    finish[1]?.();
    await clock.advance(0);

    expect(calls).toBe(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(errors).toMatchObject([{ errorSource: "renewLock", code: "SessionLockLost" }]);
    expect(finish).toHaveLength(2);
  });

  it("accepts sessions again when the link was cut, and reports it", async () => {
    const { client, clock, faults } = setup({ queues });
    const { errors, handlers } = noting<Message, SessionContext>(vi.fn());
    client.startSessionProcessor("orders", handlers, { maxConcurrentSessions: 1 });
    await client.createSender("orders").sendMessages(message("a", 1));
    await clock.advance(0);

    await faults.cut();
    await clock.advance(10_000);
    await client.createSender("orders").sendMessages(message("a", 2));
    await clock.advance(10_000);

    expect(handlers.processMessage).toHaveBeenCalledTimes(2);
    expect(errors).toMatchObject([{ errorSource: "receive", code: "ServiceCommunicationProblem" }]);
  });

  it("keeps waiting when no session is free, and ends where sessions are unavailable", async () => {
    const { client, clock } = setup({ queues: { ...queues, plain: {} } });
    const idle = noting<Message, SessionContext>(vi.fn());
    const wrong = noting<Message, SessionContext>(vi.fn());
    const waiting = client.startSessionProcessor("orders", idle.handlers);
    const ended = client.startSessionProcessor("plain", wrong.handlers, { maxConcurrentSessions: 1 });

    await clock.advance(600_000);

    expect(idle.errors).toEqual([]);
    expect(waiting.isRunning).toBe(true);
    expect(wrong.errors).toMatchObject([{ errorSource: "acceptSession" }]);
    expect(ended.isRunning).toBe(false);
  });

  it.each<readonly [string, Record<string, unknown>]>([
    ["maxConcurrentSessions", { maxConcurrentSessions: 0 }],
    ["maxConcurrentCallsPerSession", { maxConcurrentCallsPerSession: -1 }],
    ["sessionIdleTimeout", { sessionIdleTimeout: Number.NaN }],
    ["sessionIds", { sessionIds: "a" }],
    ["sessionIds", { sessionIds: [1] }],
    ["receiveMode", { receiveMode: "" }],
  ])("refuses a wrong %s and names it", (option, options) => {
    const { client } = setup({ queues });
    const create = Reflect.get(client, "startSessionProcessor");
    const handlers = { processMessage: vi.fn(), processError: vi.fn() };

    const error = refusal(() => Reflect.apply(create, client, ["orders", handlers, options]));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
  });
});
