import type { EngineCase } from "./engine-case.ts";
import { idsOf, inSession, present, refused, same } from "./engine-harness.ts";

const minute = 60_000;
const sessions = { requiresSession: true } as const;
const some = { maxMessages: 10, maxWaitTime: 0 } as const;

/** Messages that belong together, and the lock on all of them. */
export const sessionCases: readonly EngineCase[] = [
  {
    name: "session-fifo",
    promise:
      "A session's messages are delivered in order, several in flight, and only those of the session. (Service Bus, sessions)",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.send(queue, inSession("s", "a"), inSession("t", "x"), inSession("s", "b"), inSession("s", "c"));
      const session = await harness.session(queue, "s");
      same(session.sessionId, "s", "Session id");
      same(idsOf(await session.receive({ ...some, maxMessages: 2 })), ["a", "b"], "The first two");
      same(idsOf(await session.receive(some)), ["c"], "The rest");
    },
  },
  {
    name: "session-exclusive",
    promise: "A session is held by one receiver: another is refused as SessionCannotBeLocked until it is closed.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.send(queue, inSession("s", "a"));
      const first = await harness.session(queue, "s");
      await refused(harness.session(queue, "s"), "SessionCannotBeLocked", "A second receiver");
      await first.close();
      same(idsOf(await (await harness.session(queue, "s")).receive(some)), ["a"], "Deliveries to the next receiver");
    },
  },
  {
    name: "session-lock-covers-later",
    promise: "The lock covers messages that arrive later; a waiting receive of the session gets them.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      const session = await harness.session(queue, "s");
      const waiting = session.receive({ maxMessages: 1, maxWaitTime: minute / 2 });
      await harness.send(queue, inSession("other", "x"), inSession("s", "a"));
      same(idsOf(await waiting), ["a"], "What the waiting receive got");
      same((await harness.session(queue)).sessionId, "other", "The next available session");
    },
  },
  {
    name: "session-empty",
    promise: "A session can be accepted by its id before any message exists; the empty id is one too.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      for (const id of ["fresh", ""]) {
        const session = await harness.session(queue, id);
        same(await session.receive(some), [], "Deliveries");
        await harness.send(queue, inSession(id, "a"));
        same(idsOf(await session.receive(some)), ["a"], `Deliveries of the session "${id}"`);
      }
    },
  },
  {
    name: "session-next",
    promise: "Without an id the next available session is accepted: one with messages that nobody holds.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.send(queue, inSession("s", "a"), inSession("t", "b"));
      const accepted = [(await harness.session(queue)).sessionId, (await harness.session(queue)).sessionId];
      same(accepted, ["s", "t"], "Sessions in order of acceptance");
      await refused(harness.session(queue), "ServiceTimeout", "A third session");
    },
  },
  {
    name: "session-next-waits",
    promise: "Accepting the next session waits for one, until a message comes or another receiver closes.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      const waiting = harness.session(queue, undefined, { maxWaitTime: minute });
      await harness.send(queue, inSession("s", "a"));
      const first = await waiting;
      const second = harness.session(queue, undefined, { maxWaitTime: minute / 2 });
      await first.close();
      same([first.sessionId, (await second).sessionId], ["s", "s"], "Sessions accepted");
    },
  },
  {
    name: "session-next-times-out",
    promise:
      "When no session becomes available in time, accepting is refused as ServiceTimeout; aborting refuses as Aborted.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      const late = refused(harness.session(queue, undefined, { maxWaitTime: minute }), "ServiceTimeout", "Waiting");
      await harness.advance(minute);
      await late;
      const abort = new AbortController();
      const accepting = harness.session(queue, undefined, { maxWaitTime: minute, signal: abort.signal });
      const aborted = refused(accepting, "Aborted", "An aborted wait");
      abort.abort();
      await aborted;
      await harness.send(queue, inSession("s", "a"));
      same((await harness.session(queue)).sessionId, "s", "The session, free afterwards");
    },
  },
  {
    name: "session-abandon-next",
    promise: "An abandoned message of a session comes back next, before later ones. (FIFO)",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.send(queue, inSession("s", "a"), inSession("s", "b"), inSession("s", "c"));
      const session = await harness.session(queue, "s");
      const [a, b] = await session.receive({ ...some, maxMessages: 2 });
      await harness.abandon(queue, present(b, "b"));
      await harness.abandon(queue, present(a, "a"));
      const again = await session.receive(some);
      same(idsOf(again), ["a", "b", "c"], "Order after abandoning");
      same(
        again.map(({ deliveryCount }) => deliveryCount),
        [1, 1, 0],
        "Delivery counts",
      );
    },
  },
  {
    name: "session-close-uncounted",
    promise: "Closing a session with unsettled messages frees them without counting a delivery. (delivery-count table)",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.send(queue, inSession("s", "a"), inSession("s", "b"));
      const first = await harness.session(queue, "s");
      await first.receive({ ...some, maxMessages: 1 });
      await first.close();
      const again = await (await harness.session(queue, "s")).receive(some);
      same(idsOf(again), ["a", "b"], "Deliveries");
      same(
        again.map(({ deliveryCount }) => deliveryCount),
        [0, 0],
        "Delivery counts",
      );
    },
  },
  {
    name: "session-expiry-counts",
    promise: "When the session lock expires, its locked messages count a delivery and the others do not.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.send(queue, inSession("s", "a"), inSession("s", "b"));
      await (await harness.session(queue, "s")).receive({ ...some, maxMessages: 1 });
      await harness.advance(minute);
      const again = await (await harness.session(queue, "s")).receive(some);
      same(idsOf(again), ["a", "b"], "Deliveries");
      same(
        again.map(({ deliveryCount }) => deliveryCount),
        [1, 0],
        "Delivery counts",
      );
    },
  },
  {
    name: "session-lock-lost",
    promise:
      "After the session lock is lost every operation of its receiver and on its messages is refused as SessionLockLost.",
    needs: ["sessions", "sessionState"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.send(queue, inSession("s", "a"));
      const session = await harness.session(queue, "s");
      const [delivery] = await session.receive(some);
      await harness.advance(minute);
      await refused(session.receive(some), "SessionLockLost", "Receiving");
      await refused(session.renewSessionLock(), "SessionLockLost", "Renewing");
      await refused(session.getSessionState(), "SessionLockLost", "Reading the state");
      await refused(session.setSessionState(Uint8Array.of(1)), "SessionLockLost", "Writing the state");
      await refused(harness.complete(queue, present(delivery, "a")), "SessionLockLost", "Completing");
      await session.close();
      same((await (await harness.session(queue, "s")).receive(some)).length, 1, "Messages left");
    },
  },
  {
    name: "session-lock-lost-wakes",
    promise: "A receive that waits in a session is refused as SessionLockLost when the lock expires.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      const session = await harness.session(queue, "s");
      const waiting = session.receive({ maxMessages: 1, maxWaitTime: 10 * minute });
      const refusal = refused(waiting, "SessionLockLost", "The waiting receive");
      await harness.advance(minute);
      await refusal;
    },
  },
  {
    name: "session-renew",
    promise: "Renewing holds the session for a whole lock duration from now, its messages included.",
    needs: ["sessions"],
    async run(harness) {
      const queue = await harness.queue(sessions);
      await harness.send(queue, inSession("s", "a"));
      const session = await harness.session(queue, "s");
      const [delivery] = await session.receive(some);
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
];
