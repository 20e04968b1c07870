import { type EngineCase, engineCases } from "./engine-case.ts";
import { atOnce, envelope, idsOf, refused, same } from "./engine-harness.ts";

/** Entities: made, found, counted and deleted. */
export const adminCases: readonly EngineCase[] = engineCases(["administration"], {
  "queue-life": {
    promise: "A queue exists from its creation to its deletion, and is listed meanwhile.",
    async run(harness) {
      const { admin } = harness.engine;
      const name = harness.freshName();
      same([await admin.queueExists(name), await admin.listQueues()], [false, []], "Before");
      await admin.createQueue(name);
      same([await admin.queueExists(name), await admin.listQueues()], [true, [name]], "After creation");
      await admin.deleteQueue(name);
      same([await admin.queueExists(name), await admin.listQueues()], [false, []], "After deletion");
    },
  },
  "create-twice": {
    promise: "Creating an entity that exists is refused as MessagingEntityAlreadyExists and changes nothing.",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      await refused(harness.engine.admin.createQueue(queue), "MessagingEntityAlreadyExists", "Creating twice");
      await refused(
        harness.engine.admin.createQueue(queue.toUpperCase()),
        "MessagingEntityAlreadyExists",
        "In capitals",
      );
      same(await harness.browse(queue), ["a"], "Messages");
    },
  },
  "missing-entity": {
    promise: "Whatever is asked of an entity that does not exist is refused as MessagingEntityNotFound.",
    needs: ["administration", "peek"],
    async run(harness) {
      const { engine } = harness;
      const missing = [
        () => engine.openSender("missing"),
        () => engine.openReceiver("missing", { receiveMode: "peekLock" }),
        () => engine.openReceiver("missing/$DeadLetterQueue", { receiveMode: "peekLock" }),
        () => engine.peek("missing", { maxMessages: 1 }),
        () => engine.admin.deleteQueue("missing"),
        () => engine.admin.getQueueRuntimeProperties("missing"),
      ];
      for (const operation of missing) {
        const error = await refused(operation(), "MessagingEntityNotFound", "An operation on a missing entity");
        const said = /The messaging entity '.*missing.*' could not be found/.test(error.message);
        same(said, true, "Whether the text is the one that official clients recognise");
      }
    },
  },
  "names-without-case": {
    promise: "Names of entities and sub-queues are compared without case. (Service Bus, addresses)",
    needs: ["administration", "peekLock", "deadLetter"],
    async run(harness) {
      await harness.engine.admin.createQueue("Orders");
      await harness.send("orders", "a");
      await harness.settle("ORDERS", await harness.one("Orders"), { kind: "deadLetter" });
      await harness.complete("Orders/$DeadLetterQueue", await harness.one("orders/$deadletterqueue"));
      same(await harness.engine.admin.listQueues(), ["Orders"], "Names as they were given");
    },
  },
  "illegal-names": {
    promise: "Names that cannot be addressed are refused as InvalidArgument.",
    async run(harness) {
      for (const name of [
        "",
        "/orders",
        "orders/",
        "~orders",
        "orders~",
        "a b",
        "$cbs",
        "x".repeat(261),
        "t/Subscriptions/s",
      ])
        await refused(harness.engine.admin.createQueue(name), "InvalidArgument", `The name "${name.slice(0, 20)}"`);
    },
  },
  "names-with-tilde": {
    promise: "Names may contain letters of any script, digits, and - _ . / ~ in between.",
    needs: ["administration", "topics", "peekLock"],
    async run(harness) {
      const { admin } = harness.engine;
      const name = "Contracts.Orders~OrderPlaced/v1_x-y";
      await admin.createTopic(name);
      await admin.createSubscription(name, "s");
      await harness.send(name, "a");
      same(idsOf(await harness.receive(`${name.toLowerCase()}/Subscriptions/s`)), ["a"], "Deliveries");
      same(await admin.listTopics(), [name], "Topics");
    },
  },
  "illegal-options": {
    promise: "Options outside their limits are refused as InvalidArgument, and no entity is made.",
    async run(harness) {
      const name = harness.freshName();
      const illegal = [
        { maxDeliveryCount: 0 },
        { maxDeliveryCount: 1.5 },
        { lockDuration: "1 minute" },
        { lockDuration: 0 },
      ];
      for (const options of illegal) {
        const creation = harness.engine.admin.createQueue(name, options);
        await refused(creation, "InvalidArgument", `The options ${JSON.stringify(options)}`);
      }
      same(await harness.engine.admin.queueExists(name), false, "Whether the queue exists");
    },
  },
  "runtime-counts": {
    promise: "The counts say how many messages are active, locked ones included, and how many are dead letters.",
    needs: ["administration", "peekLock", "deadLetter"],
    async run(harness) {
      const queue = await harness.queueWith(["a", "b", "c", envelope("d", { timeToLive: 1000 })]);
      await harness.settle(queue, await harness.one(queue), { kind: "deadLetter" });
      await harness.complete(queue, await harness.one(queue));
      await harness.one(queue);
      await harness.advance(1000);
      const { activeMessageCount, deadLetterMessageCount, totalMessageCount } = await harness.counts(queue);
      same([activeMessageCount, deadLetterMessageCount, totalMessageCount], [1, 1, 2], "Active, dead and total");
    },
  },
  "delete-ends-links": {
    promise: "Deleting an entity refuses its waiting receives, its links and its locks as MessagingEntityNotFound.",
    needs: ["administration", "peekLock"],
    async run(harness) {
      const [queue, delivery] = await harness.received("a");
      const sender = await harness.engine.openSender(queue);
      const receiver = await harness.receiver(queue);
      const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
      const refusal = refused(waiting, "MessagingEntityNotFound", "The waiting receive");
      await harness.engine.admin.deleteQueue(queue);
      await refusal;
      await refused(sender.send([envelope("b")]), "MessagingEntityNotFound", "Sending");
      const receive = receiver.receive(atOnce());
      await refused(receive, "MessagingEntityNotFound", "Receiving");
      await refused(harness.complete(queue, delivery), "MessagingEntityNotFound", "Completing");
    },
  },
  "deletion-is-announced": {
    promise: "A connection that asks for it learns of every entity that is deleted, subscriptions of a topic included.",
    needs: ["administration", "topics"],
    async run(harness) {
      const { admin } = harness.engine;
      const [queue, topic] = [await harness.queue(), await harness.topic({ all: {} })];
      const deleted: string[] = [];
      await using _listening = await harness.engine.connect({ onEntityDeleted: (address) => deleted.push(address) });
      await admin.updateQueue(queue, { maxDeliveryCount: 3 });
      await admin.deleteQueue(queue);
      await admin.createQueue(queue);
      await admin.deleteTopic(topic);
      same(deleted.toSorted(), [queue, topic, `${topic}/Subscriptions/all`].toSorted(), "Addresses");
    },
  },
  "recreated-queue-is-new": {
    promise: "A queue recreated under an old name is empty, and links of the old one do not reach it.",
    needs: ["administration", "peekLock"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const sender = await harness.engine.openSender(queue);
      await harness.engine.admin.deleteQueue(queue);
      await harness.engine.admin.createQueue(queue);
      same(await harness.browse(queue), [], "Messages of the new queue");
      await refused(sender.send([envelope("b")]), "MessagingEntityNotFound", "Sending through the old link");
    },
  },
});
