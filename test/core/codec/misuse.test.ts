import { describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { createSerializer, type Serializer, type SerializerOptions } from "../../../src/core/codec/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { refusal } from "../../refusal.support.ts";
import { stubDecoder } from "./stub-codec.support.ts";

/** A value that only JavaScript callers can pass. */
function serializerOf(options: object): Serializer {
  const given: SerializerOptions = Object.assign({ codecs: [json()] }, options);
  return createSerializer(given);
}

function envelopeOf(members: object): Envelope {
  return Object.assign({ ...createEnvelope({ payload: Uint8Array.of(0x31) }) }, members);
}

describe("createSerializer", () => {
  it.each<[string, object]>([
    ["codecs", { codecs: undefined }],
    ["codecs", { codecs: [] }],
    ["codecs", { codecs: json() }],
    ["codecs", { codecs: [json] }],
    ["codecs", { codecs: ["json"] }],
    ["codecs", { codecs: [null] }],
    ["codecs", { codecs: [{ ...json(), name: undefined }] }],
    ["fallback", { fallback: "json" }],
    ["fallback", { fallback: [msgpack] }],
    ["fallback", { fallback: null }],
    ["accept", { accept: "application/json" }],
    ["accept", { accept: [/json/] }],
    ["limits", { limits: 100 }],
    ["limits.maxPayloadBytes", { limits: { maxPayloadBytes: 10 } }],
    ["limits.maxBytes", { limits: { maxBytes: "10" } }],
    ["whenUnknown", { whenUnknown: "deadletter" }],
    ["onAttempt", { onAttempt: "log" }],
    ["fallbacks", { fallbacks: ["json"] }],
  ])("names the option that is wrong: %s in %j", (option, options) => {
    const error = refusal(() => serializerOf(options));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
    expect(error.message).toContain(option);
  });
});

describe("a serializer", () => {
  it.each([undefined, null, "text", 5])("refuses to write %j in place of a message", (given) => {
    // @ts-expect-error -- what JavaScript callers may do
    const act = () => serializerOf({}).serialize(given);

    expect(refusal(act)).toMatchObject({ code: "InvalidArgument", path: "$" });
  });

  it.each([
    [{ bodyKind: "xml" }, "InvalidArgument"],
    [{ contentType: 5 }, "InvalidContentType"],
    [{ contentType: null }, "InvalidContentType"],
  ])("refuses to write %j", (members, code) => {
    const message: { body: unknown } = Object.assign({ body: 1 }, members);

    expect(refusal(() => serializerOf({}).serialize(message)).code).toBe(code);
  });

  it.each([
    undefined,
    null,
    {},
    { body: "of another client", contentType: "application/json" },
    envelopeOf({ payload: "text" }),
    envelopeOf({ bodyKind: undefined }),
    envelopeOf({ brokerProperties: null }),
  ])("says how to make an envelope of something else: %j", (given) => {
    // @ts-expect-error -- what JavaScript callers may do
    const act = () => serializerOf({}).deserialize(given);

    const error = refusal(act);

    expect(error.code).toBe("InvalidArgument");
    expect(error.message).toContain("sobre/interop");
  });

  it("reads a list of envelopes only", () => {
    // @ts-expect-error -- what JavaScript callers may do
    expect(refusal(() => serializerOf({}).deserializeMany(undefined)).path).toBe("$.envelopes");
  });

  it("treats a content type that is not a text as invalid, also inside a wrapping format", () => {
    const inside: { unwrapped: Uint8Array } = Object.assign({ unwrapped: Uint8Array.of(0x31) }, { contentType: 5 });
    const wrapper = stubDecoder("wrapper", { accepts: ["x/wrapped"], decode: () => inside });
    const serializer = serializerOf({ codecs: [wrapper] });

    const outer = serializer.deserialize(envelopeOf({ brokerProperties: { contentType: 5 } }));
    const inner = serializer.deserialize(envelopeOf({ brokerProperties: { contentType: "x/wrapped" } }));

    expect(outer).toMatchObject({ ok: false, error: { code: "InvalidContentType" } });
    // A place in the content type is not one in the payload.
    expect(inner.attempts.at(-1)).toMatchObject({ code: "InvalidContentType", offset: undefined });
  });
});
