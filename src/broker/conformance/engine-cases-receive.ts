import { type EngineCase, engineCases } from "./engine-case.ts";
import { atOnce, countsOf, idsOf, refused, same } from "./engine-harness.ts";

const second = 1000;

/** How a receiver gets messages, waits for them, and stops waiting. */
export const receiveCases: readonly EngineCase[] = engineCases(["peekLock"], {
  "first-in-first-out": {
    promise: "Messages are delivered in the order in which they were accepted. (Service Bus, queues)",
    needs: ["receiveAndDelete"],
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      await harness.send(queue, "c");
      same(await harness.drain(queue), ["a", "b", "c"], "Order of delivery");
    },
  },
  "receive-batch": {
    promise: "A receive returns as many messages as there are, and never more than were asked for.",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b", "c"]);
      same(idsOf(await harness.receive(queue, 2)), ["a", "b"], "A receive of two");
      same(idsOf(await harness.receive(queue, 5)), ["c"], "A receive of five");
      same(idsOf(await harness.receive(queue, 5)), [], "A receive of what is left");
    },
  },
  "receive-illegal-number": {
    promise: "A receive of less than one message, or with a negative wait, is refused.",
    async run(harness) {
      const receiver = await harness.receiver(await harness.queue());
      for (const maxMessages of [0, -1, 1.5, Number.NaN])
        await refused(
          receiver.receive({ maxMessages, maxWaitTimeInMs: 0 }),
          "InvalidArgument",
          `maxMessages ${maxMessages}`,
        );
      await refused(receiver.receive({ maxMessages: 1, maxWaitTimeInMs: -1 }), "InvalidArgument", "A negative wait");
    },
  },
  "long-poll": {
    promise: "A waiting receive gets a message as soon as it arrives. (Service Bus, long polling)",
    async run(harness) {
      const queue = await harness.queue();
      const receiver = await harness.receiver(queue);
      const waiting = receiver.receive({ maxMessages: 5, maxWaitTimeInMs: 60 * second });
      await harness.advance(30 * second);
      await harness.send(queue, "a", "b");
      same(idsOf(await waiting), ["a", "b"], "Deliveries of the waiting receive");
    },
  },
  "long-poll-ends": {
    promise: "A waiting receive returns nothing when its time is over, and takes nothing afterwards.",
    async run(harness) {
      const queue = await harness.queue();
      const receiver = await harness.receiver(queue);
      const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: second });
      await harness.advance(second);
      same(await waiting, [], "Deliveries of the receive");
      await harness.send(queue, "a");
      same((await harness.one(queue)).deliveryCount, 0, "Delivery count");
    },
  },
  "long-poll-order": {
    promise: "Receives that wait are served in the order in which they began to wait.",
    async run(harness) {
      const queue = await harness.queue();
      const receiver = await harness.receiver(queue);
      const options = { maxMessages: 1, maxWaitTimeInMs: 60 * second };
      const waiting = [receiver.receive(options), receiver.receive(options), receiver.receive(options)];
      await harness.send(queue, "a", "b", "c");
      const got = await Promise.all(waiting);
      same(got.map(idsOf), [["a"], ["b"], ["c"]], "Deliveries of each receive");
    },
  },
  "long-poll-redelivery": {
    promise: "A waiting receive is woken by a message that is abandoned, and by one whose lock expires.",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const receiver = await harness.receiver(queue);
      const first = await harness.one(queue);
      const afterAbandon = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 600 * second });
      await harness.abandon(queue, first);
      same(idsOf(await afterAbandon), ["a"], "After abandoning");
      const afterExpiry = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 600 * second });
      await harness.advance(60 * second);
      same(countsOf(await afterExpiry), [2], "Counts after the lock expired");
    },
  },
  abort: {
    promise: "An aborted receive ends immediately and loses nothing; no delivery is counted. (sobre)",
    async run(harness) {
      const queue = await harness.queue();
      const receiver = await harness.receiver(queue);
      const abort = new AbortController();
      const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60 * second, abortSignal: abort.signal });
      abort.abort();
      same(await waiting, [], "Deliveries of the aborted receive");
      await harness.send(queue, "a");
      same((await harness.one(queue)).deliveryCount, 0, "Delivery count");
    },
  },
  "abort-before": {
    promise: "A receive whose signal is aborted already takes nothing.",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const receiver = await harness.receiver(queue);
      const abortSignal = AbortSignal.abort();
      same(await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0, abortSignal }), [], "Deliveries");
      same((await harness.one(queue)).deliveryCount, 0, "Delivery count");
    },
  },
  "abort-race": {
    promise: "A receive that is aborted while a message arrives returns it or leaves it: it is never lost.",
    async run(harness) {
      const queue = await harness.queue();
      const receiver = await harness.receiver(queue);
      for (const order of ["send first", "abort first"]) {
        const abort = new AbortController();
        const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60 * second, abortSignal: abort.signal });
        if (order === "abort first") abort.abort();
        const sent = harness.send(queue, order);
        abort.abort();
        await sent;
        const got = await waiting;
        same(idsOf([...got, ...(await harness.receive(queue, 5))]), [order], `Deliveries (${order})`);
      }
    },
  },
  "receiver-close-ends-wait": {
    promise: "Closing a receiver ends its waiting receives with nothing taken; later ones are refused as Closed.",
    async run(harness) {
      const queue = await harness.queue();
      const receiver = await harness.engine.openReceiver(queue, { receiveMode: "peekLock" });
      const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60 * second });
      await receiver.close();
      same(await waiting, [], "Deliveries of the waiting receive");
      await refused(receiver.receive(atOnce()), "Closed", "Receiving after close");
      await harness.send(queue, "a");
      same(await harness.drain(queue), ["a"], "Messages of the queue");
    },
  },
  "delivery-facts": {
    promise: "A delivery says when and under which number the message was accepted, and until when it is locked.",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      await harness.advance(10 * second);
      await harness.send(queue, "b");
      const [a, b] = await harness.receive(queue, 2);
      if (a === undefined || b === undefined) throw new Error("Two messages were due.");
      same(b.enqueuedTimeUtc.getTime() - a.enqueuedTimeUtc.getTime(), 10 * second, "Milliseconds between arrivals");
      same((a.lockedUntilUtc?.getTime() ?? 0) - b.enqueuedTimeUtc.getTime(), 60 * second, "Milliseconds of lock");
      same([a.state, a.deliveryCount, a.expiresAtUtc], ["active", 0, undefined], "State, count and expiry");
      same([a.deadLetterReason, a.deadLetterSource], [undefined, undefined], "Dead-letter facts");
    },
  },
});

/** Looking at messages without taking them. */
export const peekCases: readonly EngineCase[] = engineCases(["peek", "peekLock"], {
  "peek-takes-nothing": {
    promise: "Peeking neither locks nor counts nor removes, and peeked messages carry no lock. (Service Bus, browsing)",
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      const [peeked] = await harness.engine.peek(queue, { maxMessages: 1 });
      same([peeked?.lockToken, peeked?.lockedUntilUtc], [undefined, undefined], "Lock of the peeked message");
      same((await harness.one(queue)).deliveryCount, 0, "Delivery count afterwards");
    },
  },
  "peek-locked": {
    promise: "Peeking shows locked messages too.",
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      await harness.one(queue);
      same(await harness.browse(queue), ["a", "b"], "Messages shown");
    },
  },
  "peek-from": {
    promise: "Peeking goes on from a sequence number, in order of sequence numbers. (Service Bus, browsing)",
    needs: ["peek", "peekLock", "sequenceNumbers"],
    async run(harness) {
      const queue = await harness.queueWith(["a", "b", "c", "d"]);
      const [first] = await harness.engine.peek(queue, { maxMessages: 1 });
      const fromSequenceNumber = (first?.sequenceNumber ?? 0n) + 1n;
      same(
        idsOf(await harness.engine.peek(queue, { maxMessages: 2, fromSequenceNumber })),
        ["b", "c"],
        "From the second",
      );
      for (const delivery of await harness.receive(queue, 3)) await harness.complete(queue, delivery);
      same(idsOf(await harness.engine.peek(queue, { maxMessages: 9, fromSequenceNumber })), ["d"], "After a gap");
      same(idsOf(await harness.engine.peek(queue, { maxMessages: 9, fromSequenceNumber: 0n })), ["d"], "From 0");
      const beyond = fromSequenceNumber + 100n;
      same(await harness.engine.peek(queue, { maxMessages: 9, fromSequenceNumber: beyond }), [], "Beyond the last");
    },
  },
  "peek-dead-letters": {
    promise: "The dead-letter queue can be browsed.",
    needs: ["peek", "deadLetter"],
    async run(harness) {
      const queue = await harness.queueWith(["a"]);
      await harness.settle(queue, await harness.one(queue), { kind: "deadLetter", deadLetterReason: "Broken" });
      const [dead] = await harness.engine.peek(`${queue}/$DeadLetterQueue`, { maxMessages: 1 });
      same(dead?.deadLetterReason, "Broken", "Reason of the peeked dead letter");
    },
  },
});
