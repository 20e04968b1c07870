import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, engineKinds, next, openScene, type Scene } from "./azure-scenario.support.ts";

describe.each(engineKinds)("the official client, with sessions, on the %s engine", (kind) => {
  let scene: Scene;
  const entities = { queues: { q: { requiresSession: true } } };

  beforeAll(async () => {
    scene = await openScene(kind);
  });

  afterAll(() => scene.close());

  it("accepts a session by its id and receives its messages alone, in order", async () => {
    const { client } = await scene.open(entities);
    await client.createSender("q").sendMessages([
      { body: 1, sessionId: "a" },
      { body: 2, sessionId: "b" },
      { body: 3, sessionId: "a" },
    ]);

    const session = await client.acceptSession("q", "a");
    const messages = await session.receiveMessages(2);

    expect(session.sessionId).toBe("a");
    expect(messages.map(({ body, sessionId }) => [body, sessionId])).toEqual([
      [1, "a"],
      [3, "a"],
    ]);
  });

  it("accepts a session that has no messages yet", async () => {
    const { client } = await scene.open(entities);

    const empty = await client.acceptSession("q", "nothing yet");

    expect(empty.sessionId).toBe("nothing yet");
  });

  it("accepts the next session that is free", async () => {
    const { client } = await scene.open(entities);
    await client.createSender("q").sendMessages([
      { body: 1, sessionId: "a" },
      { body: 2, sessionId: "b" },
    ]);

    const one = await client.acceptNextSession("q");
    const other = await client.acceptNextSession("q");

    expect([one.sessionId, other.sessionId].toSorted()).toEqual(["a", "b"]);
  });

  it("waits for the next session until one comes", async () => {
    const { client } = await scene.open(entities);

    const accepting = client.acceptNextSession("q");
    await client.createSender("q").sendMessages({ body: 1, sessionId: "late" });

    expect((await accepting).sessionId).toBe("late");
  });

  it("gets an error when no session came in time", async () => {
    const { client } = await scene.open(entities);

    const code = codeOf(client.acceptNextSession("q"));
    // The broker's time is the test's, the client's own is not: both agree on how long to wait.
    await new Promise((resolve) => setImmediate(resolve));
    for (let step = 0; step < 40; step++) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      await scene.clock.advance(1000);
    }

    expect(await code).toBe("ServiceTimeout");
  });

  it("gets that error by its own time when the broker's time does not move", async () => {
    const { connectionString } = await scene.open(entities);
    const hurried = new ServiceBusClient(connectionString, { retryOptions: { maxRetries: 0, timeoutInMs: 300 } });

    const code = await codeOf(hurried.acceptNextSession("q"));
    await hurried.close();

    expect(code).toBe("ServiceTimeout");
  });

  it("gets an error while another client holds the session, and the session once that client has closed", async () => {
    const { client } = await scene.open(entities);
    const holder = await client.acceptSession("q", "a");

    const code = await codeOf(client.acceptSession("q", "a"));
    await holder.close();
    const again = await client.acceptSession("q", "a");

    expect(code).toBe("SessionCannotBeLocked");
    expect(again.sessionId).toBe("a");
  });

  it("gets an error when the queue is missing, with a session id and without", async () => {
    const { client } = await scene.open(entities);

    const codes = [
      await codeOf(client.acceptSession("missing", "a")),
      await codeOf(client.acceptNextSession("missing")),
    ];

    expect(codes).toEqual(["MessagingEntityNotFound", "MessagingEntityNotFound"]);
  });

  it("shows until when the session is held, and renews it", async () => {
    const { client } = await scene.open(entities);
    const session = await client.acceptSession("q", "a", { maxAutoLockRenewalDurationInMs: 0 });
    const before = session.sessionLockedUntilUtc;

    const start = scene.clock.now();
    await scene.clock.advance(30_000);
    const after = await session.renewSessionLock();

    expect(before.getTime()).toBe(start + 60_000);
    expect(after.getTime()).toBe(start + 90_000);
  });

  it("keeps the state of a session", async () => {
    const { client } = await scene.open(entities);
    const session = await client.acceptSession("q", "a");

    const none: unknown = await session.getSessionState();
    await session.setSessionState(Buffer.from("state"));
    await session.close();
    const again = await client.acceptSession("q", "a");
    const kept: unknown = await again.getSessionState();
    await again.setSessionState(null);
    const cleared: unknown = await again.getSessionState();

    expect([none, String(kept), cleared]).toEqual([null, "state", null]);
  });

  it("loses the session when its time is over, and gets an error", async () => {
    const { client } = await scene.open(entities);
    await client.createSender("q").sendMessages({ body: 1, sessionId: "a" });
    const session = await client.acceptSession("q", "a", { maxAutoLockRenewalDurationInMs: 0 });
    const message = await next(session);

    await scene.clock.advance(60_001);
    const codes = [await codeOf(session.completeMessage(message)), await codeOf(session.renewSessionLock())];

    expect(codes).toEqual(["SessionLockLost", "SessionLockLost"]);
  });

  it("defers and receives by number within a session", async () => {
    const { client } = await scene.open(entities);
    await client.createSender("q").sendMessages({ body: 1, sessionId: "a" });
    const session = await client.acceptSession("q", "a");
    const message = await next(session);

    await session.deferMessage(message);
    const [deferred] = await session.receiveDeferredMessages(message.sequenceNumber ?? []);
    if (deferred !== undefined) await session.completeMessage(deferred);

    expect(deferred?.body).toBe(1);
  });

  it("peeks at the messages of its session alone", async () => {
    const { client } = await scene.open(entities);
    await client.createSender("q").sendMessages([
      { body: 1, sessionId: "a" },
      { body: 2, sessionId: "b" },
    ]);

    const session = await client.acceptSession("q", "b");

    expect((await session.peekMessages(5)).map(({ body }) => body)).toEqual([2]);
  });

  it("subscribes to a session", async () => {
    const { client } = await scene.open(entities);
    const session = await client.acceptSession("q", "a");
    const bodies: unknown[] = [];

    const done = new Promise<void>((resolve, reject) => {
      session.subscribe({
        processMessage: async ({ body }) => {
          if (bodies.push(body) === 2) resolve();
        },
        processError: async ({ error }) => reject(error),
      });
    });
    await client.createSender("q").sendMessages([
      { body: 1, sessionId: "a" },
      { body: 2, sessionId: "a" },
    ]);
    await done;

    expect(bodies).toEqual([1, 2]);
  });

  it("is refused a plain receiver on a queue with sessions, and a session on one without", async () => {
    const { client } = await scene.open({ queues: { q: { requiresSession: true }, plain: {} } });

    const codes = [
      await codeOf(client.createReceiver("q").receiveMessages(1)),
      await codeOf(client.acceptSession("plain", "a")),
    ];

    expect(codes).toEqual(["GeneralError", "GeneralError"]);
  });

  it("receives dead letters of a queue with sessions plainly", async () => {
    const { client } = await scene.open(entities);
    await client.createSender("q").sendMessages({ body: 1, sessionId: "a" });
    const session = await client.acceptSession("q", "a");

    await session.deadLetterMessage(await next(session));

    expect((await next(client.createReceiver("q", { subQueueType: "deadLetter" }))).sessionId).toBe("a");
  });
});
