import type { QueueOptions } from "../../core/engine/admin.ts";
import type { EngineSender } from "../../core/engine/engine.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { createEnvelope } from "../../core/envelope/envelope.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import { envelope, inSession, refused, same, after } from "./engine-harness.ts";

/** Messages from the sender to the entity. */
export const sendCases: readonly EngineCase[] = engineCases(["peekLock"], {
  "envelope-intact": {
    promise: "Payload, body kind and every property arrive as they were sent. (message model)",
    async run(harness) {
      const queue = await harness.queue();
      const broker = {
        contentType: "application/json",
        contentEncoding: "gzip",
        correlationId: "correlation",
        replyTo: "answers",
        subject: "order",
        to: "elsewhere",
      };
      const applicationProperties = {
        text: "é",
        whole: 1,
        real: 1.5,
        big: 2n ** 60n,
        nothing: null,
        bytes: Uint8Array.of(1),
      };
      const sent = envelope("a", broker, { bodyKind: "sequence", applicationProperties });
      await harness.send(queue, sent);
      const received = (await harness.one(queue)).envelope;
      same([received.payload, received.bodyKind], [sent.payload, "sequence"], "Payload and body kind");
      same({ ...received.brokerProperties }, { ...sent.brokerProperties }, "Broker properties");
      same({ ...received.applicationProperties }, applicationProperties, "Application properties");
    },
  },
  "message-id-assigned": {
    promise: "A message without an id gets one of 32 hexadecimal digits; one with an id keeps it, doubles included.",
    async run(harness) {
      const queue = await harness.queue();
      const bare = createEnvelope({ payload: Uint8Array.of(1) });
      await harness.send(queue, bare, bare, "own", "own");
      const ids = (await harness.receive(queue, 4)).map((delivery) => delivery.envelope.brokerProperties.messageId);
      same(ids.slice(2), ["own", "own"], "Ids of the sender");
      same(
        ids.slice(0, 2).filter((id) => typeof id === "string" && /^[0-9a-f]{32}$/.test(id)).length,
        2,
        "Ids assigned",
      );
      same(new Set(ids.slice(0, 2)).size, 2, "Different ids assigned");
    },
  },
  "sequence-numbers-rise": {
    promise: "Sequence numbers rise by one from message to message, whoever sends. (Service Bus, sequence numbers)",
    needs: ["peekLock", "sequenceNumbers"],
    async run(harness) {
      const queue = await harness.queueWith(["a", "b"]);
      await harness.send(queue, "c");
      const numbers = (await harness.receive(queue, 3)).map(({ sequenceNumber }) => sequenceNumber);
      const [first = 0n] = numbers;
      same(numbers, [first, first + 1n, first + 2n], "Sequence numbers");
    },
  },
  "refused-send-leaves-no-gap": {
    promise: "A send that is refused accepts none of its messages and uses up no sequence number. (sobre, numbers)",
    needs: ["peekLock", "administration", "sequenceNumbers"],
    async run(harness) {
      const queue = await harness.queue({ maxMessageSizeInBytes: 1024 });
      const large = createEnvelope({ payload: new Uint8Array(2000) });
      await harness.send(queue, "a");
      await refused(harness.send(queue, "b", large), "MessageSizeExceeded", "A batch with a message that is too large");
      await harness.send(queue, "c");
      const [a, c] = await harness.receive(queue, 5);
      same(c?.envelope.brokerProperties.messageId, "c", "The next message");
      same((c?.sequenceNumber ?? 0n) - (a?.sequenceNumber ?? 0n), 1n, "Difference of the sequence numbers");
    },
  },
  "message-size": {
    promise: "A sender says how large a message may be; one byte more is refused as MessageSizeExceeded.",
    needs: ["administration"],
    async run(harness) {
      const queue = await harness.queue({ maxMessageSizeInBytes: 2048 });
      const sender = await harness.engine.openSender(queue);
      same(sender.maxMessageSize, 2048, "maxMessageSize");
      const overhead = 8;
      const fits = createEnvelope({ payload: new Uint8Array(2048 - overhead) });
      await sender.send([fits]);
      const tooLarge = createEnvelope({ payload: new Uint8Array(2049 - overhead) });
      await refused(sender.send([tooLarge]), "MessageSizeExceeded", "One byte more");
    },
  },
  "send-nothing": {
    promise: "Sending no messages does nothing.",
    needs: ["peekLock"],
    async run(harness) {
      const queue = await harness.queue();
      await harness.send(queue);
      same(await harness.drain(queue), [], "Messages");
    },
  },
  "sender-closed": {
    promise: "A closed sender refuses to send as Closed; closing twice is allowed.",
    needs: [],
    async run(harness) {
      const sender = await harness.engine.openSender(await harness.queue());
      await sender.close();
      await sender.close();
      await refused(sender.send([envelope("a")]), "Closed", "Sending after close");
    },
  },
  "refusal-is-tracked": {
    promise:
      "A refused send carries a code, whether to try again, and a tracking id that is in the text too. (send settlement)",
    needs: ["administration"],
    async run(harness) {
      const queue = await harness.queue({ status: "SendDisabled" });
      const sender = await harness.engine.openSender(queue);
      const [one, two] = [
        await refused(sender.send([envelope("a")]), "MessagingEntityDisabled", "The first send"),
        await refused(sender.send([envelope("a")]), "MessagingEntityDisabled", "The second send"),
      ];
      same(one.retryable, false, "Whether to try again");
      same(one.trackingId !== undefined && one.message.includes(one.trackingId), true, "Whether the id is in the text");
      same(one.trackingId === two.trackingId, false, "Whether two refusals have one id");
    },
  },
  "send-settled": {
    promise: "A send that is settled before it is sent resolves whatever becomes of it. (AMQP, pre-settled transfers)",
    needs: ["administration", "receiveAndDelete"],
    async run(harness) {
      const queue = await harness.queue({ maxMessageSizeInBytes: 1024 });
      const sender = await harness.engine.openSender(queue);
      await sender.send([createEnvelope({ payload: new Uint8Array(2000) })], { settled: true });
      await sender.send([envelope("a")], { settled: true });
      same(await harness.drain(queue), ["a"], "Messages");
    },
  },
  "sends-overlap": {
    promise: "Sends overlap: each has its own outcome, and one that is refused spoils no other. (send settlement)",
    needs: ["administration", "receiveAndDelete"],
    async run(harness) {
      const queue = await harness.queue({ maxMessageSizeInBytes: 1024 });
      const sender = await harness.engine.openSender(queue, { maxInFlight: 2 });
      const large = createEnvelope({ payload: new Uint8Array(2000) });
      const sends = ["a", large, "b", "c", large, "d"].map((message) =>
        sender.send([typeof message === "string" ? envelope(message) : message]),
      );
      const outcomes = (await Promise.allSettled(sends)).map(({ status }) => status === "fulfilled");
      same(outcomes, [true, false, true, true, false, true], "Which sends were accepted");
      same((await harness.drain(queue)).length, 4, "Number of messages");
    },
  },
  "send-bound": {
    promise: "A bound of sends in flight is a whole number from 1 up.",
    needs: [],
    async run(harness) {
      const queue = await harness.queue();
      for (const maxInFlight of [0, -1, 1.5])
        await refused(
          harness.engine.openSender(queue, { maxInFlight }),
          "InvalidArgument",
          `A bound of ${maxInFlight}`,
        );
    },
  },
  "refusals-are-tracked": {
    promise:
      "Every refusal of the broker has a tracking id, also of a missing entity, a schedule, a receive and a settlement.",
    needs: ["administration", "peekLock", "schedule", "deadLetter", "cancelScheduled"],
    async run(harness) {
      const { engine } = harness;
      const [queue, delivery] = await harness.received("a");
      const disabled = await harness.queue({ status: "Disabled" });
      await harness.complete(queue, delivery);
      const late = envelope("b", { scheduledEnqueueTimeUtc: after(delivery.enqueuedTimeUtc, 60_000) });
      const refusals: readonly (readonly [() => Promise<unknown>, ErrorCode])[] = [
        [() => engine.openSender("missing"), "MessagingEntityNotFound"],
        [() => engine.openReceiver("missing", { receiveMode: "peekLock" }), "MessagingEntityNotFound"],
        [() => engine.schedule("missing", [late]), "MessagingEntityNotFound"],
        [() => engine.schedule(disabled, [late]), "MessagingEntityDisabled"],
        [() => engine.cancel(queue, [999n]), "MessageNotFound"],
        [() => harness.receive(disabled), "MessagingEntityDisabled"],
        [() => harness.complete(queue, delivery), "MessageLockLost"],
        [() => engine.admin.createQueue(queue), "MessagingEntityAlreadyExists"],
      ];
      for (const [operation, code] of refusals) {
        const { trackingId, message } = await refused(operation(), code, "The operation");
        same(trackingId !== undefined && message.includes(trackingId), true, `Whether ${code} is tracked`);
      }
    },
  },
  "partition-keys-unequal": {
    promise: "On a partitioned entity without sessions, a session id that differs from the partition key is refused.",
    needs: ["administration", "peek"],
    async run(harness) {
      const queue = await harness.queue({ enablePartitioning: true });
      const unequal = envelope("a", { sessionId: "s", partitionKey: "other" });
      const equal = envelope("b", { sessionId: "s", partitionKey: "s" });
      await refused(harness.send(queue, equal, unequal), "InvalidArgument", "A pair that differs");
      same(await harness.browse(queue), [], "Messages");
      await harness.send(queue, equal);
      const plain = await harness.queueWith([unequal]);
      same(await harness.browse(plain), ["a"], "Messages of an entity without partitions");
    },
  },
  "batch-of-one-key": {
    promise:
      "A batch to a partitioned entity is refused unless its messages have one session id or partition key, or one message id where duplicates are detected; other entities take any. (troubleshooting guide, partitioned entities)",
    needs: ["administration", "duplicateDetection"],
    async run(harness) {
      const queueOf = async (options: QueueOptions): Promise<EngineSender> =>
        harness.engine.openSender(await harness.queue(options));
      const [plain, parted] = [await queueOf({}), await queueOf({ enablePartitioning: true })];
      const detecting = await queueOf({ enablePartitioning: true, requiresDuplicateDetection: true });
      const mixed = [envelope("a", { partitionKey: "one" }), envelope("b", { partitionKey: "two" })];
      const keyed = [envelope("a", { partitionKey: "one" }), envelope("b", { partitionKey: "one" })];
      const ofSessions = [inSession("one", "a"), inSession("two", "b")];
      const partly = [envelope("a", { partitionKey: "one" }), envelope("b")];
      for (const batch of [mixed, ofSessions, partly])
        await refused(parted.send(batch), "InvalidOperation", "A batch of several keys");
      await refused(detecting.send([envelope("a"), envelope("b")]), "InvalidOperation", "A batch of several ids");
      for (const batch of [keyed, [inSession("one", "c"), inSession("one", "d")], [envelope("e"), envelope("f")]])
        await parted.send(batch);
      await detecting.send(keyed);
      for (const batch of [mixed, ofSessions, partly]) await plain.send(batch);
    },
  },
});
