import { type EngineCase, engineCases } from "./engine-case.ts";
import { type EngineHarness, envelope, idsOf, minute, present, refused, same } from "./engine-harness.ts";

const peekLock = { receiveMode: "peekLock" } as const;

/** Sends one message, defers it, and returns its sequence number. */
async function deferred(harness: EngineHarness, queue: string, messageId: string): Promise<bigint> {
  await harness.send(queue, messageId);
  const delivery = await harness.one(queue);
  await harness.settle(queue, delivery, { kind: "defer" });
  return delivery.sequenceNumber;
}

/** Messages set aside, to be asked for by number. */
export const deferCases: readonly EngineCase[] = engineCases(["defer"], {
  "defer-sets-aside": {
    promise:
      "A deferred message is not delivered by receiving, ever; browsing shows it as deferred. (Service Bus, deferral)",
    needs: ["defer", "peek"],
    async run(harness) {
      const queue = await harness.queue();
      await deferred(harness, queue, "a");
      await harness.advance(1000 * minute);
      same(await harness.receive(queue), [], "Deliveries");
      const states = (await harness.engine.peek(queue, { maxMessages: 5 })).map(({ state }) => state);
      same(states, ["deferred"], "States that browsing shows");
    },
  },
  "defer-by-number": {
    promise: "A deferred message is received by its sequence number, locked, with one delivery counted for deferring.",
    needs: ["defer", "peek"],
    async run(harness) {
      const queue = await harness.queue();
      const number = await deferred(harness, queue, "a");
      const [delivery] = await harness.engine.receiveDeferred(queue, [number], peekLock);
      const { deliveryCount, state } = present(delivery, "The deferred message");
      same([deliveryCount, state], [1, "deferred"], "Count and state");
      await harness.complete(queue, present(delivery, "The deferred message"));
      same(await harness.browse(queue), [], "Messages left");
    },
  },
  "defer-receive-and-delete": {
    promise: "In receiveAndDelete a deferred message is gone when it is handed over.",
    needs: ["defer", "receiveAndDelete", "peek"],
    async run(harness) {
      const queue = await harness.queue();
      const number = await deferred(harness, queue, "a");
      const taken = await harness.engine.receiveDeferred(queue, [number], { receiveMode: "receiveAndDelete" });
      same(idsOf(taken), ["a"], "Deliveries");
      same(await harness.browse(queue), [], "Messages left");
    },
  },
  "defer-stays-deferred": {
    promise:
      "A deferred message that is abandoned, deferred again or whose lock expires stays deferred, counted each time.",
    async run(harness) {
      const queue = await harness.queue();
      const number = await deferred(harness, queue, "a");
      const counts: number[] = [];
      for (const next of ["abandon", "defer", "expire", "complete"] as const) {
        const [taken] = await harness.engine.receiveDeferred(queue, [number], peekLock);
        const delivery = present(taken, "The deferred message");
        counts.push(delivery.deliveryCount);
        if (next === "expire") await harness.advance(minute);
        else await harness.settle(queue, delivery, { kind: next });
        same(await harness.receive(queue), [], `Deliveries after ${next}`);
      }
      same(counts, [1, 2, 3, 4], "Delivery counts");
    },
  },
  "defer-missing": {
    promise: "Asking for numbers that are not deferred is refused as MessageNotFound, and locks none of the others.",
    async run(harness) {
      const queue = await harness.queue();
      const number = await deferred(harness, queue, "a");
      await harness.send(queue, "active");
      for (const numbers of [
        [number, number + 1n],
        [number, 999n],
        [number, number],
      ])
        await refused(
          harness.engine.receiveDeferred(queue, numbers, peekLock),
          "MessageNotFound",
          `Numbers ${numbers.join()}`,
        );
      const taken = await harness.engine.receiveDeferred(queue, [number], peekLock);
      same(idsOf(taken), ["a"], "The message that is there");
      await refused(harness.engine.receiveDeferred(queue, [number], peekLock), "MessageNotFound", "A locked one");
    },
  },
  "defer-properties": {
    promise: "Properties given with defer are merged into the application properties. (AMQP modified)",
    async run(harness) {
      const [queue, delivery] = await harness.received(envelope("a", {}, { applicationProperties: { step: 1 } }));
      await harness.settle(queue, delivery, { kind: "defer", propertiesToModify: { step: 2 } });
      const [taken] = await harness.engine.receiveDeferred(queue, [delivery.sequenceNumber], peekLock);
      same(present(taken, "The deferred message").envelope.applicationProperties["step"], 2, "The property");
    },
  },
  "defer-expires": {
    promise: "Time to live applies to deferred messages; where expired messages are dead-lettered they are too.",
    needs: ["defer", "timeToLive", "deadLetter", "administration"],
    async run(harness) {
      const queue = await harness.queue({ defaultMessageTimeToLive: minute, deadLetteringOnMessageExpiration: true });
      const number = await deferred(harness, queue, "a");
      await harness.advance(minute);
      await refused(harness.engine.receiveDeferred(queue, [number], peekLock), "MessageNotFound", "An expired one");
      same(await harness.drain(`${queue}/$DeadLetterQueue`), ["a"], "Dead letters");
    },
  },
  "defer-several": {
    promise: "Several deferred messages are received at once, in the order asked for.",
    async run(harness) {
      const queue = await harness.queue();
      const a = await deferred(harness, queue, "a");
      const b = await deferred(harness, queue, "b");
      same(idsOf(await harness.engine.receiveDeferred(queue, [b, a], peekLock)), ["b", "a"], "Deliveries");
    },
  },
  "defer-dead-letter": {
    promise: "A deferred message can be dead-lettered by its receiver.",
    needs: ["defer", "deadLetter"],
    async run(harness) {
      const queue = await harness.queueWith(["before"]);
      await harness.drain(queue);
      const number = await deferred(harness, queue, "a");
      const [taken] = await harness.engine.receiveDeferred(queue, [number], peekLock);
      await harness.settle(queue, present(taken, "The deferred message"), { kind: "deadLetter" });
      const dead = await harness.one(`${queue}/$DeadLetterQueue`);
      same([dead.state, dead.enqueuedSequenceNumber], ["active", number], "State and first number");
    },
  },
});
