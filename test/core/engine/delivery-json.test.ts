import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Delivery, deliveryFromJson, deliveryToJson } from "../../../src/core/engine/index.ts";
import { capturedFromJson } from "../../../src/core/engine/delivery-json.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { compileJsonSchema } from "../../../src/core/json-schema/ajv.ts";
import { isObject } from "../../../src/core/values/plain-object.ts";
import { envelopes } from "../envelope/arbitraries.support.ts";
import { refusal } from "../../refusal.support.ts";

const schemaOf = (name: string): object => {
  const schema: unknown = JSON.parse(
    readFileSync(new URL(`../../../schemas/${name}.schema.json`, import.meta.url), "utf8"),
  );
  return isObject(schema) ? schema : {};
};
const problemsOf = compileJsonSchema({ ...schemaOf("delivery"), $defs: { envelope: schemaOf("envelope") } });

const text = fc.option(fc.string({ unit: "grapheme", maxLength: 5 }), { nil: undefined });
const time = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
const deliveries: fc.Arbitrary<Delivery> = fc.record({
  envelope: envelopes,
  lockToken: fc.constant(undefined),
  lockedUntilUtc: fc.constant(undefined),
  sequenceNumber: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  enqueuedSequenceNumber: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  enqueuedTimeUtc: time,
  expiresAtUtc: fc.option(time, { nil: undefined }),
  deliveryCount: fc.nat(),
  state: fc.constantFrom("active" as const, "deferred" as const, "scheduled" as const),
  deadLetterSource: text,
  deadLetterReason: text,
  deadLetterErrorDescription: text,
});

const example: Delivery = {
  envelope: createEnvelope({ payload: Uint8Array.of(1) }),
  lockToken: undefined,
  lockedUntilUtc: undefined,
  sequenceNumber: 7n,
  enqueuedSequenceNumber: 7n,
  enqueuedTimeUtc: new Date(0),
  expiresAtUtc: undefined,
  deliveryCount: 2,
  state: "active",
  deadLetterSource: undefined,
  deadLetterReason: undefined,
  deadLetterErrorDescription: undefined,
};

describe("the JSON form of a delivery", () => {
  it("keeps what the broker said, through text, and follows schemas/delivery.schema.json", () => {
    fc.assert(
      fc.property(deliveries, (delivery) => {
        const json: unknown = JSON.parse(JSON.stringify(deliveryToJson(delivery)));

        expect(problemsOf(json)).toEqual([]);
        expect(deliveryFromJson(json)).toEqual(delivery);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["of another version", { version: 2 }, "$.version"],
    ["with a member that nobody knows", { more: 1 }, "$.more"],
    ["without its facts", { delivery: {} }, "$.delivery.sequenceNumber"],
    ["with a lock", { delivery: { lockToken: "a" } }, "$.delivery.lockToken"],
    ["with an envelope that is none", { envelope: { payload: 1 } }, "$.payload"],
  ])("is refused %s", (_what, changes, path) => {
    const json = { ...(isObject(deliveryToJson(example)) ? Object(deliveryToJson(example)) : {}), ...changes };

    expect(refusal(() => deliveryFromJson(json))).toMatchObject({ code: "InvalidArgument", path });
  });

  it("is what captures are read from, and so is the envelope alone of older ones", () => {
    const [line = ""] = readFileSync(
      new URL("../../../fixtures/captures/envelopes-alone.ndjson", import.meta.url),
      "utf8",
    ).split("\n");

    expect(capturedFromJson(JSON.parse(line)).envelope.brokerProperties.messageId).toBe("older");
    expect(capturedFromJson(deliveryToJson(example))).toEqual({ envelope: example.envelope, delivery: example });
  });
});
