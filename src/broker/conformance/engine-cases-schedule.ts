import type { Envelope } from "../../core/envelope/envelope.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import { after, type EngineHarness, envelope, idsOf, minute, refused, same } from "./engine-harness.ts";

/** A message for so many milliseconds from now. */
async function later(
  harness: EngineHarness,
  messageId: string,
  milliseconds: number,
  timeToLive?: number,
): Promise<Envelope> {
  const scheduledEnqueueTimeUtc = after(await harness.now(), milliseconds);
  return envelope(messageId, { scheduledEnqueueTimeUtc, timeToLive });
}

/** Messages accepted now for a later time. */
export const scheduleCases: readonly EngineCase[] = engineCases(["schedule"], {
  "schedule-waits": {
    promise: "A scheduled message is delivered from its time on, not before. (Service Bus, scheduled messages)",
    async run(harness) {
      const queue = await harness.queue();
      await harness.engine.schedule(queue, [await later(harness, "a", minute)]);
      await harness.advance(minute - 1);
      same(await harness.receive(queue), [], "Deliveries just before");
      await harness.advance(1);
      same(idsOf(await harness.receive(queue)), ["a"], "Deliveries at the time");
    },
  },
  "schedule-by-send": {
    promise: "Sending with scheduledEnqueueTimeUtc schedules too; a time in the past is now.",
    async run(harness) {
      const queue = await harness.queueWith([
        await later(harness, "later", minute),
        await later(harness, "past", -minute),
      ]);
      same(await harness.drain(queue), ["past"], "Deliveries at once");
      await harness.advance(minute);
      same(await harness.drain(queue), ["later"], "Deliveries at the time");
    },
  },
  "schedule-wakes": {
    promise: "A receive that waits gets a scheduled message when its time comes.",
    async run(harness) {
      const queue = await harness.queue();
      await harness.engine.schedule(queue, [await later(harness, "a", minute)]);
      const waiting = (await harness.receiver(queue)).receive({ maxMessages: 1, maxWaitTimeInMs: 2 * minute });
      await harness.advance(minute);
      same(idsOf(await waiting), ["a"], "Deliveries of the waiting receive");
    },
  },
  "schedule-order": {
    promise: "Scheduled messages become active in the order of their times, whatever the order of scheduling.",
    async run(harness) {
      const queue = await harness.queue();
      const batch = [
        await later(harness, "third", 3000),
        await later(harness, "first", 1000),
        await later(harness, "second", 2000),
      ];
      await harness.engine.schedule(queue, batch);
      await harness.advance(minute);
      same(await harness.drain(queue), ["first", "second", "third"], "Order of delivery");
    },
  },
  "schedule-numbers": {
    promise:
      "Scheduling gives a sequence number; on activation there is a new one, and the first stays as enqueued number.",
    needs: ["schedule", "peek", "sequenceNumbers"],
    async run(harness) {
      const queue = await harness.queue();
      const [number = 0n] = await harness.engine.schedule(queue, [await later(harness, "a", minute)]);
      await harness.send(queue, "between");
      await harness.advance(minute);
      const [between, activated] = await harness.receive(queue, 2);
      same(between?.sequenceNumber, number + 1n, "Number of the message sent meanwhile");
      same(
        [activated?.sequenceNumber, activated?.enqueuedSequenceNumber],
        [number + 2n, number],
        "Numbers after activation",
      );
    },
  },
  "schedule-peek": {
    promise: "Browsing shows scheduled messages as scheduled, and the counts count them apart.",
    needs: ["schedule", "peek", "administration"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.engine.schedule(queue, [await later(harness, "a", minute)]);
      const states = (await harness.engine.peek(queue, { maxMessages: 5 })).map(({ state }) => state);
      same(states, ["scheduled"], "States before");
      const { activeMessageCount, scheduledMessageCount } = await harness.counts(queue);
      same([activeMessageCount, scheduledMessageCount], [0, 1], "Active and scheduled count");
      await harness.advance(minute);
      const afterwards = await harness.counts(queue);
      same([afterwards.activeMessageCount, afterwards.scheduledMessageCount], [1, 0], "Counts after activation");
    },
  },
  "schedule-cancel": {
    promise: "A cancelled message is never delivered; what is not scheduled any more is refused as MessageNotFound.",
    needs: ["schedule", "cancelScheduled"],
    async run(harness) {
      const queue = await harness.queue();
      const [a = 0n, b = 0n] = await harness.engine.schedule(queue, [
        await later(harness, "a", minute),
        await later(harness, "b", minute),
      ]);
      await harness.engine.cancel(queue, [a]);
      await refused(harness.engine.cancel(queue, [a]), "MessageNotFound", "Cancelling twice");
      await refused(harness.engine.cancel(queue, [b, 999n]), "MessageNotFound", "Cancelling one that never was");
      await harness.advance(minute);
      await refused(harness.engine.cancel(queue, [b]), "MessageNotFound", "Cancelling after activation");
      same(await harness.drain(queue), ["b"], "Deliveries");
    },
  },
  "schedule-time-to-live": {
    promise: "The time to live of a scheduled message counts from its activation. (sobre, time)",
    needs: ["schedule", "timeToLive", "peek"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.engine.schedule(queue, [await later(harness, "a", 5 * minute, minute)]);
      await harness.advance(6 * minute - 1);
      same(await harness.browse(queue), ["a"], "Messages just before it expires");
      await harness.advance(1);
      same(await harness.browse(queue), [], "Messages after its time to live");
    },
  },
  "schedule-enqueued-time": {
    promise: "A scheduled message is enqueued when it becomes active.",
    async run(harness) {
      const queue = await harness.queue();
      const message = await later(harness, "a", minute);
      await harness.engine.schedule(queue, [message]);
      await harness.advance(2 * minute);
      const { enqueuedTimeUtc } = await harness.one(queue);
      same(enqueuedTimeUtc, message.brokerProperties.scheduledEnqueueTimeUtc, "Enqueued time");
    },
  },
  "schedule-without-time": {
    promise: "Scheduling a message without scheduledEnqueueTimeUtc is refused.",
    async run(harness) {
      const queue = await harness.queue();
      await refused(harness.engine.schedule(queue, [envelope("a")]), "InvalidOperation", "A message without time");
    },
  },
});
