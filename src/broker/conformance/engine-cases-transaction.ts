import { type EngineCase, engineCases } from "./engine-case.ts";
import {
  atOnce,
  countsOf,
  envelope,
  idsOf,
  inSession,
  minute,
  present,
  refused,
  same,
  sessions,
  tokenOf,
} from "./engine-harness.ts";

const complete = { kind: "complete" } as const;

/** Sends and settlements that happen together or not at all. */
export const transactionCases: readonly EngineCase[] = engineCases(["transactions"], {
  "transaction-commit": {
    promise:
      "Sends and settlements across entities become visible at the commit, all at once. (Service Bus, transactions)",
    async run(harness) {
      const { engine } = harness;
      const [from, to] = [await harness.queue(), await harness.queue()];
      await harness.send(from, "a");
      const delivery = await harness.one(from);
      const transaction = await engine.begin();
      await (await engine.openSender(to)).send([envelope("b")], { transaction });
      await engine.settle(from, tokenOf(delivery), complete, { transaction });
      same([await harness.browse(from), await harness.browse(to)], [["a"], []], "Messages before the commit");
      await transaction.commit();
      same([await harness.browse(from), await harness.browse(to)], [[], ["b"]], "Messages after the commit");
    },
  },
  "transaction-rollback": {
    promise:
      "A rollback undoes everything: nothing is sent, and the message is still locked by its receiver, uncounted.",
    async run(harness) {
      const { engine } = harness;
      const [queue, delivery] = await harness.received("a");
      const transaction = await engine.begin();
      await (await engine.openSender(queue)).send([envelope("b")], { transaction });
      await engine.settle(queue, tokenOf(delivery), complete, { transaction });
      await transaction.rollback();
      same(await harness.browse(queue), ["a"], "Messages after the rollback");
      same(await harness.receive(queue), [], "Deliveries while it is locked");
      await harness.abandon(queue, delivery);
      same((await harness.one(queue)).deliveryCount, 1, "Delivery count");
    },
  },
  "transaction-no-gap": {
    promise: "Sequence numbers are given at the commit: a rollback leaves no gap. (sobre, numbers)",
    async run(harness) {
      const { engine } = harness;
      const queue = await harness.queue();
      const sender = await engine.openSender(queue);
      await sender.send([envelope("a")]);
      const undone = await engine.begin();
      await sender.send([envelope("never")], { transaction: undone });
      const done = await engine.begin();
      await sender.send([envelope("c")], { transaction: done });
      await sender.send([envelope("b")]);
      await undone.rollback();
      await done.commit();
      const deliveries = await harness.receive(queue, 5);
      const first = deliveries[0]?.sequenceNumber ?? 0n;
      same(idsOf(deliveries), ["a", "b", "c"], "Messages");
      const numbers = deliveries.map(({ sequenceNumber }) => sequenceNumber - first);
      same(numbers, [0n, 1n, 2n], "Numbers");
    },
  },
  "transaction-lock-lost": {
    promise: "When a lock was lost before the commit, the commit is refused and nothing of it happens.",
    async run(harness) {
      const { engine } = harness;
      const [queue, delivery] = await harness.received("a");
      const transaction = await engine.begin();
      await (await engine.openSender(queue)).send([envelope("b")], { transaction });
      await engine.settle(queue, tokenOf(delivery), complete, { transaction });
      await harness.advance(minute);
      await refused(transaction.commit(), "MessageLockLost", "The commit");
      same(await harness.browse(queue), ["a"], "Messages");
      same((await harness.one(queue)).deliveryCount, 1, "Delivery count");
    },
  },
  "transaction-refusals": {
    promise: "Illegal operations are refused at once, and are not part of the transaction.",
    needs: ["transactions", "administration"],
    async run(harness) {
      const { engine } = harness;
      const queue = await harness.queue({ maxMessageSizeInBytes: 1024 });
      const sender = await engine.openSender(queue);
      const transaction = await engine.begin();
      const large = envelope("x".repeat(100), { replyTo: "y".repeat(1000) });
      await refused(sender.send([large], { transaction }), "MessageSizeExceeded", "A message that is too large");
      await harness.send(queue, "a");
      const delivery = await harness.one(queue);
      await harness.complete(queue, delivery);
      const late = engine.settle(queue, tokenOf(delivery), complete, { transaction });
      await refused(late, "MessageLockLost", "Settling twice");
      await sender.send([envelope("b")], { transaction });
      await transaction.commit();
      same(await harness.drain(queue), ["b"], "Messages");
    },
  },
  "transaction-enlisted": {
    promise: "A message that a transaction settles is settled by nobody else until it ends; its lock can be renewed.",
    needs: ["transactions", "renewLock"],
    async run(harness) {
      const { engine } = harness;
      const [queue, delivery] = await harness.received("a");
      const transaction = await engine.begin();
      await engine.settle(queue, tokenOf(delivery), { kind: "abandon" }, { transaction });
      await refused(harness.complete(queue, delivery), "InvalidOperation", "Completing outside the transaction");
      const again = engine.settle(queue, tokenOf(delivery), complete, { transaction });
      await refused(again, "InvalidOperation", "Settling it in the transaction again");
      await harness.advance(minute / 2);
      await engine.renew(queue, tokenOf(delivery));
      await harness.advance(minute - 1);
      await transaction.commit();
      same((await harness.one(queue)).deliveryCount, 1, "Delivery count");
    },
  },
  "transaction-over": {
    promise: "A transaction that has ended takes nothing more, and ends by itself after 2 minutes.",
    async run(harness) {
      const { engine } = harness;
      const sender = await engine.openSender(await harness.queue());
      const transaction = await engine.begin();
      await transaction.commit();
      await refused(transaction.commit(), "InvalidOperation", "Committing twice");
      await refused(transaction.rollback(), "InvalidOperation", "Rolling back what is committed");
      await refused(sender.send([envelope("a")], { transaction }), "InvalidOperation", "Sending afterwards");
      const slow = await engine.begin();
      await sender.send([envelope("a")], { transaction: slow });
      await harness.advance(2 * minute);
      await refused(slow.commit(), "InvalidOperation", "Committing after 2 minutes");
    },
  },
  "transaction-pipelined": {
    promise: "Calls made before the commit are part of it, in their order, whether or not they have been answered.",
    async run(harness) {
      const { engine } = harness;
      const [from, delivery] = await harness.received("a");
      const to = await harness.queue();
      const sender = await engine.openSender(to);
      const transaction = await engine.begin();
      const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
      const calls = ids.map((id) => sender.send([envelope(id)], { transaction }));
      calls.push(engine.settle(from, tokenOf(delivery), complete, { transaction }));
      await Promise.all([transaction.commit(), ...calls]);
      same([await harness.browse(from), await harness.drain(to)], [[], ids], "Messages");
    },
  },
  "transaction-pipelined-rollback": {
    promise: "Calls made before the rollback are undone by it, whether or not they have been answered.",
    async run(harness) {
      const { engine } = harness;
      const [queue, delivery] = await harness.received("a");
      const sender = await engine.openSender(queue);
      const transaction = await engine.begin();
      const calls = [
        sender.send([envelope("b")], { transaction }),
        engine.settle(queue, tokenOf(delivery), complete, { transaction }),
      ];
      await Promise.all([transaction.rollback(), ...calls]);
      same(await harness.browse(queue), ["a"], "Messages");
      await harness.complete(queue, delivery);
    },
  },
  "transaction-close-counts": {
    promise:
      "A message that was settled in a transaction that was rolled back counts a delivery when its connection closes: one that fails each time is dead-lettered.",
    needs: ["transactions", "administration"],
    async run(harness) {
      const queue = await harness.queueWith(["a"], { maxDeliveryCount: 3 });
      for (const end of ["rolled back", "left open", "rolled back"] as const) {
        const other = await harness.engine.connect();
        const receiver = await other.openReceiver(queue, { receiveMode: "peekLock" });
        const [delivery] = await receiver.receive(atOnce());
        const transaction = await other.begin();
        await other.settle(queue, tokenOf(present(delivery, "a")), complete, { transaction });
        if (end === "rolled back") await transaction.rollback();
        await other.close();
      }
      same(await harness.browse(queue), [], "Messages after three deliveries");
      const [dead] = await harness.receive(`${queue}/$DeadLetterQueue`);
      same(dead?.deadLetterReason, "MaxDeliveryCountExceeded", "Reason");
    },
  },
  "transaction-close-uncounted": {
    promise:
      "A connection that closes counts no delivery of what was only released in a transaction, or not settled at all.",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      const other = await harness.engine.connect();
      const receiver = await other.openReceiver(queue, { receiveMode: "peekLock" });
      const [a] = await receiver.receive(atOnce(2));
      const transaction = await other.begin();
      await other.settle(queue, tokenOf(present(a, "a")), { kind: "release" }, { transaction });
      await transaction.rollback();
      await other.close();
      const again = await harness.receive(queue, 2);
      same(
        [idsOf(again), countsOf(again)],
        [
          ["a", "b"],
          [0, 0],
        ],
        "Messages and delivery counts",
      );
    },
  },
  "transaction-session-close-counts": {
    promise:
      "A message that was settled in a transaction that was rolled back counts a delivery when its session is closed; the others of the session do not.",
    needs: ["transactions", "sessions"],
    async run(harness) {
      const { engine } = harness;
      const queue = await harness.queueWith([inSession("s", "a"), inSession("s", "b")], sessions);
      const session = await harness.session(queue, "s");
      const [a] = await session.receive(atOnce(2));
      const transaction = await engine.begin();
      await engine.settle(queue, tokenOf(present(a, "a")), complete, { transaction });
      await transaction.rollback();
      await session.close();
      const next = await harness.session(queue, "s");
      const again = await next.receive(atOnce(2));
      same(
        [idsOf(again), countsOf(again)],
        [
          ["a", "b"],
          [1, 0],
        ],
        "Messages and delivery counts",
      );
    },
  },
  "transaction-quota": {
    promise: "A commit that would overfill an entity is refused as QuotaExceeded, and nothing of it happens.",
    needs: ["transactions", "administration"],
    async run(harness) {
      const { engine } = harness;
      const queue = await harness.queue({ maxSizeInMegabytes: 1, maxMessageSizeInBytes: 2 ** 20 });
      const other = await harness.queue();
      const large = { replyTo: "x".repeat(40_000) };
      const sender = await engine.openSender(queue);
      const transaction = await engine.begin();
      await (await engine.openSender(other)).send([envelope("other")], { transaction });
      for (let index = 0; index < 30; index++) await sender.send([envelope(`m${index}`, large)], { transaction });
      await refused(transaction.commit(), "QuotaExceeded", "The commit");
      same([await harness.browse(queue), await harness.browse(other)], [[], []], "Messages");
    },
  },
  "transaction-send-via": {
    promise:
      "Sending via another entity transfers at the commit; what the target refuses is a transfer dead letter there.",
    needs: ["transactions", "autoForward", "administration"],
    async run(harness) {
      const { engine } = harness;
      const [via, target] = [await harness.queue(), await harness.queue()];
      const sender = await engine.openSender(target, { via });
      const transaction = await engine.begin();
      await sender.send([envelope("a", { viaPartitionKey: "k" })], { transaction });
      same(await harness.browse(target), [], "Messages of the target before the commit");
      await transaction.commit();
      same([await harness.browse(target), await harness.browse(via)], [["a"], []], "Messages after the commit");
      await engine.admin.deleteQueue(target);
      await sender.send([envelope("b")]);
      same(await harness.drain(`${via}/$Transfer/$DeadLetterQueue`), ["b"], "Transfer dead letters");
    },
  },
});
