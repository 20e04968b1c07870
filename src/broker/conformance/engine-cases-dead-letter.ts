import type { Delivery } from "../../core/engine/delivery.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import { envelope, minute, refused, same, tokenOf } from "./engine-harness.ts";

const about = ({ deadLetterReason, deadLetterErrorDescription }: Delivery): readonly unknown[] => [
  deadLetterReason,
  deadLetterErrorDescription,
];

const origin = ({ enqueuedSequenceNumber, enqueuedTimeUtc, deliveryCount }: Delivery): readonly unknown[] => [
  enqueuedSequenceNumber,
  enqueuedTimeUtc,
  deliveryCount,
];

/** Where messages go that cannot be processed, and what they carry there. */
export const deadLetterCases: readonly EngineCase[] = engineCases(["deadLetter"], {
  "dead-letter-reason": {
    promise:
      "A dead-lettered message is received from the sub-queue with its reason and description. (Service Bus, DLQ)",
    needs: ["deadLetter"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const settlement = {
        kind: "deadLetter",
        deadLetterReason: "Broken",
        deadLetterErrorDescription: "No total.",
      } as const;
      await harness.settle(queue, await harness.one(queue), settlement);
      same(await harness.drain(queue), [], "Messages on the queue");
      same(about(await harness.one(`${queue}/$DeadLetterQueue`)), ["Broken", "No total."], "Reason and description");
    },
  },
  "dead-letter-properties": {
    promise:
      "Reason and description are application properties too, in addition to those given and those of the sender.",
    async run(harness) {
      const queue = await harness.queueWith([envelope("a", {}, { applicationProperties: { tenant: "x" } })]);
      await harness.settle(queue, await harness.one(queue), {
        kind: "deadLetter",
        deadLetterReason: "Broken",
        deadLetterErrorDescription: "No total.",
        propertiesToModify: { attempt: 3 },
      });
      const { applicationProperties } = (await harness.one(`${queue}/$DeadLetterQueue`)).envelope;
      const expected = { DeadLetterErrorDescription: "No total.", DeadLetterReason: "Broken", attempt: 3, tenant: "x" };
      const sorted = Object.entries(applicationProperties).toSorted(([left], [right]) => (left < right ? -1 : 1));
      same(sorted, Object.entries(expected), "Application properties");
    },
  },
  "dead-letter-bytes": {
    promise: "Dead-lettering never changes a byte of the payload or the sender's broker properties.",
    async run(harness) {
      const queue = await harness.queue();
      const sent = envelope("a", { contentType: "text/x; v=1", correlationId: "c" }, { bodyKind: "value" });
      await harness.send(queue, sent);
      await harness.settle(queue, await harness.one(queue), { kind: "deadLetter", deadLetterReason: "Broken" });
      const dead = (await harness.one(`${queue}/$DeadLetterQueue`)).envelope;
      same([dead.payload, dead.bodyKind], [sent.payload, "value"], "Payload and body kind");
      same(dead.brokerProperties, sent.brokerProperties, "Broker properties");
    },
  },
  "dead-letter-long-texts": {
    promise:
      "Reasons and descriptions of any length are cut so that the message still fits its limits. (64 KiB of properties)",
    async run(harness) {
      const queue = await harness.queueWith([
        envelope("a", {}, { applicationProperties: { large: "x".repeat(63_000) } }),
      ]);
      const long = "\u{1F4E9}".repeat(50_000);
      const settlement = { kind: "deadLetter", deadLetterReason: "Broken", deadLetterErrorDescription: long } as const;
      await harness.settle(queue, await harness.one(queue), settlement);
      const dead = await harness.one(`${queue}/$DeadLetterQueue`);
      same(dead.deadLetterReason, "Broken", "Reason");
      const { DeadLetterReason, DeadLetterErrorDescription = "" } = dead.envelope.applicationProperties;
      same(DeadLetterReason, "Broken", "Reason among the application properties");
      same(long.startsWith(String(DeadLetterErrorDescription)), true, "Whether the description begins as given");
    },
  },
  "max-delivery-count": {
    promise: "A message is delivered maxDeliveryCount times, then it is dead-lettered as MaxDeliveryCountExceeded.",
    needs: ["peekLock", "deadLetter", "administration"],
    async run(harness) {
      const queue = await harness.queueWith(["a"], { maxDeliveryCount: 3 });
      for (const expected of [0, 1, 2]) {
        const delivery = await harness.one(queue);
        same(delivery.deliveryCount, expected, "Delivery count");
        await harness.abandon(queue, delivery);
      }
      same(await harness.drain(queue), [], "Messages on the queue");
      const dead = await harness.one(`${queue}/$DeadLetterQueue`);
      same([dead.deadLetterReason, dead.deliveryCount], ["MaxDeliveryCountExceeded", 3], "Reason and count");
    },
  },
  "max-delivery-count-by-expiry": {
    promise: "Expired locks lead to MaxDeliveryCountExceeded as abandoning does; the default is 10 deliveries.",
    needs: ["peekLock", "deadLetter"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      for (let delivery = 0; delivery < 10; delivery++) {
        await harness.one(queue);
        await harness.advance(minute);
      }
      same(await harness.receive(queue), [], "Deliveries beyond the tenth");
      const dead = await harness.one(`${queue}/$DeadLetterQueue`);
      same(dead.deadLetterReason, "MaxDeliveryCountExceeded", "Reason");
    },
  },
  "dead-letter-queue-is-a-queue": {
    promise: "The dead-letter queue locks, abandons, renews and completes like any queue, and counts on without end.",
    needs: ["deadLetter", "renewLock"],
    async run(harness) {
      const queue = await harness.queue({ maxDeliveryCount: 1 });
      const dead = `${queue}/$DeadLetterQueue`;
      await harness.send(queue, "a");
      await harness.abandon(queue, await harness.one(queue));
      for (let round = 0; round < 3; round++) await harness.abandon(dead, await harness.one(dead));
      const delivery = await harness.one(dead);
      same(delivery.deliveryCount, 4, "Delivery count on the dead-letter queue");
      await harness.engine.renew(dead, tokenOf(delivery));
      await harness.complete(dead, delivery);
      same(await harness.drain(dead), [], "Dead letters left");
    },
  },
  "dead-letter-once": {
    promise: "On a dead-letter queue nothing is dead-lettered again; the message stays locked there. (sobre)",
    async run(harness) {
      const queue = await harness.queue();
      const dead = `${queue}/$deadletterqueue`;
      await harness.send(queue, "a");
      await harness.settle(queue, await harness.one(queue), { kind: "deadLetter" });
      const delivery = await harness.one(dead);
      await refused(harness.settle(dead, delivery, { kind: "deadLetter" }), "InvalidOperation", "Dead-lettering twice");
      await harness.complete(dead, delivery);
    },
  },
  "dead-letter-queue-takes-no-sends": {
    promise: "Only the broker fills a dead-letter queue: a sender to one is refused.",
    async run(harness) {
      const queue = await harness.queue();
      await refused(harness.engine.openSender(`${queue}/$DeadLetterQueue`), "InvalidOperation", "A sender to the DLQ");
    },
  },
  "dead-letter-keeps-numbers": {
    promise: "A dead letter keeps its first sequence number, its enqueued time and its delivery count.",
    needs: ["deadLetter", "sequenceNumbers"],
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      await harness.complete(queue, await harness.one(queue));
      await harness.abandon(queue, await harness.one(queue));
      await harness.advance(1000);
      const delivery = await harness.one(queue);
      await harness.settle(queue, delivery, { kind: "deadLetter" });
      const dead = await harness.one(`${queue}/$DeadLetterQueue`);
      same(origin(dead), origin(delivery), "Number, time and count");
    },
  },
});
