import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, engineKinds, isEmpty, next, openScene, type Scene } from "./azure-scenario.support.ts";

describe.each(engineKinds)("the official client, settling, on the %s engine", (kind) => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await openScene(kind);
  });

  afterAll(() => scene.close());

  it("completes: the message is gone", async () => {
    const { client, engine } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    await client.createSender("q").sendMessages({ body: 1 });

    await receiver.completeMessage(await next(receiver));

    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });

  it("abandons with changed properties: the message comes again and counts", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    await client.createSender("q").sendMessages({ body: 1, applicationProperties: { kept: true } });

    await receiver.abandonMessage(await next(receiver), { why: "busy" });
    const again = await next(receiver);

    expect(again.deliveryCount).toBe(1);
    expect(again.applicationProperties).toEqual({ kept: true, why: "busy" });
  });

  it("dead-letters with reason, description and properties", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    await client.createSender("q").sendMessages({ body: 1 });

    const options = { deadLetterReason: "bad", deadLetterErrorDescription: "very bad", extra: 1 };
    await receiver.deadLetterMessage(await next(receiver), options);
    const dead = await next(client.createReceiver("q", { subQueueType: "deadLetter" }));

    expect(dead).toMatchObject({ body: 1, deadLetterReason: "bad", deadLetterErrorDescription: "very bad" });
    expect(dead.applicationProperties).toMatchObject({ extra: 1 });
  });

  it("completes a dead letter", async () => {
    const { client, engine } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    await client.createSender("q").sendMessages({ body: 1 });
    await receiver.deadLetterMessage(await next(receiver));
    const dead = client.createReceiver("q", { subQueueType: "deadLetter" });

    await dead.completeMessage(await next(dead));

    expect((await engine.admin.getQueueRuntimeProperties("q")).deadLetterMessageCount).toBe(0);
  });

  it("defers and receives by sequence number, and completes that", async () => {
    const { client, engine } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    await client.createSender("q").sendMessages({ body: "later" });
    const message = await next(receiver);

    await receiver.deferMessage(message, { note: 1 });
    const empty = await isEmpty(receiver);
    const [deferred] = await receiver.receiveDeferredMessages(message.sequenceNumber ?? []);
    if (deferred !== undefined) await receiver.completeMessage(deferred);

    expect(empty).toBe(true);
    expect(deferred).toMatchObject({ body: "later", state: "deferred", applicationProperties: { note: 1 } });
    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });

  it("abandons, defers again and dead-letters a deferred message", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    await client.createSender("q").sendMessages({ body: 1 });
    const message = await next(receiver);
    const number = message.sequenceNumber ?? [];
    await receiver.deferMessage(message);

    const [first] = await receiver.receiveDeferredMessages(number);
    if (first !== undefined) await receiver.abandonMessage(first);
    const [second] = await receiver.receiveDeferredMessages(number);
    if (second !== undefined) await receiver.deferMessage(second);
    const [third] = await receiver.receiveDeferredMessages(number);
    if (third !== undefined)
      await receiver.deadLetterMessage(third, { deadLetterReason: "r", deadLetterErrorDescription: "d" });
    const dead = await next(client.createReceiver("q", { subQueueType: "deadLetter" }));

    expect([first?.deliveryCount, second?.deliveryCount, third?.deliveryCount]).toEqual([1, 2, 3]);
    expect(dead.deadLetterReason).toBe("r");
  });

  it("gets an error when a deferred message does not exist", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    await client.createSender("q").sendMessages({ body: 1 });
    const receiver = client.createReceiver("q");
    const { sequenceNumber } = await next(receiver);

    const code = await codeOf(receiver.receiveDeferredMessages(sequenceNumber ?? []));

    expect(code).toBe("MessageNotFound");
  });

  it("goes to the dead-letter queue after as many deliveries as allowed", async () => {
    const { client } = await scene.open({ queues: { q: { maxDeliveryCount: 2 } } });
    const receiver = client.createReceiver("q");
    await client.createSender("q").sendMessages({ body: 1 });

    await receiver.abandonMessage(await next(receiver));
    await receiver.abandonMessage(await next(receiver));
    const dead = await next(client.createReceiver("q", { subQueueType: "deadLetter" }));

    expect(dead.deadLetterReason).toBe("MaxDeliveryCountExceeded");
  });

  it("goes to the dead-letter queue when it expires there", async () => {
    const { client } = await scene.open({ queues: { q: { deadLetteringOnMessageExpiration: true } } });
    await client.createSender("q").sendMessages({ body: 1, timeToLive: 1000 });

    await scene.clock.advance(1001);
    const dead = await next(client.createReceiver("q", { subQueueType: "deadLetter" }));

    expect(dead.deadLetterReason).toBe("TTLExpiredException");
  });

  it("loses its lock when its time is over, and gets an error", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q", { maxAutoLockRenewalDurationInMs: 0 });
    await client.createSender("q").sendMessages({ body: 1 });
    const message = await next(receiver);

    await scene.clock.advance(60_001);
    const code = await codeOf(receiver.completeMessage(message));
    const again = await next(receiver);

    expect(code).toBe("MessageLockLost");
    expect(again.deliveryCount).toBe(1);
  });

  it("renews a lock, which holds longer then", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q", { maxAutoLockRenewalDurationInMs: 0 });
    await client.createSender("q").sendMessages({ body: 1 });
    const message = await next(receiver);

    await scene.clock.advance(50_000);
    const until = await receiver.renewMessageLock(message);
    await scene.clock.advance(50_000);

    expect(until.getTime()).toBe(scene.clock.now() + 10_000);
    expect(await codeOf(receiver.completeMessage(message))).toBe("no error");
  });

  it("gets an error when the lock to renew was lost", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q", { maxAutoLockRenewalDurationInMs: 0 });
    await client.createSender("q").sendMessages({ body: 1 });
    const message = await next(receiver);

    await scene.clock.advance(60_001);

    expect(await codeOf(receiver.renewMessageLock(message))).toBe("MessageLockLost");
  });

  it("receives and deletes at once", async () => {
    const { client, engine } = await scene.open({ queues: ["q"] });
    await client.createSender("q").sendMessages([{ body: 1 }, { body: 2 }]);

    const receiver = client.createReceiver("q", { receiveMode: "receiveAndDelete" });
    const messages = await receiver.receiveMessages(2);

    expect(messages.map(({ body, lockToken }) => [body, lockToken])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });

  it("settles after its receiver was closed, through the management node", async () => {
    const { client, engine } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    await client.createSender("q").sendMessages({ body: 1 });
    const message = await next(receiver);

    await receiver.close();
    const other = client.createReceiver("q");
    const locked = await isEmpty(other);
    await other.completeMessage(message);

    expect(locked).toBe(true);
    expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });

  it("releases its locks at once when it closes, and no delivery is counted", async () => {
    const { client, connectionString } = await scene.open({ queues: ["q"] });
    const leaving = scene.connect(connectionString);
    await client.createSender("q").sendMessages({ body: 1 });
    await next(leaving.createReceiver("q"));

    await leaving.close();
    const again = await next(client.createReceiver("q"));

    expect(again.deliveryCount).toBe(0);
  });

  it("peeks without locking, from a number on, deferred and scheduled ones included", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const sender = client.createSender("q");
    const receiver = client.createReceiver("q");
    await sender.sendMessages([{ body: 1 }, { body: 2 }]);
    await receiver.deferMessage(await next(receiver));
    await sender.scheduleMessages({ body: 3 }, new Date(scene.clock.now() + 60_000));

    const all = await receiver.peekMessages(10);
    const rest = await receiver.peekMessages(10);
    const from = all[1]?.sequenceNumber;
    const later = await receiver.peekMessages(10, from === undefined ? {} : { fromSequenceNumber: from });

    expect(all.map(({ body, state, lockToken }) => [body, state, lockToken])).toEqual([
      [1, "deferred", undefined],
      [2, "active", undefined],
      [3, "scheduled", undefined],
    ]);
    expect(rest).toEqual([]);
    expect(later.map(({ body }) => body)).toEqual([2, 3]);
  });

  it("schedules messages, which come when their time has come", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const receiver = client.createReceiver("q");
    const at = new Date(scene.clock.now() + 60_000);

    const numbers = await client.createSender("q").scheduleMessages([{ body: 1 }, { body: 2 }], at);
    const before = await isEmpty(receiver);
    await scene.clock.advance(60_000);
    const messages = await receiver.receiveMessages(2);

    expect(numbers).toHaveLength(2);
    expect(before).toBe(true);
    expect(messages.map(({ body }) => body)).toEqual([1, 2]);
  });

  it("cancels what it has scheduled, and gets an error when it cannot", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const sender = client.createSender("q");
    const numbers = await sender.scheduleMessages({ body: 1 }, new Date(scene.clock.now() + 60_000));

    await sender.cancelScheduledMessages(numbers);
    await scene.clock.advance(60_000);

    expect(await isEmpty(client.createReceiver("q"))).toBe(true);
    expect(await codeOf(sender.cancelScheduledMessages(numbers))).toBe("MessageNotFound");
  });

  it("sends a message with a time of its own, which comes then", async () => {
    const { client } = await scene.open({ queues: ["q"] });
    const scheduledEnqueueTimeUtc = new Date(scene.clock.now() + 60_000);

    await client.createSender("q").sendMessages({ body: 1, scheduledEnqueueTimeUtc });
    const before = await isEmpty(client.createReceiver("q"));
    await scene.clock.advance(60_000);

    expect(before).toBe(true);
    expect((await next(client.createReceiver("q"))).scheduledEnqueueTimeUtc).toEqual(scheduledEnqueueTimeUtc);
  });

  it("receives what another queue forwards", async () => {
    const { client } = await scene.open({ queues: { last: {}, first: { forwardTo: "last" } } });

    await client.createSender("first").sendMessages({ body: 1 });

    expect((await next(client.createReceiver("last"))).body).toBe(1);
  });

  it("sees where a forwarded dead letter came from", async () => {
    const { client } = await scene.open({ queues: { dead: {}, q: { forwardDeadLetteredMessagesTo: "dead" } } });
    const receiver = client.createReceiver("q");
    await client.createSender("q").sendMessages({ body: 1 });

    await receiver.deadLetterMessage(await next(receiver));

    expect((await next(client.createReceiver("dead"))).deadLetterSource).toBe("q");
  });
});
