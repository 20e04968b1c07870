import { describe, expect, it } from "vitest";
import { createSerializer } from "../../src/codec/index.ts";
import { createEnvelope, type Envelope } from "../../src/envelope/index.ts";
import { fails, stubCodec, stubDecoder } from "./stub-codec.ts";

const envelope = (byte: number): Envelope =>
  createEnvelope({ payload: new Uint8Array([byte]), brokerProperties: { contentType: "x/y" } });

describe("a serializer", () => {
  const json = stubCodec("json", "application/json");
  const text = stubCodec("text", "text/plain");

  it("writes with the first codec and its content type when the message names none", () => {
    const written = createSerializer({ codecs: [json, text] }).serialize({ body: 1, subject: "s" });

    expect(written).toMatchObject({
      brokerProperties: { contentType: "application/json", subject: "s" },
      bodyKind: "data",
    });
  });

  it("writes with the codec of the content type and keeps the type as it was given", () => {
    const written = createSerializer({ codecs: [json, text] }).serialize({
      body: 1,
      contentType: "Text/Plain; charset=utf-8",
    });

    expect(written.brokerProperties.contentType).toBe("Text/Plain; charset=utf-8");
  });

  it("refuses to write a content type that no codec writes", () => {
    const serializer = createSerializer({ codecs: [json] });

    expect(() => serializer.serialize({ body: 1, contentType: "image/png" })).toThrow(
      expect.objectContaining({ code: "UnknownContentType" }),
    );
    expect(() => serializer.serialize({ body: 1, contentType: "a, b" })).toThrow(
      expect.objectContaining({ code: "InvalidContentType" }),
    );
  });

  it("reads many, and one bad message does not spoil the rest", () => {
    const picky = stubDecoder("picky", {
      accepts: ["x/y"],
      decode: (payload) => (payload[0] === 0 ? fails()() : { body: payload[0] }),
    });

    const results = createSerializer({ codecs: [picky] }).deserializeMany([envelope(1), envelope(0), envelope(2)]);

    expect(results.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  it("needs a codec and a known whenUnknown", () => {
    expect(() => createSerializer({ codecs: [] })).toThrow(/codecs/);
    // @ts-expect-error -- what JavaScript callers may do
    expect(() => createSerializer({ codecs: [json], whenUnknown: "ignore" })).toThrow(/whenUnknown/);
  });
});
