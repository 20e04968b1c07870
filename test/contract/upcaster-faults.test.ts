import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";

interface Order {
  readonly total: number;
  readonly note?: string | null;
  readonly state: string;
  readonly lines?: readonly { readonly sku: string; readonly qty: number }[];
}

const older = {
  type: "object",
  properties: {
    total: { type: "number", minimum: 0 },
    note: { type: ["string", "null"] },
    state: { enum: ["new", "paid", "sent"] },
    lines: {
      type: "array",
      items: {
        type: "object",
        properties: { sku: { type: "string" }, qty: { type: "integer", minimum: 0 } },
        required: ["sku", "qty"],
      },
    },
  },
  required: ["total", "state"],
};
const newer = {
  type: "object",
  properties: {
    cents: { type: "integer", minimum: 0, maximum: 1e24 },
    note: { type: "string", maxLength: 400 },
    state: { enum: ["open", "paid", "shipped"] },
    lines: {
      type: "array",
      items: {
        type: "object",
        properties: { code: { type: "string" }, count: { type: "integer" } },
        required: ["code", "count"],
      },
    },
  },
  required: ["cents", "state", "lines"],
};

const states: Readonly<Record<string, string>> = { new: "open", paid: "paid", sent: "shipped" };
const right = ({ total, note, state, lines = [] }: Order) => ({
  cents: Math.round(total * 100),
  ...(typeof note === "string" ? { note } : {}),
  state: states[state],
  lines: lines.map(({ sku, qty }) => ({ code: sku, count: qty })),
});

const run = (upcast: (order: Order) => unknown) =>
  checkCompatibility({
    format: "json-schema",
    older,
    newer,
    contentModel: "upcast",
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the comparison hands over what the older schema describes
    upcast: (value) => upcast(value as Order),
  });

describe("the search for faults of an upcaster", () => {
  it("calls the right one tested", async () => {
    const { verdict, findings } = await run(right);

    expect([verdict, findings]).toEqual(["tested", []]);
  });

  const faults: readonly (readonly [string, (order: Order) => unknown])[] = [
    ["cents that are not rounded", (order) => ({ ...right(order), cents: order.total * 100 })],
    ["cents that are rounded to a tenth", (order) => ({ ...right(order), cents: Math.round(order.total * 1000) / 10 })],
    ["cents that a 32-bit operator cuts", (order) => ({ ...right(order), cents: (order.total * 100) | 0 })],
    ["cents as text", (order) => ({ ...right(order), cents: order.total.toFixed(0) })],
    [
      "a total that is lost when it is zero",
      (order) => ({ ...right(order), cents: order.total === 0 ? undefined : right(order).cents }),
    ],
    ["a note that may be null", (order) => ({ ...right(order), note: order.note })],
    [
      "a note that is read where there is none",
      (order) => ({ ...right(order), note: order.note?.trim().concat("") ?? null }),
    ],
    ["a note that grows beyond its length", (order) => ({ ...right(order), note: (order.note ?? "").repeat(2) })],
    [
      "a state that has no translation",
      (order) => ({ ...right(order), state: order.state === "new" ? "open" : order.state }),
    ],
    ["a state that is forgotten", (order) => ({ ...right(order), state: { new: "open", paid: "paid" }[order.state] })],
    ["lines that are missing", ({ lines, ...order }) => ({ ...right(order), lines })],
    [
      "lines of which the first is taken for granted",
      (order) => ({ ...right(order), lines: [{ code: order.lines?.[0]?.sku, count: 1 }] }),
    ],
    ["lines with a member under its old name", (order) => ({ ...right(order), lines: order.lines ?? [] })],
    [
      "an exception for empty text",
      (order) => (order.lines?.some(({ sku }) => sku === "") === true ? fail() : right(order)),
    ],
    ["nothing at all", () => undefined],
  ];

  it.each(faults)("finds %s", async (_, upcast) => {
    const { verdict, findings } = await run(upcast);

    expect(verdict).toBe("breaking");
    expect(findings[0]?.witness).toBeDefined();
  });
});

function fail(): never {
  throw new TypeError("no text");
}
