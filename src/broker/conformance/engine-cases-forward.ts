import { type EngineCase, engineCases } from "./engine-case.ts";
import { type EngineHarness, envelope, idsOf, inSession, minute, present, refused, same } from "./engine-harness.ts";

/** A chain of queues, each forwarding to the next; returns their names from the first to the last. */
async function chain(harness: EngineHarness, length: number): Promise<readonly string[]> {
  const names: string[] = [await harness.queue()];
  while (names.length < length) names.unshift(await harness.queue({ forwardTo: names[0] }));
  return names;
}

/** Messages that move on by themselves. */
export const forwardCases: readonly EngineCase[] = engineCases(["autoForward", "deadLetter"], {
  "forward-moves": {
    promise:
      "A message sent to an entity with forwardTo arrives at the target, and the first number stays. (auto-forwarding)",
    needs: ["autoForward", "sequenceNumbers", "peek"],
    async run(harness) {
      const target = await harness.queue();
      const source = await harness.queue({ forwardTo: target });
      await harness.send(target, "own", "own too");
      await harness.send(source, "a");
      same([await harness.browse(source), await harness.browse(target)], [[], ["own", "own too", "a"]], "Messages");
      const [, , forwarded] = await harness.receive(target, 3);
      const { sequenceNumber, enqueuedSequenceNumber } = present(forwarded, "a");
      same(sequenceNumber - enqueuedSequenceNumber, 2n, "Third on the target less first on the source");
    },
  },
  "forward-source-closed": {
    promise: "An entity that forwards cannot be received from; its dead-letter queue can.",
    async run(harness) {
      const source = await harness.queue({ forwardTo: await harness.queue() });
      await refused(harness.receiver(source), "InvalidOperation", "A receiver");
      same(await harness.receive(`${source}/$DeadLetterQueue`), [], "Dead letters");
    },
  },
  "forward-hops": {
    promise:
      "A message is forwarded 4 times; a fifth puts it into the transfer dead-letter queue. (MaxTransferHopCountExceeded)",
    async run(harness) {
      const five = await chain(harness, 5);
      await harness.send(present(five[0], "The first"), "far enough");
      same(await harness.drain(present(five[4], "The last")), ["far enough"], "Messages of the last queue");
      const six = await chain(harness, 6);
      await harness.send(present(six[0], "The first"), "too far");
      same(await harness.drain(present(six[5], "The last")), [], "Messages of the sixth queue");
      const dead = await harness.one(`${present(six[4], "The fifth")}/$Transfer/$DeadLetterQueue`);
      same(dead.deadLetterReason, "MaxTransferHopCountExceeded", "Reason");
    },
  },
  "forward-ring": {
    promise: "Entities that forward to each other end a message in a transfer dead-letter queue, not in a hang.",
    needs: ["autoForward", "administration"],
    async run(harness) {
      const one = await harness.queue();
      const two = await harness.queue({ forwardTo: one });
      await harness.engine.admin.updateQueue(one, { forwardTo: two });
      await harness.send(one, "a");
      const ends = [await harness.counts(one), await harness.counts(two)];
      same(
        ends.map(({ transferDeadLetterMessageCount }) => transferDeadLetterMessageCount),
        [1, 0],
        "Where it ended",
      );
    },
  },
  "forward-refused": {
    promise:
      "A message that the target refuses, missing, disabled or full, goes to the source's transfer dead-letter queue.",
    needs: ["autoForward", "administration"],
    async run(harness) {
      const target = await harness.queue();
      const source = await harness.queue({ forwardTo: target });
      const transfer = `${source}/$Transfer/$DeadLetterQueue`;
      await harness.engine.admin.updateQueue(target, { status: "SendDisabled" });
      await harness.send(source, "disabled");
      await harness.engine.admin.deleteQueue(target);
      await harness.send(source, "missing");
      const reasons = (await harness.receive(transfer, 5)).map(({ deadLetterReason }) => deadLetterReason);
      same(reasons, ["MessagingEntityDisabled", "MessagingEntityNotFound"], "Reasons");
    },
  },
  "forward-without-session": {
    promise: "A forwarded message without session id is dead-lettered by a session entity: Session ID is null.",
    needs: ["autoForward", "sessions", "deadLetter", "peek"],
    async run(harness) {
      const target = await harness.queue({ requiresSession: true });
      const source = await harness.queue({ forwardTo: target });
      await harness.send(source, "a", inSession("s", "b"));
      const dead = await harness.one(`${target}/$DeadLetterQueue`);
      same(idsOf([dead]), ["a"], "Dead letter");
      same(dead.deadLetterReason, "Session ID is null", "Reason");
      same(await harness.browse(target), ["b"], "Messages of the target");
    },
  },
  "forward-dead-letters": {
    promise:
      "Dead letters are forwarded where the entity says so: with their source, uncounted, receivable like any message.",
    async run(harness) {
      const graveyard = await harness.queue();
      const queue = await harness.queueWith(["a"], { forwardDeadLetteredMessagesTo: graveyard });
      await harness.abandon(queue, await harness.one(queue));
      await harness.settle(queue, await harness.one(queue), { kind: "deadLetter", deadLetterReason: "Broken" });
      const dead = await harness.one(graveyard);
      same([dead.deadLetterSource, dead.deliveryCount], [queue, 0], "Source and count");
      same(dead.envelope.applicationProperties["DeadLetterReason"], "Broken", "Reason among the properties");
      same(await harness.drain(`${queue}/$DeadLetterQueue`), [], "Own dead letters");
      await harness.complete(graveyard, dead);
    },
  },
  "forward-expired": {
    promise: "An expired message that is dead-lettered is forwarded like other dead letters.",
    needs: ["autoForward", "deadLetter", "timeToLive"],
    async run(harness) {
      const graveyard = await harness.queue();
      const options = { forwardDeadLetteredMessagesTo: graveyard, deadLetteringOnMessageExpiration: true };
      await harness.queueWith([envelope("a", { timeToLive: minute })], options);
      await harness.advance(minute);
      same((await harness.one(graveyard)).deadLetterReason, "TTLExpiredException", "Reason");
    },
  },
  "forward-update": {
    promise: "When forwarding is switched on, the messages that lie ready are forwarded.",
    needs: ["autoForward", "administration"],
    async run(harness) {
      const [source, target] = [await harness.queue(), await harness.queue()];
      await harness.send(source, "a", "b");
      await harness.engine.admin.updateQueue(source, { forwardTo: target });
      same(await harness.drain(target), ["a", "b"], "Messages of the target");
    },
  },
  "forward-targets": {
    promise:
      "An entity forwards only to a queue or topic that exists, not to itself, and not if it has sessions; updates, too. (auto-forwarding)",
    needs: ["autoForward", "administration", "sessions"],
    async run(harness) {
      const { admin } = harness.engine;
      const [target, queue] = [await harness.queue(), await harness.queue()];
      const topic = await harness.topic({ s: {} });
      const name = harness.freshName();
      for (const option of ["forwardTo", "forwardDeadLetteredMessagesTo"] as const) {
        const missing = { [option]: "missing" };
        await refused(admin.createQueue(name, missing), "MessagingEntityNotFound", `A queue with ${option} missing`);
        const subscription = admin.createSubscription(topic, "x", missing);
        await refused(subscription, "MessagingEntityNotFound", `A subscription with ${option} missing`);
        await refused(admin.updateQueue(queue, missing), "MessagingEntityNotFound", `An update with ${option} missing`);
        await refused(
          admin.updateQueue(queue, { [option]: `${topic}/Subscriptions/s` }),
          "MessagingEntityNotFound",
          `An update with ${option} to a subscription`,
        );
        await refused(
          admin.updateQueue(queue, { [option]: queue.toUpperCase() }),
          "InvalidArgument",
          `An update with ${option} to itself`,
        );
      }
      same(await admin.queueExists(name), false, "Whether the refused queue exists");
      const ofSessions = { requiresSession: true, forwardTo: target };
      await refused(admin.createQueue(name, ofSessions), "InvalidArgument", "A queue with sessions that forwards");
      const subscription = admin.createSubscription(topic, "x", ofSessions);
      await refused(subscription, "InvalidArgument", "A subscription with sessions that forwards");
      const carts = await harness.queue({ requiresSession: true, forwardDeadLetteredMessagesTo: target });
      const update = admin.updateQueue(carts, { forwardTo: target });
      await refused(update, "InvalidArgument", "An update of a queue with sessions");
      await admin.deleteQueue(target);
      await admin.updateQueue(carts, { maxDeliveryCount: 3 });
      same(
        (await admin.getQueue(carts)).maxDeliveryCount,
        3,
        "The option that an update without a new target has changed",
      );
    },
  },
});
