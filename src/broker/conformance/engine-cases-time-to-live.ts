import { type Delivery, effectiveTimeToLive } from "../../core/engine/delivery.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import { envelope, idsOf, minute, same, tokenOf } from "./engine-harness.ts";

/** The times to live of deliveries, by the messages and by their expiry. */
const spans = (deliveries: readonly Delivery[]): readonly unknown[] =>
  deliveries.map(({ envelope: { brokerProperties }, expiresAtUtc, enqueuedTimeUtc }) => [
    brokerProperties.timeToLive,
    expiresAtUtc && expiresAtUtc.getTime() - enqueuedTimeUtc.getTime(),
  ]);

/** Messages that nobody took in time. */
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
  "time-to-live-of-months": {
    promise: "A time to live above 2^32 ms, which an AMQP header has no room for, is kept to the millisecond.",
    needs: ["timeToLive", "peek", "peekLock"],
    async run(harness) {
      const timeToLive = 60 * 24 * 60 * minute + 1;
      const queue = await harness.queueWith([
        envelope("a", { timeToLive }),
        envelope("never", { timeToLive: Infinity }),
      ]);
      const [first] = await harness.engine.peek(queue, { maxMessages: 1 });
      same(spans(first === undefined ? [] : [first]), [[timeToLive, timeToLive]], "Peeked");
      same(spans([await harness.one(queue)]), [[timeToLive, timeToLive]], "Received");
      same((await harness.one(queue)).expiresAtUtc, undefined, "The expiry of the one that never expires");
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
  "time-to-live-agrees": {
    promise:
      "A delivery expires at its enqueued time plus its effective time to live, which is never longer than the entity's.",
    needs: ["timeToLive", "administration"],
    async run(harness) {
      const queue = await harness.queue({ defaultMessageTimeToLive: minute });
      await harness.send(
        queue,
        "none",
        envelope("short", { timeToLive: 1000 }),
        envelope("long", { timeToLive: 60 * minute }),
      );
      const deliveries = await harness.receive(queue, 3);
      same(deliveries.map(effectiveTimeToLive), [minute, 1000, minute], "Effective times to live");
      for (const { expiresAtUtc, enqueuedTimeUtc, envelope: sent } of deliveries) {
        const life = (expiresAtUtc?.getTime() ?? 0) - enqueuedTimeUtc.getTime();
        const shown = sent.brokerProperties.timeToLive ?? life;
        same(shown >= life, true, "Whether the message shows at least the effective time to live");
      }
    },
  },
  "time-to-live-none": {
    promise: "A message without time to live, on an entity without one, has no expiry.",
    needs: ["timeToLive"],
    async run(harness) {
      const [, delivery] = await harness.received("a");
      same([delivery.expiresAtUtc, effectiveTimeToLive(delivery)], [undefined, undefined], "Expiry");
    },
  },
  "expiry-dead-letters-switched": {
    promise:
      "Dead-lettering of expired messages is switched on and off by an update, for the messages that expire from then on.",
    needs: ["timeToLive", "deadLetter", "administration"],
    async run(harness) {
      const { admin } = harness.engine;
      const queue = await harness.queue({ defaultMessageTimeToLive: minute });
      for (const [messageId, isOn] of [
        ["dropped", false],
        ["kept", true],
        ["dropped too", false],
      ] as const) {
        await admin.updateQueue(queue, { deadLetteringOnMessageExpiration: isOn });
        await harness.send(queue, messageId);
        await harness.advance(minute);
        same(await harness.receive(queue), [], "Deliveries");
      }
      same(await harness.drain(`${queue}/$DeadLetterQueue`), ["kept"], "Dead letters");
    },
  },
  "expiry-dead-letters-of-subscription": {
    promise: "Each subscription decides whether its expired copies are dead-lettered.",
    needs: ["timeToLive", "deadLetter", "topics", "administration"],
    async run(harness) {
      const topic = await harness.topic({ on: { deadLetteringOnMessageExpiration: true }, off: {} });
      await harness.send(topic, envelope("a", { timeToLive: minute }));
      await harness.advance(minute);
      for (const [name, expected] of [
        ["on", ["a"]],
        ["off", []],
      ] as const) {
        const subscription = `${topic}/Subscriptions/${name}`;
        same(await harness.receive(subscription), [], `Deliveries of ${name}`);
        same(await harness.drain(`${subscription}/$DeadLetterQueue`), expected, `Dead letters of ${name}`);
      }
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
