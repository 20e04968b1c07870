import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, engineKinds, isEmpty, next, openScene, type Scene } from "./azure-scenario.support.ts";

describe.each(engineKinds)("the official client, with messages, on the %s engine", (kind) => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await openScene(kind);
  });

  afterAll(() => scene.close());

  it("sends an object and receives it as it was", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const body = { text: "héllo", list: [1, 2.5, null, true], nested: { deep: [] } };

    await client.createSender("q").sendMessages({ body });
    const message = await next(client.createReceiver("q"));

    expect(message.body).toEqual(body);
  });

  it.each([["text"], [42], [true], [null], [[1, "two"]]])("round-trips the body %j", async (body) => {
    const { client } = await scene.open({ queues: ["q"] });

    await client.createSender("q").sendMessages({ body });
    const message = await next(client.createReceiver("q"));

    expect(message.body).toEqual(body);
  });

  it("round-trips bytes", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const body = randomBytes(3000);

    await client.createSender("q").sendMessages({ body });
    const message = await next(client.createReceiver("q"));

    expect(Buffer.compare(message.body, body)).toBe(0);
  });

  it.each(["value", "sequence"] as const)("round-trips an AMQP %s body", async (bodyType) => {
    const { client } = await scene.open({ queues: ["q"] });
    const body = bodyType === "value" ? { a: 1 } : [1, "two"];

    await client.createSender("q").sendMessages({ body, bodyType });
    const message = await next(client.createReceiver("q"));

    expect(message._rawAmqpMessage.bodyType).toBe(bodyType);
    expect(message.body).toEqual(body);
  });

  it("keeps every broker property", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const properties = {
      messageId: "m-1",
      correlationId: "c-1",
      contentType: "application/json; charset=utf-8",
      subject: "subject",
      to: "to",
      replyTo: "reply",
      replyToSessionId: "reply-session",
      partitionKey: "partition",
      timeToLive: 60_000,
    };

    await client.createSender("q").sendMessages({ body: 1, ...properties });
    const message = await next(client.createReceiver("q"));

    expect(message).toMatchObject(properties);
  });

  it("keeps application properties with their types", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const applicationProperties = { s: "x", i: 7, negative: -7, d: 1.5, b: false, t: new Date(0), n: null };

    await client.createSender("q").sendMessages({ body: 1, applicationProperties });
    const message = await next(client.createReceiver("q"));

    expect(message.applicationProperties).toMatchObject({ ...applicationProperties, t: expect.anything() });
  });

  it("gives a message without an id one", async () => {
    const { client } = await scene.open({ queues: ["q"] });

    await client.createSender("q").sendMessages({ body: 1 });
    const message = await next(client.createReceiver("q"));

    expect(message.messageId).toMatch(/^[0-9a-f]{32}$/);
  });

  it("shows sequence number, enqueued time, delivery count, state and lock", async () => {
    const { client } = await scene.open({ queues: ["q"] });

    await client.createSender("q").sendMessages({ body: 1 });
    const message = await next(client.createReceiver("q"));

    expect(message.sequenceNumber?.toNumber()).toBe(1);
    expect(message.enqueuedTimeUtc?.getTime()).toBe(scene.clock.now());
    expect(message.deliveryCount).toBe(0);
    expect(message.state).toBe("active");
    expect(message.lockToken).toMatch(/^[0-9a-f-]{36}$/);
    expect(message.lockedUntilUtc?.getTime()).toBe(scene.clock.now() + 60_000);
  });

  it("sends several messages at once, in order", async () => {
    const { client } = await scene.open({ queues: ["q"] });

    await client.createSender("q").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
    const messages = await client.createReceiver("q").receiveMessages(3);

    expect(messages.map(({ body }) => body)).toEqual([1, 2, 3]);
  });

  it("fills a batch up to the size that the server announced, and no further", async () => {
    const { client } = await scene.open({ queues: { q: { maxMessageSizeInBytes: 4000 } } });
    const sender = client.createSender("q");
    const batch = await sender.createMessageBatch();

    let added = 0;
    while (batch.tryAddMessage({ body: randomBytes(500) })) added++;
    await sender.sendMessages(batch);
    const messages = await client.createReceiver("q").receiveMessages(added);

    expect(batch.maxSizeInBytes).toBe(4000);
    expect(added).toBe(7);
    expect(messages).toHaveLength(7);
  });

  it("sends a message of many frames", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const body = randomBytes(900_000);

    await client.createSender("q").sendMessages({ body });
    const message = await next(client.createReceiver("q"));

    expect(Buffer.compare(message.body, body)).toBe(0);
  });

  it("gets an error when a message is too large", async () => {
    const { client } = await scene.open({ queues: { q: { maxMessageSizeInBytes: 1000 } } });

    const code = await codeOf(client.createSender("q").sendMessages({ body: randomBytes(2000) }));

    expect(code).toBe("MessageSizeExceeded");
  });

  it("gets an error when a queue is missing, for senders and receivers", async () => {
    const { client } = await scene.open({});

    const codes = [
      await codeOf(client.createSender("missing").sendMessages({ body: 1 })),
      await codeOf(client.createReceiver("missing").receiveMessages(1)),
      await codeOf(client.createReceiver("missing").peekMessages(1)),
    ];

    expect(codes).toEqual(["MessagingEntityNotFound", "MessagingEntityNotFound", "MessagingEntityNotFound"]);
  });

  it("gets an error when a queue is disabled", async () => {
    const { client } = await scene.open({ queues: { q: { status: "SendDisabled" } } });

    const code = await codeOf(client.createSender("q").sendMessages({ body: 1 }));

    expect(code).toBe("MessagingEntityDisabled");
  });

  it("gets an error when a queue is full", async () => {
    const { client } = await scene.open({ queues: { q: { maxSizeInMegabytes: 1 } } });
    const sender = client.createSender("q");
    await sender.sendMessages({ body: randomBytes(900_000) });

    const code = await codeOf(sender.sendMessages({ body: randomBytes(900_000) }));

    expect(code).toBe("QuotaExceeded");
  });

  it("is refused with a wrong key", async () => {
    const { connectionString } = await scene.open({ queues: ["q"] });
    const client = scene.connect(connectionString.replace("SAS_KEY_VALUE", "wrong"));

    const code = await codeOf(client.createSender("q").sendMessages({ body: 1 }));

    expect(code).toBe("UnauthorizedAccess");
  });

  it("finds names regardless of case, and sees only its own namespace", async () => {
    const one = await scene.open({ queues: ["Orders"] });
    const other = await scene.open({ queues: ["orders"] });

    await one.client.createSender("ORDERS").sendMessages({ body: 1 });

    expect(await isEmpty(other.client.createReceiver("orders"))).toBe(true);
    expect((await next(one.client.createReceiver("orders"))).body).toBe(1);
  });

  it("drops a duplicate within the window and takes it again after", async () => {
    const { client } = await scene.open({
      queues: { q: { requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: "PT1M" } },
    });
    const sender = client.createSender("q");

    await sender.sendMessages({ body: 1, messageId: "same" });
    await sender.sendMessages({ body: 2, messageId: "same" });
    await scene.clock.advance(61_000);
    await sender.sendMessages({ body: 3, messageId: "same" });
    const messages = await client.createReceiver("q").peekMessages(5);

    expect(messages.map(({ body }) => body)).toEqual([1, 3]);
  });

  it("never sees an expired message", async () => {
    const { client } = await scene.open({ queues: ["q"] });

    await client.createSender("q").sendMessages({ body: 1, timeToLive: 1000 });
    await scene.clock.advance(1001);

    expect(await isEmpty(client.createReceiver("q"))).toBe(true);
  });

  it("receives with a subscription of its own, message by message, and stops", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    const bodies: unknown[] = [];
    const errors: unknown[] = [];

    const done = new Promise<void>((resolve) => {
      receiver.subscribe({
        processMessage: async ({ body }) => {
          if (bodies.push(body) === 5) resolve();
        },
        processError: async (error) => void errors.push(error),
      });
    });
    await client.createSender("q").sendMessages([1, 2, 3, 4, 5].map((body) => ({ body })));
    await done;
    await receiver.close();

    expect(bodies).toEqual([1, 2, 3, 4, 5]);
    expect(errors).toEqual([]);
  });

  it("receives by iterating", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    const bodies: unknown[] = [];
    await client.createSender("q").sendMessages([{ body: 1 }, { body: 2 }]);

    for await (const message of receiver.getMessageIterator()) {
      await receiver.completeMessage(message);
      if (bodies.push(message.body) === 2) break;
    }

    expect(bodies).toEqual([1, 2]);
  });

  it("waits for a message that comes later", async () => {
    const { client } = await scene.open({ queues: ["q"] });

    const receiving = client.createReceiver("q").receiveMessages(1, { maxWaitTimeInMs: 5000 });
    await client.createSender("q").sendMessages({ body: "late" });

    expect((await receiving).map(({ body }) => body)).toEqual(["late"]);
  });

  it("loses nothing to a receive that was aborted or ran out of time", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    const abort = new AbortController();

    const aborted = codeOf(receiver.receiveMessages(3, { abortSignal: abort.signal }));
    abort.abort();
    await aborted;
    await receiver.receiveMessages(3, { maxWaitTimeInMs: 20 });
    await client.createSender("q").sendMessages({ body: 1 });

    const again = await next(client.createReceiver("q"));
    expect([again.body, again.deliveryCount]).toEqual([1, 0]);
  });
});
