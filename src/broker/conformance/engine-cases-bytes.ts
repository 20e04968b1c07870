import type { Delivery } from "../../core/engine/delivery.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import type { BrokerPropertiesInit } from "../../core/envelope/broker-properties.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { after, atOnce, envelope, minute, same } from "./engine-harness.ts";

const bytes = (): Uint8Array => Uint8Array.of(1, 2, 3);
const filled = (properties: BrokerPropertiesInit = {}): Envelope =>
  envelope(
    "a",
    { correlationId: Uint8Array.of(9), ...properties },
    { applicationProperties: { digest: Uint8Array.of(7, 8) } },
  );
const payloadOf = ({ envelope: { payload } }: Delivery): Uint8Array => payload;

/** Writes into every byte of an envelope. */
function scribble({ payload, applicationProperties, brokerProperties }: Envelope): void {
  const values = [payload, brokerProperties.correlationId, ...Object.values(applicationProperties)];
  for (const value of values) if (value instanceof Uint8Array) value.fill(255);
}

/** Writes into every byte that a receiver was given. */
const overwrite = ({ envelope: given }: Delivery): void => scribble(given);

/** Checks that the sender has changed nothing. */
function sameAsFilled({ envelope: { payload, applicationProperties, brokerProperties } }: Delivery): void {
  same(payload, filled().payload, "Payload");
  same(applicationProperties["digest"], Uint8Array.of(7, 8), "Binary property");
  same(brokerProperties.correlationId, Uint8Array.of(9), "Binary correlation id");
}

/** Nobody changes the bytes of a message that others hold. */
export const byteCases: readonly EngineCase[] = engineCases(["peekLock"], {
  "bytes-of-redelivery": {
    promise:
      "A receiver that writes into what it was given does not change the redelivery. (Service Bus, opaque payload)",
    async run(harness) {
      const [queue, delivery] = await harness.received(filled());
      overwrite(delivery);
      await harness.abandon(queue, delivery);
      const again = await harness.one(queue);
      same(payloadOf(again), filled().payload, "Payload of the redelivery");
      same(again.envelope.applicationProperties["digest"], Uint8Array.of(7, 8), "Binary property of the redelivery");
    },
  },
  "bytes-of-dead-letter": {
    promise: "A receiver that writes into what it was given does not change the dead letter.",
    needs: ["deadLetter"],
    async run(harness) {
      const [queue, delivery] = await harness.received(filled());
      overwrite(delivery);
      await harness.settle(queue, delivery, { kind: "deadLetter", deadLetterReason: "Broken" });
      const dead = await harness.one(`${queue}/$DeadLetterQueue`);
      same(payloadOf(dead), filled().payload, "Payload of the dead letter");
      same(dead.envelope.applicationProperties["digest"], Uint8Array.of(7, 8), "Binary property of the dead letter");
    },
  },
  "bytes-of-subscriptions": {
    promise: "Each subscription's copy has bytes of its own: the handler of one does not change the other's message.",
    needs: ["topics", "peekLock"],
    async run(harness) {
      const topic = await harness.topic({ one: {}, two: {} });
      await harness.send(topic, filled());
      overwrite(await harness.one(`${topic}/Subscriptions/one`));
      same(payloadOf(await harness.one(`${topic}/Subscriptions/two`)), filled().payload, "Payload of the other copy");
    },
  },
  "bytes-of-browsing": {
    promise: "A browser that writes into what it was shown does not change the message.",
    needs: ["peek", "peekLock"],
    async run(harness) {
      const queue = await harness.queueWith([filled()]);
      for (const peeked of await harness.engine.peek(queue, { maxMessages: 1 })) overwrite(peeked);
      same(payloadOf(await harness.one(queue)), filled().payload, "Payload of the delivery");
    },
  },
  "bytes-of-deferred": {
    promise: "A receiver that writes into a message and defers it finds it unchanged by its number.",
    needs: ["defer"],
    async run(harness) {
      const [queue, delivery] = await harness.received(filled());
      overwrite(delivery);
      await harness.settle(queue, delivery, { kind: "defer" });
      const numbers = [delivery.sequenceNumber];
      const [again] = await harness.engine.receiveDeferred(queue, numbers, { receiveMode: "peekLock" });
      same(again?.envelope.payload, filled().payload, "Payload of the deferred message");
    },
  },
  "bytes-sent-again": {
    promise: "A receiver sends again the bytes it holds; its later changes do not reach the new message.",
    async run(harness) {
      const [queue, delivery] = await harness.received(filled());
      const target = await harness.queue();
      delivery.envelope.payload.set(bytes().subarray(0, 1));
      await harness.send(target, delivery.envelope);
      overwrite(delivery);
      same(payloadOf(await harness.one(target)), bytes().subarray(0, 1), "Payload of what was sent again");
      await harness.abandon(queue, delivery);
      same(payloadOf(await harness.one(queue)), filled().payload, "Payload of the redelivery");
    },
  },
  "bytes-of-sender": {
    promise: "A sender that writes into what it has sent does not change the message.",
    async run(harness) {
      const [queue, sent] = [await harness.queue(), filled()];
      await harness.send(queue, sent);
      scribble(sent);
      sameAsFilled(await harness.one(queue));
    },
  },
  "bytes-of-scheduler": {
    promise: "Who writes into what was scheduled does not change what is delivered at its time.",
    needs: ["schedule"],
    async run(harness) {
      const queue = await harness.queue();
      const sent = filled({ scheduledEnqueueTimeUtc: after(await harness.now(), minute) });
      await harness.engine.schedule(queue, [sent]);
      scribble(sent);
      await harness.advance(minute);
      sameAsFilled(await harness.one(queue));
    },
  },
  "bytes-in-transaction": {
    promise:
      "A message of a transaction has the bytes of its send; later writes into them, before the commit, change nothing.",
    needs: ["transactions"],
    async run(harness) {
      const [queue, sent] = [await harness.queue(), filled()];
      const transaction = await harness.engine.begin();
      await (await harness.engine.openSender(queue)).send([sent], { transaction });
      scribble(sent);
      await transaction.commit();
      sameAsFilled(await harness.one(queue));
    },
  },
  "bytes-of-two-receivers": {
    promise: "A message that moves from one receiver to another carries the sender's bytes, whatever the first did.",
    needs: ["receiveAndDelete", "peekLock"],
    async run(harness) {
      const queue = await harness.queueWith([filled(), filled()]);
      const [first] = await harness.receive(queue, 1, "receiveAndDelete");
      if (first !== undefined) overwrite(first);
      const other = await harness.engine.connect();
      const [second] = await (await other.openReceiver(queue, { receiveMode: "peekLock" })).receive(atOnce());
      same(second?.envelope.payload, filled().payload, "Payload of the second message");
      await other.close();
    },
  },
});
