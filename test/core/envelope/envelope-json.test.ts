import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEnvelope, envelopeFromJson, envelopeToJson } from "../../../src/core/envelope/index.ts";
import { compileJsonSchema } from "../../../src/core/json-schema/ajv.ts";
import { refusal } from "../../refusal.support.ts";
import { envelopes } from "./arbitraries.support.ts";

const schema: unknown = JSON.parse(
  readFileSync(new URL("../../../schemas/envelope.schema.json", import.meta.url), "utf8"),
);
const problemsOf = compileJsonSchema(schema);

function fromText(text: string): unknown {
  return JSON.parse(text);
}

describe("the JSON form of an envelope", () => {
  it("round-trips every envelope through text and follows schemas/envelope.schema.json", () => {
    fc.assert(
      fc.property(envelopes, (envelope) => {
        const json = fromText(JSON.stringify(envelopeToJson(envelope)));

        expect(problemsOf(json)).toEqual([]);
        expect(envelopeFromJson(json)).toEqual(envelope);
      }),
    );
  });

  it("needs nothing but a payload", () => {
    const envelope = envelopeFromJson({ payload: { $bytes: "e30=" } });

    expect(envelope).toEqual(createEnvelope({ payload: Uint8Array.of(0x7b, 0x7d) }));
  });

  it("never reads the name of a property as a $ key", () => {
    const envelope = createEnvelope({
      payload: new Uint8Array(),
      applicationProperties: { $int64: "mine", $object: 1 },
    });

    const json = envelopeToJson(envelope);

    expect(json).toMatchObject({ applicationProperties: { $int64: "mine", $object: 1 } });
    expect(envelopeFromJson(json)).toEqual(envelope);
  });

  const payload = { $bytes: "" };

  it.each([
    [{}, "$.payload"],
    [{ payload: 5 }, "$.payload"],
    [{ payload: { $bytes: "*" } }, "$.payload"],
    [{ payload, bodyKind: "Data" }, "$.bodyKind"],
    [{ payload, bodyKind: null }, "$.bodyKind"],
    [{ payload, more: 1 }, "$.more"],
    [{ payload, brokerProperties: [] }, "$.brokerProperties"],
    [{ payload, brokerProperties: null }, "$.brokerProperties"],
    [{ payload, brokerProperties: { deliveryCount: 1 } }, "$.brokerProperties.deliveryCount"],
    [{ payload, brokerProperties: { timeToLive: 0 } }, "$.brokerProperties.timeToLive"],
    [{ payload, brokerProperties: { timeToLive: { $double: "5" } } }, "$.brokerProperties.timeToLive"],
    [{ payload, brokerProperties: { messageId: "x".repeat(129) } }, "$.brokerProperties.messageId"],
    [{ payload, brokerProperties: { messageId: { $int: 5 } } }, "$.brokerProperties.messageId"],
    [{ payload, brokerProperties: { scheduledEnqueueTimeUtc: "2020" } }, "$.brokerProperties.scheduledEnqueueTimeUtc"],
    [{ payload, applicationProperties: { list: [1] } }, "$.applicationProperties.list"],
    [{ payload, applicationProperties: { object: {} } }, "$.applicationProperties.object"],
    [{ payload, applicationProperties: { wrong: { $int: "5" } } }, "$.applicationProperties.wrong"],
    [{ payload, applicationProperties: { wrong: { $int64: "x" } } }, "$.applicationProperties.wrong"],
    [{ payload, applicationProperties: { wrong: { $map: [] } } }, "$.applicationProperties.wrong"],
  ])("refuses %j at %s, and so does the schema", (json, path) => {
    expect(refusal(() => envelopeFromJson(json))).toMatchObject({ code: "InvalidArgument", path });
    expect(problemsOf(json)).not.toEqual([]);
  });

  it("reads a payload that is a string as its UTF-8", () => {
    const json = { payload: '{"name":"Lucía"}' };

    expect(envelopeFromJson(json).payload).toEqual(new TextEncoder().encode(json.payload));
    expect(problemsOf(json)).toEqual([]);
    expect(refusal(() => envelopeFromJson({ payload: "\ud800" }))).toMatchObject({ path: "$.payload" });
  });

  it.each([null, undefined, [], "text", 5])("refuses %j in place of an envelope", (json) => {
    expect(refusal(() => envelopeFromJson(json))).toMatchObject({ code: "InvalidArgument", path: "$" });
  });
});
