import { typed } from "../../core/values/typed-makers.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import { after, envelope, minute, same } from "./engine-harness.ts";

const detecting = { requiresDuplicateDetection: true } as const;

/** Messages that were sent twice. */
export const duplicateCases: readonly EngineCase[] = engineCases(["duplicateDetection"], {
  "duplicate-dropped": {
    promise:
      "A message whose id was seen within the window is accepted and dropped, in the same batch too. (duplicate detection)",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b", "a"], detecting);
      await harness.send(queue, "a");
      same(await harness.drain(queue), ["a", "b"], "Deliveries");
    },
  },
  "duplicate-after-complete": {
    promise:
      "A duplicate is dropped even when the first message was completed long ago, within the window of 10 minutes.",
    async run(harness) {
      const queue = await harness.queueWith(["a"], detecting);
      await harness.drain(queue);
      await harness.advance(10 * minute - 1);
      await harness.send(queue, "a");
      same(await harness.drain(queue), [], "Deliveries just within the window");
      await harness.advance(1);
      await harness.send(queue, "a");
      same(await harness.drain(queue), ["a"], "Deliveries after the window");
    },
  },
  "duplicate-window-not-renewed": {
    promise: "A duplicate does not make the window longer, and the window is an option.",
    needs: ["duplicateDetection", "administration"],
    async run(harness) {
      const queue = await harness.queueWith(["a"], { ...detecting, duplicateDetectionHistoryTimeWindow: "PT1M" });
      await harness.advance(minute / 2);
      await harness.send(queue, "a");
      await harness.advance(minute / 2);
      await harness.send(queue, "a");
      same(await harness.drain(queue), ["a", "a"], "Deliveries");
    },
  },
  "duplicate-off": {
    promise: "Without duplicate detection equal ids are different messages.",
    async run(harness) {
      const queue = await harness.queueWith(["a", "a"]);
      same(await harness.drain(queue), ["a", "a"], "Deliveries");
    },
  },
  "duplicate-leaves-no-gap": {
    promise: "A duplicate uses up no sequence number. (sobre, numbers)",
    async run(harness) {
      const queue = await harness.queueWith(["a", "a", "b"], detecting);
      const [a, b] = await harness.receive(queue, 5);
      same((b?.sequenceNumber ?? 0n) - (a?.sequenceNumber ?? 0n), 1n, "Difference of the sequence numbers");
    },
  },
  "duplicate-id-types": {
    promise: "Ids of different types are different ids: the text 1 is not the number 1.",
    async run(harness) {
      const queue = await harness.queue(detecting);
      const uuid = typed.uuid("0f8fad5b-d9cb-469f-a165-70867728950e");
      const ids = ["1", 1n, Uint8Array.of(1), uuid, "1", 1n, Uint8Array.of(1), uuid];
      for (const messageId of ids) await harness.send(queue, envelope("x", { messageId }));
      same((await harness.drain(queue)).length, 4, "Number of deliveries");
    },
  },
  "duplicate-scheduled": {
    promise: "Scheduling is accepting: a message sent again while the first waits for its time is a duplicate.",
    needs: ["duplicateDetection", "schedule"],
    async run(harness) {
      const queue = await harness.queue(detecting);
      const scheduledEnqueueTimeUtc = after(await harness.now(), minute);
      await harness.engine.schedule(queue, [envelope("a", { scheduledEnqueueTimeUtc })]);
      await harness.send(queue, "a");
      same(await harness.drain(queue), [], "Deliveries before its time");
      await harness.advance(minute);
      same(await harness.drain(queue), ["a"], "Deliveries at its time");
    },
  },
  "duplicate-partition-key": {
    promise: "On partitioned entities the partition key is part of the id. (Service Bus, duplicate detection)",
    needs: ["duplicateDetection", "administration"],
    async run(harness) {
      const queue = await harness.queue({ ...detecting, enablePartitioning: true });
      const [one, two] = [envelope("a", { partitionKey: "1" }), envelope("a", { partitionKey: "2" })];
      // A batch has one key.
      for (const sent of [one, two, one, two]) await harness.send(queue, sent);
      same((await harness.drain(queue)).length, 2, "Number of deliveries");
    },
  },
});
