import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Connection } from "../../../../src/wire/amqp/connection/index.ts";
import type { OutgoingDelivery } from "../../../../src/wire/amqp/connection/outgoing.ts";
import { UnsettledDeliveries } from "../../../../src/wire/amqp/connection/unsettled-deliveries.ts";

const ignore = (): void => undefined;
const connection = new Connection({
  role: "client",
  containerId: "test",
  now: () => 0,
  events: { opened: ignore, attach: ignore, closed: ignore, output: ignore },
});
const link = connection.openSession().links.newSender("s");

describe("unsettled deliveries", () => {
  it("are what a map of them would be, in whatever order they are settled", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("send" as const), count: fc.integer({ min: 1, max: 80 }) }),
      fc.record({ kind: fc.constant("settle" as const), from: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({ kind: fc.constant("settleAllBut" as const), every: fc.integer({ min: 2, max: 9 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(0, 0xffff_ff80), (steps, first) => {
        const ring = new UnsettledDeliveries<OutgoingDelivery>();
        const model = new Map<number, OutgoingDelivery>();
        let next = first;
        for (const one of steps) {
          if (one.kind === "send") {
            for (let sent = 0; sent < one.count; sent++) {
              // Some are settled when they are sent, and leave a gap.
              if (next % 7 !== 0) {
                const delivery = { id: next, link, context: next, isSettling: false };
                ring.add(delivery);
                model.set(next, delivery);
              }
              next = (next + 1) >>> 0;
            }
          } else {
            const ids = [...model.keys()];
            const chosen =
              one.kind === "settle"
                ? [ids[Math.floor(one.from * ids.length)] ?? -1]
                : ids.filter((id) => id % one.every);
            for (const id of chosen) {
              ring.delete(id);
              model.delete(id);
            }
          }
          expect(ring.size).toBe(model.size);
        }
        expect([...ring].map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
          [...model.keys()].toSorted((a, b) => a - b),
        );
        for (const [id, delivery] of model) expect(ring.get(id)).toBe(delivery);
        expect(ring.get((next + 1) >>> 0)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("are visited by ranges of ids, however large a range claims to be", () => {
    const unsettled = new UnsettledDeliveries<{ readonly id: number }>();
    for (const id of [3, 4, 7, 8]) unsettled.add({ id });
    const seen = (first: number, last: number): readonly number[] => {
      const ids: number[] = [];
      unsettled.visit(first, last, ({ id }) => ids.push(id));
      return ids;
    };

    expect(seen(4, 7)).toEqual([4, 7]);
    expect(seen(0, 0xffff_fff0)).toEqual([3, 4, 7, 8]);
    expect(seen(5, 6)).toEqual([]);
  });

  it("are kept also when a peer does not number them upward", () => {
    const unsettled = new UnsettledDeliveries<{ readonly id: number }>();
    for (const id of [100, 101, 37]) unsettled.add({ id });

    expect([37, 100, 101].map((id) => unsettled.get(id)?.id)).toEqual([37, 100, 101]);
    unsettled.delete(37);
    expect([...unsettled].map(({ id }) => id)).toEqual([100, 101]);
  });
});
