import { type EngineCase, engineCases } from "./engine-case.ts";
import {
  atOnce,
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

/** How sessions meet locks, dead letters, deferral and expiry. */
export const sessionRuleCases: readonly EngineCase[] = engineCases(["sessions"], {
  "session-message-lock": {
    promise: "A message of a session is locked as long as its session, and is not renewed on its own.",
    needs: ["sessions", "renewLock", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], sessions);
      const session = await harness.session(queue, "s");
      await harness.advance(minute / 2);
      const [delivery] = await session.receive(atOnce(10));
      const taken = present(delivery, "a");
      same(taken.lockedUntilUtc, session.sessionLockedUntilUtc(), "End of the lock");
      await refused(harness.engine.renew(queue, tokenOf(taken)), "InvalidOperation", "Renewing the message");
    },
  },
  "session-settled-twice": {
    promise: "While its session is held, a message settled already is refused as MessageLockLost.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], sessions);
      const [delivery] = await (await harness.session(queue, "s")).receive(atOnce(10));
      await harness.complete(queue, present(delivery, "a"));
      await refused(harness.complete(queue, present(delivery, "a")), "MessageLockLost", "Completing twice");
    },
  },
  "session-entity-refuses": {
    promise:
      "A session entity refuses messages without session id and plain receivers, not browsing; others refuse sessions.",
    needs: ["sessions", "peek"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await refused(harness.send(queue, "a"), "InvalidOperation", "A message without session id");
      await refused(harness.receiver(queue), "InvalidOperation", "A plain receiver");
      await harness.send(queue, inSession("s", "b"));
      same(await harness.browse(queue), ["b"], "Messages shown");
      await refused(harness.session(await harness.queue(), "s"), "InvalidOperation", "A session of a plain queue");
    },
  },
  "session-id-ignored": {
    promise: "Elsewhere the session id means nothing: messages are delivered to any receiver and keep it.",
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a"), inSession("t", "b")]);
      const deliveries = await harness.receive(queue, 5);
      const ids = deliveries.map((delivery) => delivery.envelope.brokerProperties.sessionId);
      same(idsOf(deliveries), ["a", "b"], "Messages");
      same(ids, ["s", "t"], "Session ids");
    },
  },
  "session-dead-letters": {
    promise: "The dead-letter queue of a session entity takes plain receivers; dead letters keep their session id.",
    needs: ["sessions", "deadLetter", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a"), inSession("s", "b")], {
        ...sessions,
        maxDeliveryCount: 1,
      });
      const [delivery] = await (await harness.session(queue, "s")).receive(atOnce());
      await harness.abandon(queue, present(delivery, "a"));
      const dead = await harness.one(`${queue}/$DeadLetterQueue`);
      same(dead.deadLetterReason, "MaxDeliveryCountExceeded", "Reason");
      same(dead.envelope.brokerProperties.sessionId, "s", "Session id");
    },
  },
  "session-defer": {
    promise: "Deferred messages of a session are received by the holder of the session only, with the session id.",
    needs: ["sessions", "defer", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a"), inSession("s", "b")], sessions);
      const session = await harness.session(queue, "s");
      const [delivery] = await session.receive(atOnce());
      const { sequenceNumber } = present(delivery, "a");
      await harness.settle(queue, present(delivery, "a"), { kind: "defer" });
      const options = { receiveMode: "peekLock", sessionId: "s" } as const;
      const again = await harness.engine.receiveDeferred(queue, [sequenceNumber], options);
      same(idsOf(again), ["a"], "The deferred message");
      await session.close();
      const late = harness.engine.receiveDeferred(queue, [sequenceNumber], options);
      await refused(late, "SessionLockLost", "Asking without holding the session");
    },
  },
  "session-expired-messages": {
    promise:
      "When a message of a held session expires, all its messages do; while nobody holds it, none does. (Service Bus, sessions)",
    needs: ["sessions", "timeToLive", "deadLetter", "peek", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith(
        [envelope("short", { sessionId: "s", timeToLive: minute }), inSession("s", "long")],
        { ...sessions, deadLetteringOnMessageExpiration: true },
      );
      await harness.advance(2 * minute);
      same(await harness.browse(queue), ["short", "long"], "Messages while nobody holds the session");
      const session = await harness.session(queue, "s");
      same(await session.receive(atOnce(10)), [], "Deliveries of the expired session");
      same(await harness.drain(`${queue}/$DeadLetterQueue`), ["short", "long"], "Dead letters");
    },
  },
  "session-list": {
    promise: "The sessions with messages or a state can be listed, and those whose state was set after a time.",
    needs: ["sessions", "sessionState", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("b", "1"), inSession("a", "2"), inSession("c", "3")], sessions);
      same(await harness.engine.listSessions(queue), ["a", "b", "c"], "Sessions with messages");
      same(await harness.engine.listSessions(queue, { skip: 1, maxSessions: 1 }), ["b"], "A page of them");
      const before = await harness.now();
      await harness.advance(1000);
      await (await harness.session(queue, "stateful")).setSessionState(Uint8Array.of(1));
      same(await harness.engine.listSessions(queue, { updatedAfter: before }), ["stateful"], "Sessions by state");
      const all = await harness.engine.listSessions(queue);
      same(all, ["a", "b", "c", "stateful"], "Sessions with messages or a state");
    },
  },
  "session-expired-while-held": {
    promise: "When a message of a held session expires, the others that nobody has taken expire with it.",
    needs: ["sessions", "timeToLive", "peek", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue({ ...sessions, lockDuration: 5 * minute });
      const session = await harness.session(queue, "s");
      await harness.send(queue, inSession("s", "taken"), inSession("s", "long"));
      const [taken] = await session.receive(atOnce());
      await harness.send(queue, envelope("short", { sessionId: "s", timeToLive: minute }));
      await harness.advance(minute);
      same(await harness.browse(queue), ["taken"], "Messages left");
      await harness.complete(queue, present(taken, "taken"));
    },
  },
  "session-partition-key": {
    promise:
      "On a session entity the session id is the partition key: one that differs is replaced and shown so. (sobre)",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      for (const enablePartitioning of [false, true]) {
        const queue = await harness.queue({ ...sessions, enablePartitioning });
        await harness.send(queue, envelope("a", { sessionId: "s", partitionKey: "other" }));
        const [delivery] = await (await harness.session(queue, "s")).receive(atOnce());
        const { sessionId, partitionKey } = present(delivery, "a").envelope.brokerProperties;
        same([sessionId, partitionKey], ["s", "s"], "Session id and partition key");
      }
    },
  },
  "session-partition-key-of-subscription": {
    promise:
      "A subscription that requires sessions replaces the partition key of its copy; another keeps what was sent.",
    needs: ["sessions", "topics", "namedSessions"],
    async run(harness) {
      const topic = await harness.topic({ plain: {}, ordered: sessions });
      await harness.send(topic, envelope("a", { sessionId: "s", partitionKey: "other" }));
      const plain = await harness.one(`${topic}/Subscriptions/plain`);
      const [ordered] = await (await harness.session(`${topic}/Subscriptions/ordered`, "s")).receive(atOnce());
      const keys = [plain, present(ordered, "a")].map(
        ({ envelope: { brokerProperties } }) => brokerProperties.partitionKey,
      );
      same(keys, ["other", "s"], "Partition keys");
    },
  },
  "session-expiry-of-locked": {
    promise:
      "A locked message past its time to live expires the rest of its session immediately, and itself when its lock ends. (sessions, TTL)",
    needs: ["sessions", "timeToLive", "deadLetter", "peek", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue({
        ...sessions,
        lockDuration: 5 * minute,
        deadLetteringOnMessageExpiration: true,
      });
      await harness.send(queue, envelope("short", { sessionId: "s", timeToLive: minute }), inSession("s", "long"));
      const session = await harness.session(queue, "s");
      const [short] = await session.receive(atOnce());
      await harness.advance(minute);
      same(await session.receive(atOnce()), [], "Deliveries after the time to live");
      same(await harness.browse(queue), ["short"], "Messages left: the locked one");
      await harness.abandon(queue, present(short, "short"));
      same(await session.receive(atOnce()), [], "Deliveries after the abandon");
      same(await harness.drain(`${queue}/$DeadLetterQueue`), ["long", "short"], "Dead letters");
    },
  },
  "session-expiry-completes": {
    promise: "A locked message past its time to live can still be completed by the holder of its session.",
    needs: ["sessions", "timeToLive", "deadLetter", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue({
        ...sessions,
        lockDuration: 5 * minute,
        deadLetteringOnMessageExpiration: true,
      });
      await harness.send(queue, envelope("short", { sessionId: "s", timeToLive: minute }));
      const [short] = await (await harness.session(queue, "s")).receive(atOnce());
      await harness.advance(2 * minute);
      await harness.complete(queue, present(short, "short"));
      same(await harness.drain(`${queue}/$DeadLetterQueue`), [], "Dead letters");
    },
  },
  "session-expiry-order": {
    promise:
      "The messages of an expired session are dead-lettered in order of their sequence numbers, deferred ones included.",
    needs: ["sessions", "timeToLive", "deadLetter", "defer", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue({
        ...sessions,
        lockDuration: 5 * minute,
        deadLetteringOnMessageExpiration: true,
      });
      await harness.send(queue, inSession("s", "a"), inSession("s", "b"));
      await harness.send(queue, envelope("c", { sessionId: "s", timeToLive: minute }), inSession("s", "d"));
      const session = await harness.session(queue, "s");
      const [, b] = await session.receive(atOnce(2));
      await harness.settle(queue, present(b, "b"), { kind: "defer" });
      await harness.advance(minute);
      same(await session.receive(atOnce(9)), [], "Deliveries of the expired session");
      same(await harness.drain(`${queue}/$DeadLetterQueue`), ["b", "c", "d"], "Dead letters");
    },
  },
  "session-expiry-other-sessions": {
    promise: "An expired message touches no session but its own.",
    needs: ["sessions", "timeToLive", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.send(queue, envelope("short", { sessionId: "s", timeToLive: minute }), inSession("t", "other"));
      await harness.advance(minute);
      same(await (await harness.session(queue, "s")).receive(atOnce()), [], "Deliveries of the expired session");
      same(idsOf(await (await harness.session(queue, "t")).receive(atOnce())), ["other"], "Deliveries of the other");
    },
  },
});
