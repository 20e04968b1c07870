import { type EngineCase, engineCases } from "./engine-case.ts";
import { atOnce, countsOf, idsOf, inSession, minute, present, refused, same, sessions } from "./engine-harness.ts";

/** Messages that belong together, and the lock on all of them. */
export const sessionCases: readonly EngineCase[] = engineCases(["sessions"], {
  "session-fifo": {
    promise:
      "A session's messages are delivered in order, several in flight, and only those of the session. (Service Bus, sessions)",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith(
        [inSession("s", "a"), inSession("t", "x"), inSession("s", "b"), inSession("s", "c")],
        sessions,
      );
      const session = await harness.session(queue, "s");
      same(session.sessionId, "s", "Session id");
      same(idsOf(await session.receive(atOnce(2))), ["a", "b"], "The first two");
      same(idsOf(await session.receive(atOnce(10))), ["c"], "The rest");
    },
  },
  "session-exclusive": {
    promise: "A session is held by one receiver: another is refused as SessionCannotBeLocked until it is closed.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], sessions);
      const first = await harness.session(queue, "s");
      await refused(harness.session(queue, "s"), "SessionCannotBeLocked", "A second receiver");
      await first.close();
      same(
        idsOf(await (await harness.session(queue, "s")).receive(atOnce(10))),
        ["a"],
        "Deliveries to the next receiver",
      );
    },
  },
  "session-lock-covers-later": {
    promise: "The lock covers messages that arrive later; a waiting receive of the session gets them.",
    needs: ["sessions", "namedSessions", "nextSession"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      const session = await harness.session(queue, "s");
      const waiting = session.receive({ maxMessages: 1, maxWaitTimeInMs: minute / 2 });
      await harness.send(queue, inSession("other", "x"), inSession("s", "a"));
      same(idsOf(await waiting), ["a"], "Deliveries of the waiting receive");
      same((await harness.session(queue)).sessionId, "other", "The next available session");
    },
  },
  "session-empty": {
    promise: "A session can be accepted by its id before any message exists; the empty id is one too.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      for (const id of ["fresh", ""]) {
        const session = await harness.session(queue, id);
        same(await session.receive(atOnce(10)), [], "Deliveries");
        await harness.send(queue, inSession(id, "a"));
        same(idsOf(await session.receive(atOnce(10))), ["a"], `Deliveries of the session "${id}"`);
      }
    },
  },
  "session-next": {
    promise: "Without an id the next available session is accepted: one with messages that nobody holds.",
    needs: ["sessions", "nextSession"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a"), inSession("t", "b")], sessions);
      const accepted = [(await harness.session(queue)).sessionId, (await harness.session(queue)).sessionId];
      same(accepted, ["s", "t"], "Sessions in order of acceptance");
      await refused(harness.session(queue), "ServiceTimeout", "A third session");
    },
  },
  "session-next-waits": {
    promise: "Accepting the next session waits for one, until a message comes or another receiver closes.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      const waiting = harness.session(queue, undefined, { maxWaitTimeInMs: minute });
      await harness.send(queue, inSession("s", "a"));
      const first = await waiting;
      const second = harness.session(queue, undefined, { maxWaitTimeInMs: minute / 2 });
      await first.close();
      same([first.sessionId, (await second).sessionId], ["s", "s"], "Sessions accepted");
    },
  },
  "session-next-times-out": {
    promise:
      "When no session becomes available in time, accepting is refused as ServiceTimeout; aborting refuses as Aborted.",
    needs: ["sessions", "namedSessions", "nextSession"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      const late = refused(harness.session(queue, undefined, { maxWaitTimeInMs: minute }), "ServiceTimeout", "Waiting");
      await harness.advance(minute);
      await late;
      const abort = new AbortController();
      const accepting = harness.session(queue, undefined, { maxWaitTimeInMs: minute, abortSignal: abort.signal });
      const aborted = refused(accepting, "Aborted", "An aborted wait");
      abort.abort();
      await aborted;
      await harness.send(queue, inSession("s", "a"));
      same((await harness.session(queue)).sessionId, "s", "The session, free afterwards");
    },
  },
  "session-abandon-next": {
    promise: "An abandoned message of a session is redelivered next, before later ones. (FIFO)",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a"), inSession("s", "b"), inSession("s", "c")], sessions);
      const session = await harness.session(queue, "s");
      const [a, b] = await session.receive(atOnce(2));
      await harness.abandon(queue, present(b, "b"));
      await harness.abandon(queue, present(a, "a"));
      const again = await session.receive(atOnce(10));
      same(idsOf(again), ["a", "b", "c"], "Order after abandoning");
      same(countsOf(again), [1, 1, 0], "Delivery counts");
    },
  },
  "session-close-uncounted": {
    promise: "Closing a session with unsettled messages frees them without counting a delivery. (delivery-count table)",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a"), inSession("s", "b")], sessions);
      const first = await harness.session(queue, "s");
      await first.receive(atOnce());
      await first.close();
      const again = await (await harness.session(queue, "s")).receive(atOnce(10));
      same(idsOf(again), ["a", "b"], "Deliveries");
      same(countsOf(again), [0, 0], "Delivery counts");
    },
  },
  "session-expiry-counts": {
    promise: "When the session lock expires, its locked messages count a delivery and the others do not.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a"), inSession("s", "b")], sessions);
      await (await harness.session(queue, "s")).receive(atOnce());
      await harness.advance(minute);
      const again = await (await harness.session(queue, "s")).receive(atOnce(10));
      same(idsOf(again), ["a", "b"], "Deliveries");
      same(countsOf(again), [1, 0], "Delivery counts");
    },
  },
  "session-lock-lost": {
    promise:
      "After the session lock is lost every operation of its receiver and on its messages is refused as SessionLockLost.",
    needs: ["sessions", "sessionState", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], sessions);
      const session = await harness.session(queue, "s");
      const [delivery] = await session.receive(atOnce(10));
      await harness.advance(minute);
      await refused(session.receive(atOnce(10)), "SessionLockLost", "Receiving");
      await refused(session.renewSessionLock(), "SessionLockLost", "Renewing");
      await refused(session.getSessionState(), "SessionLockLost", "Reading the state");
      await refused(session.setSessionState(Uint8Array.of(1)), "SessionLockLost", "Writing the state");
      await refused(harness.complete(queue, present(delivery, "a")), "SessionLockLost", "Completing");
      await session.close();
      same((await (await harness.session(queue, "s")).receive(atOnce(10))).length, 1, "Messages left");
    },
  },
  "session-lock-lost-wakes": {
    promise: "A receive that waits in a session is refused as SessionLockLost when the lock expires.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      const session = await harness.session(queue, "s");
      const waiting = session.receive({ maxMessages: 1, maxWaitTimeInMs: 10 * minute });
      const refusal = refused(waiting, "SessionLockLost", "The waiting receive");
      await harness.advance(minute);
      await refusal;
    },
  },
  "session-renew": {
    promise: "Renewing holds the session for a whole lock duration from now, its messages included.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], sessions);
      const session = await harness.session(queue, "s");
      const [delivery] = await session.receive(atOnce(10));
      const before = session.sessionLockedUntilUtc().getTime();
      await harness.advance(minute / 2);
      const until = await session.renewSessionLock();
      same(
        [until.getTime() - before, session.sessionLockedUntilUtc().getTime() - before],
        [minute / 2, minute / 2],
        "Gain",
      );
      await harness.advance(minute - 1);
      await harness.complete(queue, present(delivery, "a"));
    },
  },
  "session-wanted-waits": {
    promise: "Accepting a session by its id waits for its holder as long as asked, and is granted when it closes.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], sessions);
      const first = await harness.session(queue, "s");
      const waiting = harness.session(queue, "s", { maxWaitTimeInMs: minute / 2 });
      waiting.catch(() => undefined);
      await harness.advance(1000);
      await first.close();
      const second = await waiting;
      same([second.sessionId, idsOf(await second.receive(atOnce()))], ["s", ["a"]], "Session and messages");
    },
  },
  "session-wanted-expiry": {
    promise: "Whoever waits for a session by its id gets it when its lock expires, even an empty one.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.session(queue, "s");
      const waiting = harness.session(queue, "s", { maxWaitTimeInMs: 2 * minute });
      waiting.catch(() => undefined);
      await harness.advance(minute);
      same((await waiting).sessionId, "s", "The session");
    },
  },
  "session-wanted-in-vain": {
    promise:
      "A session that is not freed in time is refused as SessionCannotBeLocked; aborting the wait refuses as Aborted.",
    needs: ["sessions", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue({ ...sessions, lockDuration: 5 * minute });
      const first = await harness.session(queue, "s");
      const late = harness.session(queue, "s", { maxWaitTimeInMs: minute });
      const refusal = refused(late, "SessionCannotBeLocked", "Waiting in vain");
      await harness.advance(minute);
      await refusal;
      const abort = new AbortController();
      const accepting = harness.session(queue, "s", { maxWaitTimeInMs: minute, abortSignal: abort.signal });
      const aborted = refused(accepting, "Aborted", "An aborted wait");
      abort.abort();
      await aborted;
      await first.close();
      same((await harness.session(queue, "s")).sessionId, "s", "The session, free afterwards");
    },
  },
});
