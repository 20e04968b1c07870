import { describe, expect, it } from "vitest";
import { amqp } from "../../../codecs/amqp/index.ts";
import { json as jsonCodec } from "../../../codecs/json/index.ts";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { fails, stubCodec, stubDecoder } from "./stub-codec.support.ts";

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

  it("takes an empty content type for none, as reading does", () => {
    const written = createSerializer({ codecs: [json, text] }).serialize({ body: 1, contentType: "" });

    expect(written.brokerProperties.contentType).toBe("application/json");
  });

  it("takes the properties of a message that are its own, as those of an instance are", () => {
    class Placed {
      readonly body = 1;
      readonly subject = "placed";
      get to(): string {
        return "nobody";
      }
    }
    const inherited: { readonly body: number; readonly replyTo?: string } = Object.create({ replyTo: "b", other: 1 });

    const serializer = createSerializer({ codecs: [json] });

    expect(serializer.serialize(new Placed()).brokerProperties).toEqual({
      contentType: "application/json",
      subject: "placed",
    });
    expect(serializer.serialize(inherited).brokerProperties).toEqual({ contentType: "application/json" });
  });

  it("refuses members of a message that are unknown, naming them", () => {
    const serializer = createSerializer({ codecs: [json] });
    const message = Object.assign({ body: 1 }, { label: "placed" });

    expect(() => serializer.serialize(message)).toThrow(
      expect.objectContaining({ code: "InvalidArgument", path: "$.brokerProperties.label" }),
    );
  });

  it.each(["*/*", "application/*", "application/*+json"])("refuses to write the media range %s", (contentType) => {
    const any = stubCodec("any", "application/json", { accepts: ["*/*"] });

    expect(() => createSerializer({ codecs: [any] }).serialize({ body: 1, contentType })).toThrow(
      expect.objectContaining({ code: "InvalidContentType" }),
    );
  });

  it("writes value and sequence bodies with the first codec of that kind, and keeps the content type", () => {
    const serializer = createSerializer({ codecs: [json, amqp()] });
    const body = [1, "two"];

    for (const bodyKind of ["value", "sequence"] as const) {
      const written = serializer.serialize({ body, bodyKind, contentType: "application/json" });

      expect(written).toMatchObject({ bodyKind, brokerProperties: { contentType: "application/json" } });
      expect(serializer.deserialize(written)).toMatchObject({ ok: true, codec: "amqp", body });
    }
  });

  it("writes data with the AMQP codec when asked to, and an array only as a sequence", () => {
    const serializer = createSerializer({ codecs: [amqp()] });

    const data = serializer.serialize({ body: "x", bodyKind: "data" });

    expect(data).toMatchObject({ bodyKind: "data", brokerProperties: { contentType: "application/x-amqp-value" } });
    expect(() => serializer.serialize({ body: "x", bodyKind: "sequence" })).toThrow(
      expect.objectContaining({ code: "UnsupportedValue", path: "$" }),
    );
  });

  it("refuses a body kind that no codec writes, and a codec that writes another one", () => {
    const stubborn = stubCodec("stubborn", "application/x-amqp-value", { bodyKinds: ["value"] });

    expect(() => createSerializer({ codecs: [json] }).serialize({ body: 1, bodyKind: "value" })).toThrow(
      expect.objectContaining({ code: "UnknownContentType", message: expect.stringContaining("kind value") }),
    );
    expect(() => createSerializer({ codecs: [stubborn] }).serialize({ body: 1, bodyKind: "value" })).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }),
    );
  });

  it("turns what a getter or toJSON of the body throws into an UnsupportedValue", () => {
    const thrown = new TypeError("no name");
    const broken = {
      get name(): string {
        throw thrown;
      },
    };

    for (const codec of [jsonCodec(), msgpack()]) {
      expect(() => createSerializer({ codecs: [codec] }).serialize({ body: broken })).toThrow(
        expect.objectContaining({ code: "UnsupportedValue", path: "$", cause: thrown }),
      );
    }
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
