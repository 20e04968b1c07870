import { createEnvelope } from "../../core/envelope/envelope.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import {
  after,
  atOnce,
  countsOf,
  envelope,
  idsOf,
  inSession,
  minute,
  present,
  refused,
  same,
} from "./engine-harness.ts";

const partitionOf = (sequenceNumber: bigint): bigint => sequenceNumber >> 48n;

/** Settings of entities, and their effect on messages. */
export const entityCases: readonly EngineCase[] = engineCases(["administration"], {
  "update-options": {
    promise: "An update changes the options given and leaves the others; what is set at creation cannot change.",
    async run(harness) {
      const { admin } = harness.engine;
      const queue = await harness.queue({ maxDeliveryCount: 3 });
      await admin.updateQueue(queue, { lockDuration: "PT5S" });
      const { maxDeliveryCount, lockDuration, status } = await admin.getQueue(queue);
      same([maxDeliveryCount, lockDuration, status], [3, 5000, "Active"], "Options");
      await admin.updateQueue(queue, { lockDuration: "6s" });
      same((await admin.getQueue(queue)).lockDuration, 6000, "Lock duration");
      for (const fixed of ["requiresSession", "requiresDuplicateDetection", "enablePartitioning"])
        await refused(admin.updateQueue(queue, { [fixed]: true }), "InvalidArgument", `Changing ${fixed}`);
      await refused(admin.updateQueue("missing", {}), "MessagingEntityNotFound", "Updating a missing queue");
    },
  },
  "update-ends-locks": {
    promise: "An update of an entity ends the locks on it; no delivery is counted. (sobre, locks)",
    needs: ["administration", "peekLock"],
    async run(harness) {
      const [queue, delivery] = await harness.received("a");
      await harness.engine.admin.updateQueue(queue, { lockDuration: 30_000 });
      await refused(harness.complete(queue, delivery), "MessageLockLost", "Completing after the update");
      same((await harness.one(queue)).deliveryCount, 0, "Delivery count");
    },
  },
  "update-ends-session-locks": {
    promise: "An update ends session locks too.",
    needs: ["administration", "sessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], { requiresSession: true });
      const session = await harness.session(queue, "s");
      await session.receive(atOnce());
      await harness.engine.admin.updateQueue(queue, { lockDuration: 30_000 });
      await refused(session.renewSessionLock(), "SessionLockLost", "Renewing after the update");
      const [again] = await (await harness.session(queue, "s")).receive(atOnce());
      same(present(again, "a").deliveryCount, 0, "Delivery count");
    },
  },
  "connection-close-releases": {
    promise:
      "Closing a connection releases its locks immediately, without counting a delivery, and no other's. (sobre, locks)",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      const other = await harness.engine.connect();
      const [a] = await (await other.openReceiver(queue, { receiveMode: "peekLock" })).receive(atOnce());
      const b = await harness.one(queue);
      await other.close();
      const again = await harness.receive(queue, 5);
      same([idsOf(again), countsOf(again)], [["a"], [0]], "Deliveries afterwards");
      await refused(
        harness.complete(queue, present(a, "a")),
        "MessageLockLost",
        "Completing with the lock of the closed one",
      );
      await harness.complete(queue, b);
    },
  },
  "connection-close-sessions": {
    promise: "Closing a connection frees its sessions, their messages uncounted.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], { requiresSession: true });
      const other = await harness.engine.connect();
      const options = { sessionId: "s", receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
      const session = await other.acceptSession(queue, options);
      await session.receive(atOnce());
      await other.close();
      const [again] = await (await harness.session(queue, "s")).receive(atOnce());
      same(present(again, "a").deliveryCount, 0, "Delivery count");
    },
  },
  "connection-abort-counts": {
    promise:
      "The locks of a connection that breaks are left to run out, and then count a delivery: a message that kills its process is dead-lettered in the end.",
    needs: ["peekLock", "deadLetter", "administration"],
    async run(harness) {
      const queue = await harness.queueWith(["a"], { maxDeliveryCount: 2 });
      for (const deliveryCount of [0, 1]) {
        const other = await harness.engine.connect();
        const receiver = await other.openReceiver(queue, { receiveMode: "peekLock" });
        const [delivery] = await receiver.receive(atOnce());
        same(present(delivery, "a").deliveryCount, deliveryCount, "Delivery count");
        await other.abort();
        await harness.advance(minute - 1);
        same(await harness.receive(queue), [], "Deliveries before the lock ends");
        await harness.advance(1);
      }
      const dead = await harness.one(`${queue}/$DeadLetterQueue`);
      same(dead.deadLetterReason, "MaxDeliveryCountExceeded", "Reason");
    },
  },
  "connection-abort-sessions": {
    promise:
      "The sessions of a connection that breaks stay held until their locks run out, which counts their messages.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], { requiresSession: true });
      const other = await harness.engine.connect();
      const options = { sessionId: "s", receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
      const lost = await other.acceptSession(queue, options);
      await lost.receive(atOnce());
      await other.abort();
      await refused(harness.session(queue, "s"), "SessionCannotBeLocked", "Accepting before the lock ends");
      await harness.advance(minute);
      const [again] = await (await harness.session(queue, "s")).receive(atOnce());
      same(present(again, "a").deliveryCount, 1, "Delivery count");
    },
  },
  "connection-abort-ends": {
    promise: "A connection that breaks rolls its transactions back, ends its waiting receives and takes no more calls.",
    needs: ["transactions", "peek"],
    async run(harness) {
      const queue = await harness.queue();
      const other = await harness.engine.connect();
      const waiting = (await other.openReceiver(queue, { receiveMode: "peekLock" })).receive({
        maxMessages: 1,
        maxWaitTimeInMs: minute,
      });
      const transaction = await other.begin();
      await (await other.openSender(queue)).send([envelope("never")], { transaction });
      await other.abort();
      await other.abort();
      await waiting.catch(() => undefined);
      same(await harness.browse(queue), [], "Messages of the transaction");
      await refused(other.openSender(queue), "Closed", "A new sender");
    },
  },
  "connection-closed": {
    promise:
      "A closed connection refuses everything as Closed, its waiting receives end with nothing, and closing twice is allowed.",
    needs: ["peek"],
    async run(harness) {
      const queue = await harness.queue();
      const other = await harness.engine.connect();
      const receiver = await other.openReceiver(queue, { receiveMode: "peekLock" });
      const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: minute });
      const sender = await other.openSender(queue);
      await other.close();
      await other.close();
      same(await waiting, [], "Deliveries of the waiting receive");
      await refused(other.openSender(queue), "Closed", "A new sender");
      await refused(other.peek(queue, { maxMessages: 1 }), "Closed", "Peeking");
      await refused(other.admin.listQueues(), "Closed", "Listing");
      await refused(sender.send([envelope("a")]), "Closed", "Sending");
      await harness.send(queue, "b");
      same(await harness.drain(queue), ["b"], "Messages for the other connection");
    },
  },
  "status-send-disabled": {
    promise: "SendDisabled refuses sends as MessagingEntityDisabled and still delivers. (entity states)",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      await harness.engine.admin.updateQueue(queue, { status: "SendDisabled" });
      await refused(harness.send(queue, "b"), "MessagingEntityDisabled", "Sending");
      same(await harness.drain(queue), ["a"], "Deliveries");
    },
  },
  "status-receive-disabled": {
    promise: "ReceiveDisabled refuses receives as MessagingEntityDisabled and still takes messages in.",
    async run(harness) {
      const queue = await harness.queueWith(["a"], { status: "ReceiveDisabled" });
      await refused(harness.receive(queue), "MessagingEntityDisabled", "Receiving");
      await harness.engine.admin.updateQueue(queue, { status: "Active" });
      same(await harness.drain(queue), ["a"], "Deliveries when it is active again");
    },
  },
  "status-disabled": {
    promise: "Disabled refuses both and keeps what is there.",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const receiver = await harness.receiver(queue);
      await harness.engine.admin.updateQueue(queue, { status: "Disabled" });
      await refused(harness.send(queue, "b"), "MessagingEntityDisabled", "Sending");
      const receive = receiver.receive(atOnce());
      await refused(receive, "MessagingEntityDisabled", "Receiving through an open link");
      await harness.engine.admin.updateQueue(queue, { status: "Active" });
      same(await harness.drain(queue), ["a"], "Deliveries when it is active again");
    },
  },
  "status-ends-waits": {
    promise: "When receiving is disabled, the receives that wait are refused; nobody gets what is sent afterwards.",
    needs: ["administration", "peekLock"],
    async run(harness) {
      const queue = await harness.queue();
      const waiting = (await harness.receiver(queue)).receive({ maxMessages: 1, maxWaitTimeInMs: minute });
      const refusal = refused(waiting, "MessagingEntityDisabled", "The waiting receive");
      await harness.engine.admin.updateQueue(queue, { status: "ReceiveDisabled" });
      await refusal;
      await harness.send(queue, "a");
      same(await harness.browse(queue), ["a"], "Messages");
    },
  },
  quota: {
    promise: "A full entity refuses sends as QuotaExceeded until messages leave, dead letters included.",
    needs: ["administration", "deadLetter"],
    async run(harness) {
      const queue = await harness.queue({ maxSizeInMegabytes: 1, maxMessageSizeInBytes: 2 ** 20 });
      const half = createEnvelope({ payload: new Uint8Array(600_000) });
      await harness.send(queue, half);
      await refused(harness.send(queue, half), "QuotaExceeded", "More than fits");
      await harness.settle(queue, await harness.one(queue), { kind: "deadLetter" });
      await refused(harness.send(queue, half), "QuotaExceeded", "More than fits with the dead letter");
      await harness.drain(`${queue}/$DeadLetterQueue`);
      await harness.send(queue, half);
    },
  },
  "partition-numbers": {
    promise: "Partitioned entities put the partition into the top 16 bits, and number each partition without gaps.",
    needs: ["administration", "peekLock"],
    async run(harness) {
      const queue = await harness.queue({ enablePartitioning: true });
      for (let index = 0; index < 40; index++)
        await harness.send(queue, envelope(`m${index}`, { partitionKey: `key ${index % 5}` }));
      const next = new Map<bigint, bigint>();
      const partitionOfKey = new Map<string, bigint>();
      for (const { sequenceNumber, envelope: sent } of await harness.receive(queue, 100)) {
        const partition = partitionOf(sequenceNumber);
        const number = BigInt.asUintN(48, sequenceNumber);
        same(next.get(partition) ?? number, number, `Next number of partition ${partition}`);
        next.set(partition, number + 1n);
        const key = sent.brokerProperties.partitionKey ?? "";
        same(partitionOfKey.get(key) ?? partition, partition, `Partition of ${key}`);
        partitionOfKey.set(key, partition);
      }
      same(next.size > 1, true, "Whether more than one partition is used");
    },
  },
  "partition-by-session": {
    promise:
      "On partitioned session entities the session id decides the partition; deferred messages are found by number.",
    needs: ["administration", "sessions", "defer"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a"), inSession("s", "b")], {
        enablePartitioning: true,
        requiresSession: true,
      });
      const session = await harness.session(queue, "s");
      const [a, b] = await session.receive(atOnce(5));
      const number = present(a, "a").sequenceNumber;
      same(partitionOf(number), partitionOf(present(b, "b").sequenceNumber), "Partition of the second message");
      await harness.settle(queue, present(a, "a"), { kind: "defer" });
      const options = { receiveMode: "peekLock", sessionId: "s" } as const;
      same(idsOf(await harness.engine.receiveDeferred(queue, [number], options)), ["a"], "The deferred message");
    },
  },
  "delete-messages": {
    promise:
      "Messages are deleted in batches, oldest first, up to a number and a time; locked ones stay. (batch delete)",
    needs: ["peekLock", "peek"],
    async run(harness) {
      const { engine } = harness;
      const queue = await harness.queueWith(["locked", "a", "b"]);
      await harness.one(queue);
      await harness.advance(1000);
      const beforeEnqueueTime = after(await harness.now(), -1);
      await harness.send(queue, "c", "d");
      same(await engine.deleteMessages(queue, { maxMessages: 1, beforeEnqueueTime }), 1, "Number of a batch of one");
      same(await harness.browse(queue), ["locked", "b", "c", "d"], "Messages after a batch of one");
      same(await engine.deleteMessages(queue, { maxMessages: 100, beforeEnqueueTime }), 1, "Number up to a time");
      same(await engine.deleteMessages(queue, { maxMessages: 100 }), 2, "Number of a purge");
      same(await harness.browse(queue), ["locked"], "Messages after the purge");
    },
  },
});
