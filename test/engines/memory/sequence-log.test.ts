import { array, assert, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { Lane } from "../../../src/engines/memory/lane.ts";
import { MessageQueue } from "../../../src/engines/memory/message-queue.ts";
import { Meter } from "../../../src/engines/memory/meter.ts";
import { QueuedMessage } from "../../../src/engines/memory/queued-message.ts";
import { SequenceLog } from "../../../src/engines/memory/sequence-log.ts";
import { SubQueuePolicy } from "../../../src/engines/memory/sub-queue-policy.ts";
import { Timeline } from "../../../src/engines/memory/timeline.ts";
import { createEnvelope } from "../../../src/envelope/index.ts";
import { ManualClock } from "../../../src/time/index.ts";

const policy = new SubQueuePolicy({ address: "q", lockDuration: 1, meter: new Meter() }, "");
const lane = new Lane(new MessageQueue(policy, new Timeline(new ManualClock())));
const message = (): QueuedMessage =>
  new QueuedMessage(lane, {
    envelope: createEnvelope({ payload: new Uint8Array() }),
    enqueuedAt: 0,
    expiresAt: Infinity,
    deliveryCount: 0,
    enqueuedSequenceNumber: undefined,
    deadLetter: undefined,
  });

describe("SequenceLog", () => {
  it("rolls over to 0 at the end of 64 bits, and finds messages on both sides", () => {
    const log = new SequenceLog({ first: 2n ** 64n - 2n, bits: 64, partition: 0 });
    const messages = [message(), message(), message(), message()];

    for (const one of messages) log.append(one);

    const numbers = messages.map(({ ordinal }) => log.numberOf(ordinal));
    expect(numbers).toEqual([2n ** 64n - 2n, 2n ** 64n - 1n, 0n, 1n]);
    expect(numbers.map((number) => log.find(number))).toEqual(messages);
  });

  it("keeps the partition in the top 16 bits and rolls over within 48", () => {
    const log = new SequenceLog({ first: 2n ** 48n - 1n, bits: 48, partition: 5 });
    const messages = [message(), message()];

    for (const one of messages) log.append(one);

    expect(messages.map(({ ordinal }) => log.numberOf(ordinal))).toEqual([(5n << 48n) | (2n ** 48n - 1n), 5n << 48n]);
    expect(log.find(5n << 48n)).toBe(messages[1]);
    expect(log.find(0n)).toBeUndefined();
  });

  it("agrees with a sorted list, whatever is deleted", () => {
    assert(
      property(nat(400), array(nat(400)), nat(400), (count, deletions, from) => {
        const log = new SequenceLog({ first: 1n, bits: 64, partition: 0 });
        const model = new Map<number, QueuedMessage>();
        for (let index = 0; index < count; index++) {
          const one = message();
          log.append(one);
          model.set(index, one);
          const deleted = deletions[index];
          if (deleted === undefined) continue;
          log.delete(deleted);
          model.delete(deleted);
        }

        const seen = [...log.from(from)].map(({ ordinal }) => ordinal);

        expect(seen).toEqual([...model.keys()].filter((ordinal) => ordinal >= from));
        for (const [ordinal, one] of model) expect(log.find(log.numberOf(ordinal))).toBe(one);
      }),
    );
  });
});
