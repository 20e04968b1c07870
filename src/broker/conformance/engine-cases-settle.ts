import { typed } from "../../core/values/typed-makers.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import { atOnce, envelope, idsOf, refused, same, tokenOf } from "./engine-harness.ts";

const hour = 3_600_000;

/** The effects of settling a message. */
export const settleCases: readonly EngineCase[] = engineCases(["peekLock"], {
  "complete-removes": {
    promise: "A completed message is gone for good. (Service Bus, settlement of receive operations)",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      await harness.complete(queue, await harness.one(queue));
      await harness.advance(hour);
      same(await harness.drain(queue), ["b"], "Messages after the first was completed");
    },
  },
  "abandon-returns": {
    promise:
      "An abandoned message is available again immediately, with one more failed delivery. (Service Bus, PeekLock)",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const first = await harness.one(queue);
      await harness.abandon(queue, first);
      const second = await harness.one(queue);
      same([first.deliveryCount, second.deliveryCount], [0, 1], "Delivery counts");
      same(second.sequenceNumber, first.sequenceNumber, "Sequence number of the redelivery");
    },
  },
  "abandon-order": {
    promise:
      "Abandoned messages are redelivered before messages that were never delivered, oldest first. (sobre, redelivery)",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b", "c", "d"]);
      const taken = await harness.receive(queue, 3);
      for (const delivery of taken.toReversed()) await harness.abandon(queue, delivery);
      same(await harness.drain(queue), ["a", "b", "c", "d"], "Order after abandoning");
    },
  },
  "release-uncounted": {
    promise:
      "A released message is redelivered immediately, in its place, and no delivery is counted. (AMQP released; sobre)",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"], { maxDeliveryCount: 2 });
      for (let round = 0; round < 3; round++) {
        const delivery = await harness.one(queue);
        same(delivery.deliveryCount, 0, "Delivery count");
        await harness.settle(queue, delivery, { kind: "release" });
      }
      same(await harness.drain(queue), ["a", "b"], "Order after releasing");
    },
  },
  "abandon-properties": {
    promise:
      "Properties given with abandon are merged into the application properties; undefined removes one. (AMQP modified)",
    async run(harness) {
      const queue = await harness.queueWith([
        envelope("a", {}, { applicationProperties: { keep: 1, change: "x", remove: true } }),
      ]);
      const propertiesToModify = { change: typed.uint(7), remove: undefined, add: 5n };
      await harness.settle(queue, await harness.one(queue), { kind: "abandon", propertiesToModify });
      const { applicationProperties } = (await harness.one(queue)).envelope;
      same(Object.keys(applicationProperties).toSorted(), ["add", "change", "keep"], "Names of properties");
      same([applicationProperties["keep"], applicationProperties["add"]], [1, 5n], "Values of properties");
      same(applicationProperties["change"], typed.uint(7), "The typed value");
    },
  },
  "abandon-illegal-properties": {
    promise: "A settlement with illegal properties is refused and changes nothing: the lock is still held. (sobre)",
    async run(harness) {
      const [queue, delivery] = await harness.received("a");
      const illegal = { kind: "abandon", propertiesToModify: { when: new Date(Number.NaN) } } as const;
      await refused(harness.settle(queue, delivery, illegal), "InvalidArgument", "An invalid Date");
      same(await harness.receive(queue), [], "Deliveries while it is locked");
      await harness.complete(queue, delivery);
    },
  },
  "settle-twice": {
    promise: "A message is settled once: a second settlement of any kind gets MessageLockLost and changes nothing.",
    needs: ["peekLock", "deadLetter"],
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      const first = await harness.one(queue);
      await harness.complete(queue, first);
      for (const kind of ["complete", "abandon", "deadLetter"] as const)
        await refused(harness.settle(queue, first, { kind }), "MessageLockLost", `${kind} after complete`);
      same(await harness.drain(queue), ["b"], "Messages left");
      same(await harness.drain(`${queue}/$DeadLetterQueue`), [], "Dead letters");
    },
  },
  "stale-token": {
    promise: "The token of an earlier delivery never settles or renews a later one. (Service Bus, message locks)",
    needs: ["peekLock", "renewLock"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const first = await harness.one(queue);
      await harness.abandon(queue, first);
      const second = await harness.one(queue);
      await refused(harness.complete(queue, first), "MessageLockLost", "Completing with the old token");
      await refused(harness.engine.renew(queue, tokenOf(first)), "MessageLockLost", "Renewing with the old token");
      await harness.complete(queue, second);
      same(await harness.drain(queue), [], "Messages left");
    },
  },
  "foreign-token": {
    promise: "A token counts on its own entity only, and one that never was is lost too.",
    needs: ["peekLock", "peek"],
    async run(harness) {
      const [queue, other] = [await harness.queue(), await harness.queue()];
      await harness.send(queue, "a");
      await harness.send(other, "b");
      const delivery = await harness.one(queue);
      await harness.one(other);
      await refused(harness.complete(other, delivery), "MessageLockLost", "Completing on another queue");
      same(await harness.browse(other), ["b"], "Messages of the other queue");
      await harness.complete(queue, delivery);
    },
  },
  "settle-any-order": {
    promise: "Locked messages are settled in any order. (Service Bus, PeekLock)",
    needs: ["peekLock", "deadLetter"],
    async run(harness) {
      const queue = await harness.queueWith(["a", "b", "c", "d"]);
      const [a, b, c, d] = await harness.receive(queue, 4);
      if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error("4 were due.");
      await harness.complete(queue, c);
      await harness.abandon(queue, d);
      await harness.settle(queue, a, { kind: "deadLetter" });
      await harness.complete(queue, b);
      same(await harness.drain(queue), ["d"], "Messages left");
      same(await harness.drain(`${queue}/$DeadLetterQueue`), ["a"], "Dead letters");
    },
  },
  "receive-and-delete": {
    promise:
      "In receiveAndDelete a message is consumed when it is handed over: without lock, never again. (Service Bus)",
    needs: ["receiveAndDelete"],
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      const [delivery] = await harness.receive(queue, 1, "receiveAndDelete");
      same([delivery?.lockToken, delivery?.lockedUntilUtc], [undefined, undefined], "Lock of the delivery");
      await harness.advance(hour);
      same(await harness.drain(queue), ["b"], "Messages left");
    },
  },
  "receive-and-delete-loss": {
    promise:
      "In receiveAndDelete a message whose receiver fails after the hand-over is lost. (Service Bus, at most once)",
    needs: ["receiveAndDelete"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const receiver = await harness.engine.openReceiver(queue, { receiveMode: "receiveAndDelete" });
      const taken = await receiver.receive(atOnce());
      await receiver.close();
      await harness.advance(hour);
      same(idsOf(taken), ["a"], "Deliveries");
      same(await harness.drain(queue), [], "Messages left after the failure");
    },
  },
  "delivery-count-table": {
    promise:
      "A delivery is counted by an abandon, a defer and a lock that expires; not by a release, peeking or a closed receiver. (delivery count)",
    needs: ["peekLock", "defer", "peek"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const counts: number[] = [];
      for (const next of ["release", "abandon", "peek", "expire", "defer"] as const) {
        const delivery = await harness.one(queue);
        counts.push(delivery.deliveryCount);
        await harness.engine.peek(queue, { maxMessages: 1 });
        if (next === "expire") await harness.advance(60_000);
        else await harness.settle(queue, delivery, { kind: next === "peek" ? "release" : next });
      }
      const [deferred] = await harness.engine.peek(queue, { maxMessages: 1 });
      same([...counts, deferred?.deliveryCount], [0, 0, 1, 1, 2, 3], "Delivery counts");
    },
  },
});
