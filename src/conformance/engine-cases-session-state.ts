import { type EngineCase, engineCases } from "./engine-case.ts";
import { atOnce, inSession, refused, same, sessions } from "./engine-harness.ts";

/** What a session remembers between its receivers. */
export const sessionStateCases: readonly EngineCase[] = engineCases(["sessionState"], {
  "state-life": {
    promise: "Session state is absent at first, kept as it was set, and cleared by undefined; empty is not absent.",
    async run(harness) {
      const session = await harness.session(await harness.queue(sessions), "s");
      same(await session.getSessionState(), undefined, "State at first");
      await session.setSessionState(Uint8Array.of(1, 2, 3));
      same(await session.getSessionState(), Uint8Array.of(1, 2, 3), "State as set");
      await session.setSessionState(new Uint8Array(0));
      same(await session.getSessionState(), new Uint8Array(0), "Empty state");
      await session.setSessionState(undefined);
      same(await session.getSessionState(), undefined, "State after clearing");
    },
  },
  "state-outlives": {
    promise: "State outlives its receiver and the session's messages. (Service Bus, session state)",
    async run(harness) {
      const queue = await harness.queueWith([inSession("s", "a")], sessions);
      const first = await harness.session(queue, "s", { receiveMode: "receiveAndDelete" });
      await first.receive(atOnce(10));
      await first.setSessionState(Uint8Array.of(7));
      await first.close();
      await harness.advance(3_600_000);
      same(await (await harness.session(queue, "s")).getSessionState(), Uint8Array.of(7), "State later");
    },
  },
  "state-per-session": {
    promise: "Every session has its own state.",
    async run(harness) {
      const queue = await harness.queue(sessions);
      await (await harness.session(queue, "s")).setSessionState(Uint8Array.of(1));
      same(await (await harness.session(queue, "t")).getSessionState(), undefined, "State of another session");
    },
  },
  "state-own-bytes": {
    promise: "Neither the bytes given nor the bytes returned change the state when they are changed later.",
    async run(harness) {
      const session = await harness.session(await harness.queue(sessions), "s");
      const given = Uint8Array.of(1);
      await session.setSessionState(given);
      given[0] = 9;
      const returned = await session.getSessionState();
      if (returned !== undefined) returned[0] = 9;
      same(await session.getSessionState(), Uint8Array.of(1), "State");
    },
  },
  "state-size": {
    promise: "State may be as large as a message, no larger, and counts in the entity's size.",
    needs: ["sessionState", "administration"],
    async run(harness) {
      const queue = await harness.queue({ ...sessions, maxMessageSizeInBytes: 5120 });
      const session = await harness.session(queue, "s");
      await session.setSessionState(new Uint8Array(5120));
      same((await harness.counts(queue)).sizeInBytes, 5120, "Size of the entity");
      await refused(session.setSessionState(new Uint8Array(5121)), "MessageSizeExceeded", "One byte more");
      same((await session.getSessionState())?.byteLength, 5120, "Size of the state");
    },
  },
});
