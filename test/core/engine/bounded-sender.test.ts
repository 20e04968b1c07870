import { describe, expect, it } from "vitest";
import { boundedSender, type EngineSender } from "../../../src/core/engine/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";

const message = createEnvelope({ payload: new Uint8Array() });

/** A sender whose sends end when the test says so. */
function slowSender(): EngineSender & { readonly ends: ((error?: Error) => void)[] } {
  const ends: ((error?: Error) => void)[] = [];
  return {
    ends,
    maxMessageSize: 5,
    send: () =>
      new Promise((resolve, reject) => ends.push((error) => (error === undefined ? resolve() : reject(error)))),
    async close() {},
  };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

describe("boundedSender", () => {
  it("lets at most so many sends through, and the next when one has its outcome", async () => {
    const slow = slowSender();
    const sender = boundedSender(slow, 2);
    const order: number[] = [];
    const sends = [0, 1, 2, 3].map(async (index) => {
      await sender.send([message]);
      order.push(index);
    });
    await settle();
    expect(slow.ends).toHaveLength(2);

    slow.ends[1]?.();
    await settle();

    expect(slow.ends).toHaveLength(3);
    slow.ends[0]?.();
    await settle();
    for (const end of slow.ends) end();
    await Promise.all(sends);
    expect(order).toEqual([1, 0, 2, 3]);
  });

  it("gives the place of a refused send to the next", async () => {
    const slow = slowSender();
    const sender = boundedSender(slow, 1);
    const refused = sender.send([message]);
    const next = sender.send([message]);

    slow.ends[0]?.(new Error("refused"));

    await expect(refused).rejects.toThrow("refused");
    slow.ends[1]?.();
    await next;
    expect(slow.ends).toHaveLength(2);
  });
});
