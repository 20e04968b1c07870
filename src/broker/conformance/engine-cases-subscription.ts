import { effectiveTimeToLive } from "../../core/engine/delivery.ts";
import { typed } from "../../core/values/typed-makers.ts";
import type { RuleFilter } from "../../core/engine/rules.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import { after, atOnce, envelope, idsOf, minute, present, refused, same } from "./engine-harness.ts";

const only = (
  filter: RuleFilter,
): { readonly rules: readonly [{ readonly name: "r"; readonly filter: RuleFilter }] } => ({
  rules: [{ name: "r", filter }],
});

/** Subscriptions and their copies. */
export const subscriptionCases: readonly EngineCase[] = engineCases(["topics", "deadLetter"], {
  "topic-filter-error": {
    promise:
      "A rule that cannot be evaluated dead-letters the message on its subscription, or passes it over where that is off.",
    needs: ["topics", "deadLetter", "ruleFilters"],
    async run(harness) {
      const broken = only({ kind: "sql", expression: "sys.NoSuchProperty = 1" });
      const quiet = { ...broken, deadLetteringOnFilterEvaluationExceptions: false };
      const topic = await harness.topic({ loud: broken, quiet });
      await harness.send(topic, "a");
      same(await harness.drain(`${topic}/Subscriptions/loud/$DeadLetterQueue`), ["a"], "Dead letters of loud");
      same(await harness.drain(`${topic}/Subscriptions/quiet/$DeadLetterQueue`), [], "Dead letters of quiet");
    },
  },
  "topic-subscription-is-a-queue": {
    promise: "A subscription has locks, counts and a dead-letter queue of its own, as a queue has.",
    async run(harness) {
      const topic = await harness.topic({ s: { maxDeliveryCount: 2, lockDuration: "PT10S" } });
      const subscription = `${topic}/Subscriptions/s`;
      await harness.send(topic, "a");
      await harness.abandon(subscription, await harness.one(subscription));
      await harness.one(subscription);
      await harness.advance(10_000);
      const dead = await harness.one(`${subscription}/$DeadLetterQueue`);
      same([dead.deadLetterReason, dead.deliveryCount], ["MaxDeliveryCountExceeded", 2], "Reason and count");
      const { deadLetterMessageCount } = await harness.engine.admin.getSubscriptionRuntimeProperties(topic, "s");
      same(deadLetterMessageCount, 1, "Dead letters counted");
    },
  },
  "topic-schedule": {
    promise:
      "A message scheduled on a topic is copied when its time comes, by the rules of that time; it can be cancelled.",
    needs: ["topics", "schedule", "sequenceNumbers", "cancelScheduled"],
    async run(harness) {
      const topic = await harness.topic({ early: {} });
      const scheduledEnqueueTimeUtc = after(await harness.now(), minute);
      const numbers = await harness.engine.schedule(topic, [
        envelope("a", { scheduledEnqueueTimeUtc }),
        envelope("b", { scheduledEnqueueTimeUtc }),
      ]);
      await harness.engine.cancel(topic, numbers.slice(1));
      await harness.engine.admin.createSubscription(topic, "late");
      await harness.advance(minute);
      for (const name of ["early", "late"])
        same(await harness.drain(`${topic}/Subscriptions/${name}`), ["a"], `Messages of ${name}`);
    },
  },
  "topic-sessions": {
    promise: "A subscription may require sessions; copies without session id are dead-lettered there.",
    needs: ["topics", "sessions", "deadLetter", "namedSessions"],
    async run(harness) {
      const topic = await harness.topic({ s: { requiresSession: true } });
      const subscription = `${topic}/Subscriptions/s`;
      await harness.send(topic, envelope("a", { sessionId: "x" }), "b");
      const session = await harness.session(subscription, "x");
      same(idsOf(await session.receive(atOnce(5))), ["a"], "Messages of the session");
      same(await harness.drain(`${subscription}/$DeadLetterQueue`), ["b"], "Dead letters");
    },
  },
  "topic-forward": {
    promise:
      "A subscription forwards its copies to another entity, keeping the number that the topic gave. (auto-forwarding)",
    needs: ["topics", "autoForward", "sequenceNumbers"],
    async run(harness) {
      const target = await harness.queue();
      const topic = await harness.topic({ s: { forwardTo: target } });
      await harness.send(topic, "first", "second");
      const [first, second] = await harness.receive(target, 2);
      const difference = (second?.enqueuedSequenceNumber ?? 0n) - (first?.enqueuedSequenceNumber ?? 0n);
      same(
        [idsOf([present(first, "first"), present(second, "second")]), difference],
        [["first", "second"], 1n],
        "Messages",
      );
    },
  },
  "topic-duplicates": {
    promise: "A topic drops duplicates before it copies.",
    needs: ["topics", "duplicateDetection"],
    async run(harness) {
      const topic = await harness.topic({ s: {}, t: {} }, { requiresDuplicateDetection: true });
      await harness.send(topic, "a", "a");
      same(await harness.drain(`${topic}/Subscriptions/t`), ["a"], "Messages");
    },
  },
  "topic-time-to-live": {
    promise: "A subscription's time to live holds for its copies; the shortest of message and subscription counts.",
    needs: ["topics", "timeToLive"],
    async run(harness) {
      const topic = await harness.topic({ short: { defaultMessageTimeToLive: minute }, long: {} });
      await harness.send(topic, "a");
      await harness.advance(minute);
      same(await harness.drain(`${topic}/Subscriptions/short`), [], "Messages of short");
      same(await harness.drain(`${topic}/Subscriptions/long`), ["a"], "Messages of long");
    },
  },
  "topic-typed-properties": {
    promise: "Typed application property values reach every copy as they were sent.",
    needs: ["topics"],
    async run(harness) {
      const topic = await harness.topic({ s: {} });
      await harness.send(topic, envelope("a", {}, { applicationProperties: { level: typed.ubyte(3) } }));
      const { applicationProperties } = (await harness.one(`${topic}/Subscriptions/s`)).envelope;
      same(applicationProperties["level"], typed.ubyte(3), "The typed value");
    },
  },
  "topic-life": {
    promise: "Topics and subscriptions are created, listed and deleted; deleting a topic deletes its subscriptions.",
    needs: ["topics", "administration"],
    async run(harness) {
      const { admin } = harness.engine;
      const topic = await harness.topic({ b: {}, a: {} });
      same([await admin.listTopics(), await admin.listSubscriptions(topic)], [[topic], ["a", "b"]], "Lists");
      await refused(admin.createSubscription(topic, "A"), "MessagingEntityAlreadyExists", "A subscription that exists");
      await refused(admin.createQueue(topic), "MessagingEntityAlreadyExists", "A queue under the name of a topic");
      await admin.deleteSubscription(topic, "b");
      same(await admin.subscriptionExists(topic, "b"), false, "Whether the subscription exists");
      await admin.deleteTopic(topic);
      same([await admin.topicExists(topic), await admin.subscriptionExists(topic, "a")], [false, false], "Existence");
      await refused(harness.receiver(`${topic}/Subscriptions/a`), "MessagingEntityNotFound", "A receiver afterwards");
    },
  },
  "topic-time-to-live-of-topic": {
    promise: "A topic's time to live holds for every copy. (Service Bus, TTL: the entity's default)",
    needs: ["topics", "timeToLive", "administration", "peek"],
    async run(harness) {
      const topic = await harness.topic({ s: {} }, { defaultMessageTimeToLive: minute });
      const subscription = `${topic}/Subscriptions/s`;
      await harness.send(topic, "none", envelope("long", { timeToLive: 60 * minute }));
      const lives = (await harness.engine.peek(subscription, { maxMessages: 5 })).map(effectiveTimeToLive);
      same(lives, [minute, minute], "Milliseconds to live");
      await harness.advance(minute);
      same(await harness.drain(subscription), [], "Messages at the end of the topic's time to live");
    },
  },
  "topic-time-to-live-least": {
    promise: "The smallest time to live of message, topic and subscription counts, whichever it is.",
    needs: ["topics", "timeToLive", "administration", "peek"],
    async run(harness) {
      const least: readonly (readonly [number, number, number])[] = [
        [1, 2, 3],
        [2, 1, 3],
        [3, 2, 1],
        [2, 3, 1],
      ];
      for (const [message, ofTopic, ofSubscription] of least) {
        const setup = { s: { defaultMessageTimeToLive: ofSubscription * minute } };
        const topic = await harness.topic(setup, { defaultMessageTimeToLive: ofTopic * minute });
        await harness.send(topic, envelope("a", { timeToLive: message * minute }));
        const [peeked] = await harness.engine.peek(`${topic}/Subscriptions/s`, { maxMessages: 1 });
        same(
          effectiveTimeToLive(present(peeked, "a")),
          minute,
          `Milliseconds to live of ${message}, ${ofTopic}, ${ofSubscription}`,
        );
      }
    },
  },
});
