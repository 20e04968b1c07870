import { type EngineCase, engineCases } from "./engine-case.ts";
import { call, envelope, refused, same, sessions, tokenOf } from "./engine-harness.ts";

const wrongArguments: readonly unknown[] = [null, 5, true, [], {}, Symbol("wrong")];

/** Arguments of the wrong kind, as callers without types may pass them. */
export const argumentCases: readonly EngineCase[] = engineCases([], {
  "arguments-entity": {
    promise: "An entity that is not text is refused as InvalidArgument, by every method that takes one.",
    needs: ["peek"],
    async run({ engine }) {
      const mode = { receiveMode: "peekLock" };
      for (const entity of wrongArguments) {
        await refused(call(engine, "openSender", entity), "InvalidArgument", "A sender");
        await refused(call(engine, "openReceiver", entity, mode), "InvalidArgument", "A receiver");
        await refused(call(engine, "peek", entity, { maxMessages: 1 }), "InvalidArgument", "Peeking");
        await refused(call(engine, "cancel", entity, [1n]), "InvalidArgument", "Cancelling");
      }
    },
  },
  "arguments-options": {
    promise: "Options that are unknown or not an object are refused as InvalidArgument, naming the option.",
    needs: ["peek"],
    async run(harness) {
      const { engine } = harness;
      const queue = await harness.queue();
      for (const options of [null, 5, { recieveMode: "peekLock" }, { receiveMode: "lock" }, {}])
        await refused(call(engine, "openReceiver", queue, options), "InvalidArgument", "A receiver");
      for (const options of [null, {}, { maxMessages: "1" }, { maxMessages: 1, sequenceNumber: 1n }])
        await refused(call(engine, "peek", queue, options), "InvalidArgument", "Peeking");
      const error = await refused(call(engine, "openSender", queue, { vai: "q" }), "InvalidArgument", "A sender");
      same(error.message.includes("vai"), true, "Whether the option is named");
    },
  },
  "arguments-receive": {
    promise: "A receive whose options are missing or of the wrong kind is refused as InvalidArgument.",
    needs: ["peekLock"],
    async run(harness) {
      const receiver = await harness.receiver(await harness.queue());
      const abortSignal = { aborted: false };
      for (const options of [
        undefined,
        null,
        5,
        {},
        { maxMessages: 1 },
        { maxMessages: 1, maxWaitTimeInMs: 0, abortSignal },
      ])
        await refused(call(receiver, "receive", options), "InvalidArgument", "Receiving");
    },
  },
  "arguments-send": {
    promise: "Anything but a list of envelopes is refused as InvalidArgument, and nothing is sent.",
    needs: ["peek"],
    async run(harness) {
      const queue = await harness.queue();
      const sender = await harness.engine.openSender(queue);
      for (const envelopes of [undefined, null, 5, envelope("a"), [null], [envelope("a"), {}], ["a"]])
        await refused(call(sender, "send", envelopes), "InvalidArgument", "Sending");
      same(await harness.browse(queue), [], "Messages");
    },
  },
  "arguments-settle": {
    promise: "An unknown settlement is refused as InvalidArgument, a token of the wrong kind as a lock that is lost.",
    needs: ["peekLock"],
    async run(harness) {
      const [queue, delivery] = await harness.received("a");
      for (const settlement of [
        undefined,
        null,
        {},
        { kind: "acknowledge" },
        { kind: "deadLetter", deadLetterReason: 5 },
      ])
        await refused(
          call(harness.engine, "settle", queue, tokenOf(delivery), settlement),
          "InvalidArgument",
          "Settling",
        );
      for (const token of [undefined, null, 5, "", "not a token", {}])
        await refused(
          call(harness.engine, "settle", queue, token, { kind: "complete" }),
          "MessageLockLost",
          "Settling",
        );
      await harness.complete(queue, delivery);
    },
  },
  "arguments-numbers": {
    promise: "Sequence numbers that are not a list of bigints are refused as InvalidArgument.",
    needs: ["schedule", "defer"],
    async run(harness) {
      const queue = await harness.queue();
      const mode = { receiveMode: "peekLock" };
      for (const numbers of [undefined, null, 1n, [1], ["1"]]) {
        await refused(call(harness.engine, "cancel", queue, numbers), "InvalidArgument", "Cancelling");
        await refused(call(harness.engine, "receiveDeferred", queue, numbers, mode), "InvalidArgument", "Receiving");
      }
    },
  },
  "arguments-session": {
    promise: "A session id that is not text, and a wait that is not a number, are refused as InvalidArgument.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      for (const given of [
        { sessionId: 5 },
        { maxWaitTimeInMs: "1" },
        { maxWaitTimeInMs: -1 },
        { receiveMode: "none" },
      ]) {
        const options = { sessionId: "s", receiveMode: "peekLock", maxWaitTimeInMs: 0, ...given };
        await refused(call(harness.engine, "acceptSession", queue, options), "InvalidArgument", "Accepting a session");
      }
    },
  },
  "arguments-admin": {
    promise: "Entities and rules with names and options of the wrong kind are refused as InvalidArgument.",
    needs: ["administration", "topics"],
    async run(harness) {
      const { admin } = harness.engine;
      const topic = await harness.topic({ s: {} });
      const queue = await harness.queue();
      for (const given of [null, 5, "text", []]) {
        await refused(call(admin, "createQueue", harness.freshName(), given), "InvalidArgument", "Creating a queue");
        await refused(call(admin, "updateQueue", queue, given), "InvalidArgument", "Updating a queue");
        await refused(call(admin, "createRule", topic, "s", "r", given), "InvalidArgument", "Creating a rule");
      }
      for (const name of [null, 5, {}]) {
        await refused(call(admin, "createQueue", name), "InvalidArgument", "Creating a queue");
        await refused(call(admin, "getQueue", name), "InvalidArgument", "Reading the options of a queue");
        await refused(call(admin, "createSubscription", topic, name), "InvalidArgument", "Creating a subscription");
        await refused(call(admin, "deleteRule", topic, "s", name), "InvalidArgument", "Deleting a rule");
      }
    },
  },
});
