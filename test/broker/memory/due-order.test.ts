import { array, assert, constantFrom, nat, oneof, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { DueOrder } from "../../../src/broker/memory/due-order.ts";

interface Item {
  readonly name: number;
  readonly key: number;
  place: number;
}

const make = (): DueOrder<Item> => new DueOrder((item, place) => (item.place = place));

/** Adds `count` items in the order of their keys, from `key` on; gives them. */
function addRun(order: DueOrder<Item>, count: number, key: number): readonly Item[] {
  const items = Array.from({ length: count }, (_, name): Item => ({ name, key: key + name, place: -1 }));
  for (const item of items) order.add(item, item.key);
  return items;
}

/** Removes the first item until there is none; gives all in that order. */
function drain(order: DueOrder<Item>): readonly Item[] {
  const drained: Item[] = [];
  for (let { first } = order; first !== undefined; { first } = order) {
    expect([order.firstKey, order.keyAt(first.place)]).toEqual([first.key, first.key]);
    drained.push(first);
    order.remove(first.place);
    expect(first.place).toBe(-1);
  }
  return drained;
}

const steps = array(
  oneof(
    record({ kind: constantFrom("add"), key: nat(40) }),
    record({ kind: constantFrom("add"), key: nat(5000) }),
    record({ kind: constantFrom("later"), key: nat(3) }),
    record({ kind: constantFrom("remove"), key: nat(1000) }),
    record({ kind: constantFrom("shift"), key: nat(0) }),
  ),
  { maxLength: 300 },
);

describe("the order of what is due", () => {
  it("is that of the keys, and of insertion among equal ones, whatever is added and removed", () => {
    assert(
      property(steps, (all) => {
        const order = make();
        let expected: Item[] = [];
        let last = 0;
        for (const [name, { kind, key }] of all.entries()) {
          const gone = kind === "shift" ? order.first : kind === "remove" ? expected[key % expected.length] : undefined;
          if (kind === "add" || kind === "later") {
            last = kind === "later" ? last + key : key;
            const item = { name, key: last, place: -1 };
            expected.push(item);
            expected = expected.toSorted((one, other) => one.key - other.key);
            order.add(item, last);
          } else if (gone !== undefined) {
            expected = expected.filter((item) => item !== gone);
            order.remove(gone.place);
          }
          expect([order.size, order.first, order.firstKey]).toEqual([
            expected.length,
            expected[0],
            expected[0]?.key ?? Infinity,
          ]);
        }

        expect(drain(order)).toEqual(expected);
      }),
    );
  });

  it("closes the gaps of a run whose first item stays for long", () => {
    const order = make();
    const [stays] = addRun(order, 1, 0);

    for (let key = 1; key < 10_000; key++) {
      const [goes] = addRun(order, 1, key);
      if (goes !== undefined) order.remove(goes.place);
    }

    expect(stays?.place).toBeGreaterThanOrEqual(-2 - 16);
    expect(drain(order)).toEqual([stays]);
  });

  it("begins a new run where a few items are far ahead, and leaves a long one in its place", () => {
    const order = make();
    const far = addRun(order, 5, 1_000_000);
    const near = addRun(order, 100, 0);
    const between = addRun(order, 1, 50);

    const places = [far, near, between].map((items) => items.map(({ place }) => place < -1));

    expect(places.map((inRing) => new Set(inRing))).toEqual([new Set([false]), new Set([true]), new Set([false])]);
    expect(drain(order).map(({ key }) => key)).toEqual(
      [...near, ...between, ...far].map(({ key }) => key).toSorted((one, other) => one - other),
    );
  });
});
