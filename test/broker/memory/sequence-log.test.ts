import { array, assert, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { SequenceLog } from "../../../src/broker/memory/sequence-log.ts";

const message = (): { ordinal: number } => ({ ordinal: -1 });

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
        const model = new Map<number, { ordinal: number }>();
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

  it("goes on when what it yields is deleted, past the end of a segment", () => {
    const log = new SequenceLog({ first: 1n, bits: 64, partition: 0 });
    for (let count = 0; count < 1000; count++) log.append(message());

    let deleted = 0;
    for (const { ordinal } of log.from(0)) {
      log.delete(ordinal);
      deleted++;
    }

    expect(deleted).toBe(1000);
    expect([...log.from(0)]).toEqual([]);
  });
});
