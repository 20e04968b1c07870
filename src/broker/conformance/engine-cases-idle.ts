import { type EngineCase, engineCases } from "./engine-case.ts";
import { after, atOnce, envelope, minute, same } from "./engine-harness.ts";

/** Entities that are deleted when nobody uses them, and the uses that put it off. */
export const idleCases: readonly EngineCase[] = engineCases(["administration"], {
  "idle-deletion": {
    promise: "An entity with autoDeleteOnIdle is deleted when nobody has used it for so long; use puts it off.",
    async run(harness) {
      const { admin } = harness.engine;
      const queue = await harness.queue({ autoDeleteOnIdle: 5 * minute });
      await harness.advance(4 * minute);
      await harness.send(queue, "a");
      await harness.advance(4 * minute);
      same(await admin.queueExists(queue), true, "Whether it exists 4 minutes after its last use");
      const waiting = (await harness.receiver(queue)).receive(atOnce(5));
      await waiting;
      await harness.advance(5 * minute);
      same(await admin.queueExists(queue), false, "Whether it exists 5 minutes after its last use");
    },
  },
  "idle-uses": {
    promise:
      "Sends, also by forwarding, receives that find nothing, peeks, updates and new rules put an idle deletion off. (message expiration, idleness)",
    needs: ["administration", "topics", "autoForward", "peek", "peekLock"],
    async run(harness) {
      const { engine } = harness;
      const { admin } = engine;
      const idle = { autoDeleteOnIdle: 5 * minute };
      const queues = await Promise.all(Array.from({ length: 5 }, () => harness.queue(idle)));
      const [peeked = "", received = "", updated = "", forwardedTo = "", unused = ""] = queues;
      const source = await harness.queue({ ...idle, forwardTo: forwardedTo });
      const topic = await harness.topic({ ruled: idle, left: {} }, idle);
      await harness.advance(4 * minute);
      await engine.peek(peeked, { maxMessages: 1 });
      const receiver = await engine.openReceiver(received, { receiveMode: "peekLock" });
      await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
      await receiver.close();
      await admin.updateQueue(updated, { maxDeliveryCount: 3 });
      await harness.send(source, "a");
      await admin.createRule(topic, "ruled", "more", { filter: { kind: "true" } });
      await harness.advance(4 * minute);
      const exist = async (): Promise<readonly boolean[]> => [
        ...(await Promise.all([peeked, received, updated, forwardedTo].map((queue) => admin.queueExists(queue)))),
        await admin.subscriptionExists(topic, "ruled").catch(() => false),
        await admin.topicExists(topic),
      ];
      same(await exist(), [true, true, true, true, true, true], "Whether they exist 4 minutes after their use");
      same(await admin.queueExists(unused), false, "Whether the one that nobody used exists");
      await harness.advance(minute + 1);
      same(await exist(), [false, false, false, false, false, false], "Whether they exist 5 minutes after their use");
      same(await admin.queueExists(source), true, "Whether the one exists that forwards, as if it were received from");
    },
  },
  "idle-while-scheduled": {
    promise:
      "An entity is not idle while it has a scheduled message, and its arrival is a use. (message expiration, idleness)",
    needs: ["administration", "topics", "schedule", "peek"],
    async run(harness) {
      const { admin } = harness.engine;
      const idle = { autoDeleteOnIdle: 5 * minute };
      const [queue, topic] = [await harness.queue(idle), await harness.topic({ all: {} }, idle)];
      const at = after(await harness.now(), 60 * minute);
      for (const entity of [queue, topic])
        await harness.engine.schedule(entity, [envelope("a", { scheduledEnqueueTimeUtc: at })]);
      for (let passed = 0; passed < 60; passed += 4) await harness.advance(4 * minute);
      same(await harness.browse(`${topic}/Subscriptions/all`), ["a"], "Messages of the subscription");
      await harness.advance(4 * minute);
      same(await harness.browse(queue), ["a"], "Messages of the queue");
      same(await admin.topicExists(topic), true, "Whether the topic exists");
      await harness.advance(5 * minute);
      same([await admin.queueExists(queue), await admin.topicExists(topic)], [false, false], "Whether they exist");
    },
  },
});
