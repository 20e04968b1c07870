import { describe, expect, it } from "vitest";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { createEnvelope, sizeOf } from "../../../src/core/envelope/index.ts";

const size = (init: Partial<Parameters<typeof createEnvelope>[0]>): number =>
  sizeOf(createEnvelope({ bodyKind: "value", payload: new Uint8Array(0), ...init }));

// test/amqp compares sizes with the bytes that are written; these say where they come from.
describe("the size of an envelope", () => {
  it.each([
    ["nothing at all", {}, 0],
    ["an empty data section", { bodyKind: "data", payload: new Uint8Array(0) }, 5],
    ["data with its size in four bytes", { bodyKind: "data", payload: new Uint8Array(256) }, 3 + 5 + 256],
    ["a value", { payload: Uint8Array.of(0x40) }, 3 + 1],
    ["two lists of a sequence", { bodyKind: "sequence", payload: Uint8Array.of(0x45, 0xc0, 1, 0) }, 3 + 1 + 3 + 3],
    ["a header with a time to live", { brokerProperties: { timeToLive: 1 } }, 3 + 3 + 2 + 2],
    ["properties up to the last one set", { brokerProperties: { to: "ñ" } }, 3 + 3 + 2 + 4],
    ["an annotation", { brokerProperties: { partitionKey: "k" } }, 3 + 3 + 2 + 19 + 3],
    ["an application property", { applicationProperties: { a: typed.uint(0) } }, 3 + 3 + 3 + 1],
    [
      "a described property",
      { applicationProperties: { a: typed.described(typed.symbol("s"), 1n) } },
      3 + 3 + 3 + 1 + 3 + 2,
    ],
  ] as const)("counts %s", (_what, init, expected) => {
    expect(size(init)).toBe(expected);
  });

  it("is asked of an origin that knows", () => {
    expect(size({ origin: { sizeOf: () => 42 } })).toBe(42);
    expect(size({ origin: {} })).toBe(0);
  });
});
