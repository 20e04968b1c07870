import { type EngineCase, engineCases } from "./engine-case.ts";
import { atOnce, call, envelope, inSession, minute, present, refused, same, sessions } from "./engine-harness.ts";

/** Inspections: messages by state, the holders of sessions, sums of dead letters. */
export const inspectCases: readonly EngineCase[] = engineCases(["inspect"], {
  "inspect-counts": {
    promise:
      "Counts by state tell active, locked, deferred and scheduled messages apart, on sub-queues as well. (sobre)",
    needs: ["inspect", "peekLock", "defer", "schedule", "deadLetter"],
    async run(harness) {
      const { inspection } = harness.engine;
      const queue = await harness.queue();
      same(
        await inspection.counts(queue),
        { ...emptyCounts, oldestEnqueuedTimeUtc: undefined },
        "Counts of an empty queue",
      );
      const at = new Date((await harness.now()).getTime() + minute);
      await harness.engine.schedule(queue, [envelope("later", { scheduledEnqueueTimeUtc: at })]);
      await harness.advance(1);
      await harness.send(queue, "locked", "deferred", "dead", "ready");
      const [locked, deferred, dead] = await harness.receive(queue, 3);
      await harness.settle(queue, present(deferred, "deferred"), { kind: "defer" });
      await harness.settle(queue, present(dead, "dead"), { kind: "deadLetter" });
      const { oldestEnqueuedTimeUtc, ...counts } = await inspection.counts(queue);
      same(counts, { active: 2, deferred: 1, scheduled: 1, locked: 1 }, "Counts");
      same(oldestEnqueuedTimeUtc, present(locked, "locked").enqueuedTimeUtc, "Time of the oldest one");
      const { oldestEnqueuedTimeUtc: _, ...ofDead } = await inspection.counts(`${queue}/$DeadLetterQueue`);
      same(ofDead, { ...emptyCounts, active: 1 }, "Counts of the dead-letter queue");
      await harness.complete(queue, present(locked, "locked"));
      same((await inspection.counts(queue)).locked, 0, "Locked messages after they were settled");
    },
  },
  "inspect-counts-deferred": {
    promise:
      "A deferred message that is received again counts as deferred and locked, and leaves both when it is completed. (sobre)",
    needs: ["inspect", "peekLock", "defer"],
    async run(harness) {
      const [queue, delivery] = await harness.received("a");
      await harness.settle(queue, delivery, { kind: "defer" });
      const options = { receiveMode: "peekLock" } as const;
      const [again] = await harness.engine.receiveDeferred(queue, [delivery.sequenceNumber], options);
      const { deferred, locked } = await harness.engine.inspection.counts(queue);
      same([deferred, locked], [1, 1], "Deferred and locked while it is held");
      await harness.complete(queue, present(again, "a"));
      const { oldestEnqueuedTimeUtc: _, ...after } = await harness.engine.inspection.counts(queue);
      same(after, emptyCounts, "Counts at the end");
    },
  },
  "inspect-expired-lock": {
    promise: "A lock that has expired is not counted any longer. (sobre)",
    needs: ["inspect", "peekLock"],
    async run(harness) {
      const [queue] = await harness.received("a");
      await harness.advance(minute);
      same((await harness.engine.inspection.counts(queue)).locked, 0, "Locked messages");
    },
  },
  "inspect-sessions": {
    promise:
      "An inspection shows who holds each session until when, its state, its messages and the first of them. (sobre)",
    needs: ["inspect", "sessions", "sessionState", "sequenceNumbers", "namedSessions"],
    async run(harness) {
      const { engine } = harness;
      const queue = await harness.queueWith([inSession("b", "1"), inSession("a", "2"), inSession("b", "3")], sessions);
      const other = await engine.connect({ name: "shipping" });
      try {
        const options = { receiveMode: "peekLock", maxWaitTimeInMs: 0, sessionId: "b" } as const;
        const held = await other.acceptSession(queue, options);
        await held.setSessionState(Uint8Array.of(7));
        await held.receive(atOnce());
        const found = await engine.inspection.sessions(queue);
        same(
          found.map(({ sessionId, holder, state, messageCount, firstSequenceNumber }) => [
            sessionId,
            holder,
            state,
            messageCount,
            firstSequenceNumber,
          ]),
          [
            ["a", undefined, undefined, 1, 2n],
            ["b", "shipping", Uint8Array.of(7), 2, 1n],
          ],
          "Sessions",
        );
        const [free, shipping] = found;
        same([free?.lockedUntilUtc, free?.stateSetAtUtc], [undefined, undefined], "Times of the free session");
        same(shipping?.lockedUntilUtc, held.sessionLockedUntilUtc(), "End of the lock");
      } finally {
        await other.close();
      }
      const after = await engine.inspection.sessions(queue, { skip: 1, maxSessions: 1 });
      same(
        after.map(({ sessionId, holder }) => [sessionId, holder]),
        [["b", undefined]],
        "Second session, once released",
      );
    },
  },
  "inspect-session-of-state": {
    promise:
      "A session without messages is shown while it has a state or a holder, whose connection need not have a name. (sobre)",
    needs: ["inspect", "sessions", "sessionState", "sequenceNumbers", "namedSessions"],
    async run(harness) {
      const { inspection } = harness.engine;
      const queue = await harness.queue({ ...sessions, lockDuration: minute });
      const session = await harness.session(queue, "s");
      const [held] = await inspection.sessions(queue);
      same([held?.holder, held?.messageCount, held?.firstSequenceNumber], ["", 0, undefined], "Session with a holder");
      await session.setSessionState(Uint8Array.of(1));
      await session.close();
      const [kept] = await inspection.sessions(queue);
      same([kept?.holder, kept?.state], [undefined, Uint8Array.of(1)], "Session with a state");
      await (await harness.session(queue, "s")).setSessionState(undefined);
      await harness.advance(minute);
      same(await inspection.sessions(queue), [], "Sessions with neither");
    },
  },
  "inspect-dead-letters": {
    promise: "Dead letters are summed up by reason, the most frequent first, part by part. (sobre)",
    needs: ["inspect", "deadLetter", "sequenceNumbers"],
    async run(harness) {
      const { inspection } = harness.engine;
      const queue = await harness.queueWith(["1", "2", "3", "4"]);
      for (const deadLetterReason of ["Late", "Unreadable", "Unreadable", undefined])
        await harness.settle(queue, await harness.one(queue), { kind: "deadLetter", deadLetterReason });
      const dead = `${queue}/$DeadLetterQueue`;
      const whole = await inspection.deadLetters(dead, { maxMessages: 100 });
      same(
        whole.sums.map(({ reason, count, firstSequenceNumber }) => [reason, count, firstSequenceNumber]),
        [
          ["Unreadable", 2, 2n],
          ["Late", 1, 1n],
          [undefined, 1, 4n],
        ],
        "Sums",
      );
      same(whole.next, undefined, "Where to go on at the end");
      const part = await inspection.deadLetters(dead, { maxMessages: 2 });
      same([part.sums.length, part.next], [2, 3n], "First part");
      const rest = await inspection.deadLetters(dead, { maxMessages: 3, fromSequenceNumber: 3n });
      same([rest.sums.reduce((sum, { count }) => sum + count, 0), rest.next], [2, undefined], "Second part");
    },
  },
  "inspect-forwarded": {
    promise: "Forwarded dead letters are summed up by the entity that they come from. (sobre)",
    needs: ["inspect", "deadLetter", "autoForward"],
    async run(harness) {
      const target = await harness.queue();
      const queue = await harness.queueWith(["1"], { forwardDeadLetteredMessagesTo: target });
      await harness.settle(queue, await harness.one(queue), { kind: "deadLetter", deadLetterReason: "Late" });
      const { sums } = await harness.engine.inspection.deadLetters(target, { maxMessages: 10 });
      same(
        sums.map(({ source }) => source),
        [queue],
        "Sources",
      );
    },
  },
  "inspect-refusals": {
    promise: "An inspection refuses a missing entity, one without sessions, and invalid options. (sobre)",
    async run(harness) {
      const { inspection } = harness.engine;
      const queue = await harness.queue();
      await refused(inspection.counts("missing"), "MessagingEntityNotFound", "Counts of a missing queue");
      await refused(inspection.sessions(queue), "InvalidOperation", "Sessions of a queue without");
      for (const options of [undefined, {}, { maxMessages: 0 }, { maxMessages: 1, fromSequenceNumber: 1 }])
        await refused(call(inspection, "deadLetters", queue, options), "InvalidArgument", "Invalid options");
      const withSessions = await harness.queue(sessions);
      await refused(call(inspection, "sessions", withSessions, { skip: -1 }), "InvalidArgument", "A negative skip");
    },
  },
});

const emptyCounts = { active: 0, deferred: 0, scheduled: 0, locked: 0 };
