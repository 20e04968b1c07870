import { type EngineCase, engineCases } from "./engine-case.ts";
import { envelope, idsOf, minute, same, tokenOf } from "./engine-harness.ts";

/** What becomes of messages that nobody took in time. */
export const timeToLiveCases: readonly EngineCase[] = engineCases(["timeToLive", "deadLetter", "administration"], {
  "expired-never-delivered": {
    promise: "A message is never delivered after its time to live, and until then it is. (Service Bus, TTL)",
    needs: ["timeToLive"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(
        queue,
        envelope("short", { timeToLive: minute }),
        envelope("long", { timeToLive: 2 * minute }),
      );
      await harness.advance(minute - 1);
      same(await harness.browse(queue), ["short", "long"], "Just before");
      await harness.advance(1);
      same(await harness.drain(queue), ["long"], "At the end of the time to live");
    },
  },
  "expiry-drops": {
    promise: "Expired messages are dropped where dead-lettering on expiration is off, as it is by default.",
    needs: ["timeToLive", "deadLetter"],
    async run(harness) {
      const queue = await harness.queueWith([envelope("a", { timeToLive: minute })]);
      await harness.advance(minute);
      same(await harness.receive(queue), [], "Deliveries");
      same(await harness.drain(`${queue}/$DeadLetterQueue`), [], "Dead letters");
      same((await harness.counts(queue)).totalMessageCount, 0, "Total count");
    },
  },
  "expiry-dead-letters": {
    promise: "Where dead-lettering on expiration is on, expired messages get the reason TTLExpiredException.",
    async run(harness) {
      const queue = await harness.queueWith(
        [envelope("a", { timeToLive: minute }), envelope("b", { timeToLive: minute })],
        { deadLetteringOnMessageExpiration: true },
      );
      await harness.advance(minute);
      const dead = await harness.receive(`${queue}/$DeadLetterQueue`, 5);
      same(idsOf(dead), ["a", "b"], "Dead letters");
      same(dead[0]?.deadLetterReason, "TTLExpiredException", "Reason");
      same(dead[0]?.envelope.applicationProperties["DeadLetterReason"], "TTLExpiredException", "Application property");
    },
  },
  "time-to-live-of-entity": {
    promise: "The shorter of the message's and the entity's time to live counts, without a word. (Service Bus, TTL)",
    needs: ["timeToLive", "administration"],
    async run(harness) {
      const queue = await harness.queueWith(["default", envelope("short", { timeToLive: minute })], {
        defaultMessageTimeToLive: "PT2M",
      });
      await harness.send(queue, envelope("long", { timeToLive: 60 * minute }));
      await harness.advance(minute);
      same(await harness.browse(queue), ["default", "long"], "After one minute");
      const [{ expiresAtUtc, enqueuedTimeUtc } = {}] = await harness.engine.peek(queue, { maxMessages: 1 });
      same((expiresAtUtc?.getTime() ?? 0) - (enqueuedTimeUtc?.getTime() ?? 0), 2 * minute, "Milliseconds until expiry");
      await harness.advance(minute);
      same(await harness.drain(queue), [], "After two minutes");
    },
  },
  "time-to-live-is-not-rewritten": {
    promise: "What the sender wrote stays: an adjusted expiry is a fact of the delivery, not a new property. (sobre)",
    needs: ["timeToLive", "administration"],
    async run(harness) {
      const queue = await harness.queueWith(["none", envelope("long", { timeToLive: 60 * minute })], {
        defaultMessageTimeToLive: minute,
      });
      const properties = (await harness.receive(queue, 2)).map(
        (delivery) => delivery.envelope.brokerProperties.timeToLive,
      );
      same(properties, [undefined, 60 * minute], "timeToLive as received");
    },
  },
  "locked-expires-after-lock": {
    promise: "A locked message expires only when its lock has ended; until then it can be completed.",
    needs: ["timeToLive", "peekLock", "renewLock"],
    async run(harness) {
      const queue = await harness.queueWith([
        envelope("a", { timeToLive: minute }),
        envelope("b", { timeToLive: minute }),
      ]);
      await harness.advance(minute - 1);
      const [a, b] = await harness.receive(queue, 2);
      if (a === undefined || b === undefined) throw new Error("Two messages were due.");
      await harness.advance(2);
      await harness.engine.renew(queue, tokenOf(a));
      await harness.complete(queue, a);
      await harness.abandon(queue, b);
      same(await harness.receive(queue), [], "Deliveries after the expired one was abandoned");
      same(await harness.browse(queue), [], "Messages left");
    },
  },
  "dead-letters-do-not-expire": {
    promise: "Dead letters ignore every time to live. (Service Bus, DLQ)",
    async run(harness) {
      const queue = await harness.queueWith(["a"], { defaultMessageTimeToLive: minute });
      await harness.settle(queue, await harness.one(queue), { kind: "deadLetter" });
      await harness.advance(1000 * minute);
      const dead = await harness.one(`${queue}/$DeadLetterQueue`);
      same(dead.expiresAtUtc, undefined, "Expiry of a dead letter");
    },
  },
});
