import * as fc from "fast-check";
import { pack, Unpackr } from "msgpackr";
import { describe, expect, it } from "vitest";
import { MsgpackExtension } from "../../../src/core/values/msgpack-extension.ts";
import { unpackOrdinary } from "../../../codecs/msgpack/msgpackr.ts";
import { readMsgpack } from "../../../codecs/msgpack/reader.ts";
import { defaultDecodeLimits } from "../../../src/core/codec/index.ts";
import { sameValue } from "../../../src/broker/conformance/index.ts";
import { hostilePayloads } from "../../../src/broker/conformance/codec-mutation.ts";
import { Instant } from "../../../src/core/values/instant.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { decode, encode } from "./calls.support.ts";
import { anyText } from "../../unicode.support.ts";
import { withoutStacks } from "../../stackless.support.ts";

withoutStacks();

const msgpackr = new Unpackr({ useRecords: false, int64AsType: "number" });

const text = anyText({ maxLength: 60 });
const name = fc.string({ maxLength: 12 }).filter((key) => key !== "__proto__");
const scalar = fc.oneof(
  fc.constantFrom(null, true, false),
  text,
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
  fc.uint8Array({ maxLength: 40 }),
  fc.date({ noInvalidDate: true }),
  fc.bigInt({ min: -(10n ** 21n), max: 10n ** 21n }).map((nanoseconds) => new Instant(nanoseconds * 1_000_000n + 1n)),
  fc
    .tuple(fc.integer({ min: 0, max: 127 }), fc.uint8Array({ maxLength: 20 }))
    .map(([type, data]) => new MsgpackExtension(type, data)),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5, withCrossShrink: true }, scalar, tie("list"), tie("object"), tie("map")),
  list: fc.array(tie("value"), { maxLength: 20 }),
  object: fc.dictionary(name, tie("value"), { maxKeys: 20 }),
  map: fc
    .array(fc.tuple(fc.integer({ min: 1 }), tie("value")), { minLength: 1, maxLength: 5 })
    .map((entries) => new Map(entries)),
}));

const order = {
  id: "ord-2026-000184",
  customer: { name: "Zoë", vip: true },
  lines: [{ sku: "TEA-0042", price: 12.5, quantity: 3n ** 38n, at: new Date(1_715_938_282_418) }],
  blob: Uint8Array.of(1, 2, 3),
  note: "Leave it with the neighbours, who are at home until six. ".repeat(4),
};

describe("MessagePack for any value", () => {
  it("brings every value back that it writes", () => {
    fc.assert(
      fc.property(value, (body) => {
        expect(sameValue(decode(encode(body)), body)).toBe(true);
      }),
      { numRuns: 1000, seed: 2 },
    );
  });

  it("writes what msgpackr reads as the same, where msgpackr is faithful", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (body) => {
        const json = JSON.stringify(body);

        fc.pre(!json.includes("__proto__"));

        expect(sameValue(msgpackr.unpack(encode(body)), body)).toBe(true);
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it("reads through msgpackr what its own reader reads, and the same", () => {
    let through = 0;
    const valid = [
      { text: order.note },
      { a: [1, -1, 1.5, null, true, "text"] },
      [{ b: { c: "d" } }, 70_000, -70_000],
    ].map((body) => pack(body));

    for (const payload of hostilePayloads(valid, 15_000, 4)) {
      const ordinary = payload.length === 0 ? undefined : unpackOrdinary(payload, defaultDecodeLimits);
      if (ordinary === undefined) continue;
      through++;
      const own = readMsgpack(payload, { limits: defaultDecodeLimits, protoKey: "refuse" });
      if (!sameValue(ordinary, own)) expect(ordinary).toEqual(own);
    }

    expect(through).toBeGreaterThan(300);
  });

  it("reads or refuses mutated payloads with errors of ours alone, and reads a thousand of them", () => {
    let read = 0;
    const valid = [order, [1, [2, [3]]], new Map([[1, "x"]]), "short"].map((body) => encode(body));

    for (const payload of hostilePayloads(valid, 30_000, 5)) {
      try {
        decode(payload);
        read++;
      } catch (error) {
        if (!(error instanceof SobreError)) throw error;
      }
    }

    expect(read).toBeGreaterThan(1000);
  });
});
