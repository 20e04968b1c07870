import { type EngineCase, engineCases } from "./engine-case.ts";
import { atOnce, idsOf, minute, refused, same, tokenOf } from "./engine-harness.ts";

/** How long a receiver holds a message, and what becomes of it then. */
export const lockCases: readonly EngineCase[] = engineCases(["peekLock"], {
  "lock-exclusive": {
    promise: "A locked message is delivered to nobody else. (Service Bus, PeekLock)",
    async run(harness) {
      const [queue, delivery] = await harness.received("a");
      same(await harness.receive(queue), [], "Deliveries to a second receive");
      same(await harness.receive(queue, 1, "receiveAndDelete"), [], "Deliveries to another mode");
      await harness.complete(queue, delivery);
    },
  },
  "lock-duration-default": {
    promise: "A lock lasts one minute unless the entity says otherwise. (Service Bus, LockDuration)",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const first = await harness.one(queue);
      await harness.advance(minute - 1);
      same(await harness.receive(queue), [], "Deliveries just before the lock ends");
      await harness.advance(1);
      const second = await harness.one(queue);
      const length = (second.lockedUntilUtc?.getTime() ?? 0) - (first.lockedUntilUtc?.getTime() ?? 0);
      same(length, minute, "Milliseconds between the ends of two locks, one begun when the other ended");
    },
  },
  "lock-duration-option": {
    promise: "The entity's lock duration is used, in milliseconds or ISO 8601, and 5 minutes are the most.",
    needs: ["peekLock", "administration"],
    async run(harness) {
      const queue = await harness.queueWith(["a"], { lockDuration: "PT5S" });
      const first = await harness.one(queue);
      await harness.advance(4999);
      same(await harness.receive(queue), [], "Deliveries just before the lock ends");
      await harness.advance(1);
      await refused(harness.complete(queue, first), "MessageLockLost", "Completing after the lock");
      const tooLong = harness.engine.admin.createQueue(harness.freshName(), { lockDuration: 5 * minute + 1 });
      await refused(tooLong, "InvalidArgument", "A lock duration above 5 minutes");
    },
  },
  "lock-expiry-counts": {
    promise: "A message whose lock expires is free again with one more failed delivery. (Service Bus, delivery count)",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      await harness.one(queue);
      await harness.advance(minute);
      same((await harness.one(queue)).deliveryCount, 1, "Delivery count");
    },
  },
  "lock-expiry-order": {
    promise: "Messages whose locks expired are redelivered before messages that were never delivered, oldest first.",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b", "c"]);
      await harness.receive(queue, 2);
      await harness.advance(minute);
      same(await harness.drain(queue), ["a", "b", "c"], "Order");
    },
  },
  "lock-expiry-stale": {
    promise: "After its lock has expired nothing can be done with a token, whatever it is. (MessageLockLost)",
    needs: ["peekLock", "renewLock", "deadLetter"],
    async run(harness) {
      const [queue, delivery] = await harness.received("a");
      await harness.advance(minute);
      for (const kind of ["complete", "abandon", "deadLetter"] as const)
        await refused(harness.settle(queue, delivery, { kind }), "MessageLockLost", `${kind} after the lock`);
      await refused(harness.engine.renew(queue, tokenOf(delivery)), "MessageLockLost", "Renewing after the lock");
      same((await harness.one(queue)).deliveryCount, 1, "Delivery count: the refused calls count nothing");
    },
  },
  "renew-extends": {
    promise: "Renewing holds the message for a whole lock duration from now. (Service Bus, RenewLock)",
    needs: ["peekLock", "renewLock"],
    async run(harness) {
      const [queue, delivery] = await harness.received("a");
      await harness.advance(minute / 2);
      const until = await harness.engine.renew(queue, tokenOf(delivery));
      same(until.getTime() - (delivery.lockedUntilUtc?.getTime() ?? 0), minute / 2, "Milliseconds gained");
      await harness.advance(minute - 1);
      same(await harness.receive(queue), [], "Deliveries before the renewed lock ends");
      await harness.complete(queue, delivery);
    },
  },
  "renew-then-expire": {
    promise: "A renewed lock expires too, and counts one delivery.",
    needs: ["peekLock", "renewLock"],
    async run(harness) {
      const [queue, delivery] = await harness.received("a");
      await harness.advance(minute / 2);
      await harness.engine.renew(queue, tokenOf(delivery));
      await harness.advance(minute);
      same((await harness.one(queue)).deliveryCount, 1, "Delivery count");
    },
  },
  "receiver-close-keeps-locks": {
    promise: "Closing a receiver leaves its locks: the messages are settled later or expire. (Service Bus, link close)",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const receiver = await harness.engine.openReceiver(queue, { receiveMode: "peekLock" });
      const [delivery] = await receiver.receive(atOnce());
      await receiver.close();
      same(await harness.receive(queue), [], "Deliveries after the receiver closed");
      if (delivery === undefined) throw new Error("One message was due.");
      await harness.complete(queue, delivery);
      same(await harness.drain(queue), [], "Messages left");
    },
  },
  "lock-tokens-differ": {
    promise: "Every delivery has its own lock token, a UUID. (Service Bus, LockToken)",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b", "c"]);
      const deliveries = await harness.receive(queue, 3);
      const tokens = deliveries.map(tokenOf);
      same(idsOf(deliveries), ["a", "b", "c"], "Deliveries");
      same(new Set(tokens).size, 3, "Different tokens");
      const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
      same(tokens.filter((token) => !uuid.test(token)).length, 0, "Tokens that are not UUIDs");
    },
  },
});
