import { describe, expect, it } from "vitest";
import { LockTable } from "../../../src/broker/memory/lock-table.ts";
import { type WaitingPlace, QueuedMessage } from "../../../src/broker/memory/queued-message.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";

const place: WaitingPlace = {
  sessionId: undefined,
  append: () => undefined,
  giveBack: () => undefined,
  remove: () => undefined,
  wake: () => undefined,
  messageDue: () => undefined,
};

function message(): QueuedMessage {
  const envelope = createEnvelope({ payload: new Uint8Array() });
  const first = { enqueuedSequenceNumber: undefined, deadLetter: undefined };
  return new QueuedMessage(place, {
    envelope,
    size: 0,
    enqueuedAt: 0,
    expiresAt: Infinity,
    deliveryCount: 0,
    ...first,
  });
}

function looked(): never {
  throw new Error("It looked at a message of another connection.");
}

describe("the locks of a queue", () => {
  it("of one connection are found without a look at those of others", () => {
    const locks = new LockTable();
    const others = Array.from({ length: 100 }, message);
    const own = [message(), message()];
    for (const one of others) locks.add(one, 0, others, undefined);
    for (const one of own) locks.add(one, 0, own, undefined);
    for (const one of others) {
      Object.defineProperties(one, { lock: { get: looked }, position: { get: looked } });
    }

    expect(locks.heldBy(own)).toEqual(own);
    expect(() => locks.heldBy(undefined)).toThrow("another connection");
  });
});
