import { describe, expect, it } from "vitest";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";

describe("the delivery ids of a session", () => {
  it("begin far from those of every other session, on any connection, and count on by one", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const sender = await engine.openSender("q");
    const began: number[] = [];
    for (let connection = 0; connection < 4; connection++) {
      const pair = new BrokerPair(engine);
      for (let session = 0; session < 8; session++) {
        await sender.send([1, 2, 3].map((byte) => createEnvelope({ payload: Uint8Array.of(byte) })));
        const got: IncomingDelivery[] = [];
        pair.receiver(await pair.session(), "q", got, { sndSettleMode: 1 }).grant(3);
        await pair.run();
        const [first = -1, ...others] = got.map(({ id }) => id);
        expect(others).toEqual([first + 1, first + 2]);
        began.push(first);
      }
    }

    const sorted = began.toSorted((a, b) => a - b);
    const gaps = sorted.slice(1).map((id, index) => id - (sorted[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(1e6);
    // Clients that do not wrap around, as rhea, have 2^31 deliveries in a session.
    expect(Math.max(...began)).toBeLessThan(2 ** 31);
  });
});
