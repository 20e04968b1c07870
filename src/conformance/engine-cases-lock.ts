import type { EngineCase } from "./engine-case.ts";
import { idsOf, refused, same, tokenOf } from "./engine-harness.ts";

const minute = 60_000;

/** How long a receiver holds a message, and what becomes of it then. */
export const lockCases: readonly EngineCase[] = [
  {
    name: "lock-exclusive",
    promise: "A locked message is delivered to nobody else. (Service Bus, PeekLock)",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue, "a");
      const delivery = await harness.one(queue);
      same(await harness.receive(queue), [], "Deliveries to a second receive");
      same(await harness.receive(queue, 1, "receiveAndDelete"), [], "Deliveries to another mode");
      await harness.complete(queue, delivery);
    },
  },
  {
    name: "lock-duration-default",
    promise: "A lock lasts one minute unless the entity says otherwise. (Service Bus, LockDuration)",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue, "a");
      const first = await harness.one(queue);
      await harness.advance(minute - 1);
      same(await harness.receive(queue), [], "Deliveries just before the lock ends");
      await harness.advance(1);
      const second = await harness.one(queue);
      const length = (second.lockedUntilUtc?.getTime() ?? 0) - (first.lockedUntilUtc?.getTime() ?? 0);
      same(length, minute, "Milliseconds between the ends of two locks, one begun when the other ended");
    },
  },
  {
    name: "lock-duration-option",
    promise: "The entity's lock duration is used, in milliseconds or ISO 8601, and 5 minutes are the most.",
    needs: ["peekLock", "administration"],
    async run(harness) {
      const queue = await harness.queue({ lockDuration: "PT5S" });
      await harness.send(queue, "a");
      const first = await harness.one(queue);
      await harness.advance(4999);
      same(await harness.receive(queue), [], "Deliveries just before the lock ends");
      await harness.advance(1);
      await refused(harness.complete(queue, first), "MessageLockLost", "Completing after the lock");
      const tooLong = harness.engine.admin.createQueue(harness.freshName(), { lockDuration: 5 * minute + 1 });
      await refused(tooLong, "InvalidArgument", "A lock duration above 5 minutes");
    },
  },
  {
    name: "lock-expiry-counts",
    promise: "A message whose lock expires is free again with one more failed delivery. (Service Bus, delivery count)",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue, "a");
      await harness.one(queue);
      await harness.advance(minute);
      same((await harness.one(queue)).deliveryCount, 1, "Delivery count");
    },
  },
  {
    name: "lock-expiry-order",
    promise: "Messages whose locks expire come back before messages that were never delivered, oldest first.",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue, "a", "b", "c");
      await harness.receive(queue, 2);
      await harness.advance(minute);
      same(await harness.drain(queue), ["a", "b", "c"], "Order");
    },
  },
  {
    name: "lock-expiry-stale",
    promise: "After its lock has expired nothing can be done with a token, whatever it is. (MessageLockLost)",
    needs: ["peekLock", "renewLock", "deadLetter"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue, "a");
      const delivery = await harness.one(queue);
      await harness.advance(minute);
      for (const kind of ["complete", "abandon", "deadLetter"] as const)
        await refused(harness.settle(queue, delivery, { kind }), "MessageLockLost", `${kind} after the lock`);
      await refused(harness.engine.renew(queue, tokenOf(delivery)), "MessageLockLost", "Renewing after the lock");
      same((await harness.one(queue)).deliveryCount, 1, "Delivery count: the refused calls count nothing");
    },
  },
  {
    name: "renew-extends",
    promise: "Renewing holds the message for a whole lock duration from now. (Service Bus, RenewLock)",
    needs: ["peekLock", "renewLock"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue, "a");
      const delivery = await harness.one(queue);
      await harness.advance(minute / 2);
      const until = await harness.engine.renew(queue, tokenOf(delivery));
      same(until.getTime() - (delivery.lockedUntilUtc?.getTime() ?? 0), minute / 2, "Milliseconds gained");
      await harness.advance(minute - 1);
      same(await harness.receive(queue), [], "Deliveries before the renewed lock ends");
      await harness.complete(queue, delivery);
    },
  },
  {
    name: "renew-then-expire",
    promise: "A renewed lock expires too, and counts one delivery.",
    needs: ["peekLock", "renewLock"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue, "a");
      const delivery = await harness.one(queue);
      await harness.advance(minute / 2);
      await harness.engine.renew(queue, tokenOf(delivery));
      await harness.advance(minute);
      same((await harness.one(queue)).deliveryCount, 1, "Delivery count");
    },
  },
  {
    name: "receiver-close-keeps-locks",
    promise: "Closing a receiver leaves its locks: the messages are settled later or expire. (Service Bus, link close)",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue, "a");
      const receiver = await harness.engine.openReceiver(queue, { receiveMode: "peekLock" });
      const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTime: 0 });
      await receiver.close();
      same(await harness.receive(queue), [], "Deliveries after the receiver closed");
      if (delivery === undefined) throw new Error("One message was due.");
      await harness.complete(queue, delivery);
      same(await harness.browse(queue), [], "Messages left");
    },
  },
  {
    name: "lock-tokens-differ",
    promise: "Every delivery has its own lock token, a UUID. (Service Bus, LockToken)",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue, "a", "b", "c");
      const deliveries = await harness.receive(queue, 3);
      const tokens = deliveries.map(tokenOf);
      same(idsOf(deliveries), ["a", "b", "c"], "Deliveries");
      same(new Set(tokens).size, 3, "Different tokens");
      const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
      same(tokens.filter((token) => !uuid.test(token)).length, 0, "Tokens that are no UUID");
    },
  },
];
