import { type EngineCase, engineCases } from "./engine-case.ts";
import { call, atOnce, inSession, refused, same, sessions } from "./engine-harness.ts";

/** The state that a session keeps between its receivers. */
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
    needs: ["sessionState", "namedSessions"],
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
    needs: ["sessionState", "namedSessions"],
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
    needs: ["sessionState", "administration", "namedSessions"],
    async run(harness) {
      const queue = await harness.queue({ ...sessions, maxMessageSizeInBytes: 5120 });
      const session = await harness.session(queue, "s");
      await session.setSessionState(new Uint8Array(5120));
      same((await harness.counts(queue)).sizeInBytes, 5120, "Size of the entity");
      await refused(session.setSessionState(new Uint8Array(5121)), "MessageSizeExceeded", "One byte more");
      same((await session.getSessionState())?.byteLength, 5120, "Size of the state");
    },
  },
  "state-cleared": {
    promise: "Setting null or undefined clears the state, as the official client has it.",
    async run(harness) {
      const session = await harness.session(await harness.queue(sessions), "s");
      for (const nothing of [null, undefined]) {
        await session.setSessionState(Uint8Array.of(1));
        await session.setSessionState(nothing);
        same(await session.getSessionState(), undefined, `State after ${nothing}`);
      }
    },
  },
  "state-is-bytes": {
    promise: "A state that is not bytes is refused as InvalidArgument, and the one before stays.",
    async run(harness) {
      const session = await harness.session(await harness.queue(sessions), "s");
      await session.setSessionState(Uint8Array.of(1));
      for (const state of ["text", 5, {}, [1, 2], new ArrayBuffer(2)]) {
        const setting = call(session, "setSessionState", state);
        await refused(setting, "InvalidArgument", `A state of the type ${typeof state}`);
      }
      same(await session.getSessionState(), Uint8Array.of(1), "State");
    },
  },
  "state-own-view": {
    promise: "A state that is a view of a larger buffer, as every Buffer is, is copied in and out.",
    async run(harness) {
      const session = await harness.session(await harness.queue(sessions), "s");
      // The slice of this class shares its bytes, as that of a Buffer does.
      class Sharing extends Uint8Array<ArrayBuffer> {
        override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
          return this.subarray(start, end);
        }
      }
      const given = new Sharing(new ArrayBuffer(8), 2, 3);
      await session.setSessionState(given);
      given.fill(9);
      (await session.getSessionState())?.fill(9);
      same(await session.getSessionState(), new Uint8Array(3), "State");
    },
  },
});
