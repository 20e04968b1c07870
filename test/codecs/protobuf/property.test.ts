import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostilePayloads } from "../../../src/broker/conformance/codec-mutation.ts";
import { sameValue } from "../../../src/broker/conformance/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { hex } from "../msgpack/calls.support.ts";
import { calls } from "./calls.support.ts";
import { anyText } from "../../unicode.support.ts";
import { withoutStacks } from "../../stackless.support.ts";

withoutStacks();

const fixtures = join(import.meta.dirname, "../../../fixtures/codecs");
const { encode, decode } = calls({ protos: readFileSync(join(fixtures, "every.proto"), "utf8"), type: "golden.Every" });

const signed64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const unsigned64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const unsigned32 = fc.nat({ max: 2 ** 32 - 1 });
const text = anyText({ maxLength: 80 });
const bytes = fc.uint8Array({ maxLength: 40 });
const byKind = {
  Double: fc.double(),
  Float: fc.float(),
  Int32: fc.integer(),
  Uint32: unsigned32,
  Sint32: fc.integer(),
  Fixed32: unsigned32,
  Sfixed32: fc.integer(),
  Int64: signed64,
  Uint64: unsigned64,
  Sint64: signed64,
  Fixed64: unsigned64,
  Sfixed64: signed64,
  Bool: fc.boolean(),
  String: text,
  Bytes: bytes,
};
const kinds = Object.entries<fc.Arbitrary<unknown>>(byKind);
const status = fc.oneof(fc.constantFrom("UNKNOWN", "PLACED", "LOST"), fc.integer({ min: 2 }));
const flat = {
  ...Object.fromEntries(kinds.map(([kind, value]) => [`a${kind}`, value])),
  ...Object.fromEntries(kinds.map(([kind, value]) => [`many${kind}`, fc.array(value, { maxLength: 4 })])),
  status,
  statuses: fc.array(status, { maxLength: 4 }),
  textByText: fc.dictionary(text, text, { maxKeys: 4 }),
  longByLong: fc.dictionary(signed64.map(String), signed64, { maxKeys: 4 }),
  bytesByBool: fc.dictionary(fc.constantFrom("true", "false"), bytes),
};
const { every } = fc.letrec((tie) => ({
  every: fc
    .tuple(
      fc.record({
        ...flat,
        everyByNumber: fc.dictionary(unsigned32.map(String), tie("every"), { maxKeys: 1 }),
      }),
      fc.record({ inner: tie("every"), maybe: fc.integer() }, { requiredKeys: [] }),
      fc.oneof(fc.constant({}), fc.record({ byMail: text }), fc.record({ byPhone: signed64 })),
    )
    .map((parts) => Object.assign({}, ...parts)),
}));

describe("Protobuf for any message", () => {
  it("brings every body back that it writes", () => {
    fc.assert(
      fc.property(every, (body) => {
        expect(sameValue(decode(encode(body)).body, body)).toBe(true);
      }),
      // Shrinking a nested message has no end that anyone waits for.
      { numRuns: 150, seed: 6, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: true },
    );
  });

  it("reads or refuses mutated payloads with errors of ours alone, and reads a thousand of them", () => {
    const golden: { payloads: readonly { hex: string }[] } = JSON.parse(
      readFileSync(join(fixtures, "protobuf.json"), "utf8"),
    );
    let read = 0;

    for (const payload of hostilePayloads(
      golden.payloads.map((each) => hex(each.hex)),
      12_000,
      7,
    )) {
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
