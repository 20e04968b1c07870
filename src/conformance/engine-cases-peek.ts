import { type EngineCase, engineCases } from "./engine-case.ts";
import { idsOf, same } from "./engine-harness.ts";

/** Looking at messages without taking them. */
export const peekCases: readonly EngineCase[] = engineCases(["peek", "peekLock"], {
  "peek-takes-nothing": {
    promise: "Peeking neither locks nor counts nor removes, and peeked messages carry no lock. (Service Bus, browsing)",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const [peeked] = await harness.engine.peek(queue, { maxMessages: 1 });
      same([peeked?.lockToken, peeked?.lockedUntilUtc], [undefined, undefined], "Lock of the peeked message");
      same((await harness.one(queue)).deliveryCount, 0, "Delivery count afterwards");
    },
  },
  "peek-locked": {
    promise: "Peeking shows locked messages too.",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      await harness.one(queue);
      same(await harness.browse(queue), ["a", "b"], "Messages shown");
    },
  },
  "peek-from": {
    promise: "Peeking goes on from a sequence number, in order of sequence numbers. (Service Bus, browsing)",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b", "c", "d"]);
      const [first] = await harness.engine.peek(queue, { maxMessages: 1 });
      const fromSequenceNumber = (first?.sequenceNumber ?? 0n) + 1n;
      same(
        idsOf(await harness.engine.peek(queue, { maxMessages: 2, fromSequenceNumber })),
        ["b", "c"],
        "From the second",
      );
      for (const delivery of await harness.receive(queue, 3)) await harness.complete(queue, delivery);
      same(idsOf(await harness.engine.peek(queue, { maxMessages: 9, fromSequenceNumber })), ["d"], "After a gap");
      same(idsOf(await harness.engine.peek(queue, { maxMessages: 9, fromSequenceNumber: 0n })), ["d"], "From 0");
      const beyond = fromSequenceNumber + 100n;
      same(await harness.engine.peek(queue, { maxMessages: 9, fromSequenceNumber: beyond }), [], "Beyond the last");
    },
  },
  "peek-dead-letters": {
    promise: "The dead-letter queue can be browsed.",
    needs: ["peek", "deadLetter"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      await harness.settle(queue, await harness.one(queue), { kind: "deadLetter", deadLetterReason: "Broken" });
      const [dead] = await harness.engine.peek(`${queue}/$DeadLetterQueue`, { maxMessages: 1 });
      same(dead?.deadLetterReason, "Broken", "Reason of the peeked dead letter");
    },
  },
});
