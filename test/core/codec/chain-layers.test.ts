import { describe, expect, it } from "vitest";
import { createSerializer, type Decoder } from "../../../src/core/codec/index.ts";
import { read, some, tried } from "./reading.support.ts";
import { fails, stubDecoder } from "./stub-codec.support.ts";

describe("limits and the accept list", () => {
  const json = stubDecoder("json", { accepts: ["application/json"] });

  it("refuse a payload that is too large before any codec sees it", () => {
    const result = read({ codecs: [json], limits: { maxBytes: 2 } }, "application/json");

    expect(result).toMatchObject({ ok: false, error: { code: "LimitExceeded" }, attempts: [] });
  });

  it("refuse a content type that is known but not accepted", () => {
    const xml = stubDecoder("xml", { accepts: ["text/xml"] });

    const result = read({ codecs: [json, xml], accept: ["application/*"], fallback: ["json"] }, "text/xml");

    expect(result).toMatchObject({ ok: false, error: { code: "ContentTypeNotAccepted" }, attempts: [] });
  });

  it("accept nothing inside a wrapping format that is not on the list", () => {
    const wrapper = stubDecoder("wrapper", {
      accepts: ["application/wrapped"],
      decode: () => ({ unwrapped: some, contentType: "text/xml" }),
    });
    const xml = stubDecoder("xml", { accepts: ["text/xml"] });

    const result = read({ codecs: [wrapper, xml], accept: ["application/*"] }, "application/wrapped");

    expect(tried(result)).toEqual(["wrapper unwrapped", "wrapper failed"]);
    expect(result.attempts[1]).toMatchObject({ code: "ContentTypeNotAccepted" });
  });

  it("refuse what is too large inside a wrapping format", () => {
    const wrapper = stubDecoder("wrapper", {
      accepts: ["application/wrapped"],
      decode: () => ({ unwrapped: new Uint8Array(9), contentType: "application/json" }),
    });

    const result = read({ codecs: [wrapper, json], limits: { maxBytes: 8 } }, "application/wrapped");

    expect(result.attempts[1]).toMatchObject({ codec: "wrapper", code: "LimitExceeded" });
  });

  it("refuse a fallback decoder that reads nothing on the accept list", () => {
    const msgpack = stubDecoder("msgpack", { accepts: ["application/msgpack", "application/*+msgpack"] });
    const make = (...accept: readonly string[]) =>
      createSerializer({ codecs: [json, msgpack], fallback: ["msgpack"], accept });

    expect(() => make("application/json", "text/*", "application/*+json")).toThrow(
      expect.objectContaining({ code: "InvalidArgument", message: expect.stringContaining('"msgpack"') }),
    );
    expect(() => make("application/vnd.acme+msgpack")).not.toThrow();
    expect(() => make("application/*")).not.toThrow();
    expect(() => make("*/*")).not.toThrow();
  });

  it("take a fallback decoder of value bodies when those are accepted", () => {
    const amqp = stubDecoder("amqp", { bodyKinds: ["value"] });

    const make = () => createSerializer({ codecs: [json], fallback: [amqp], accept: ["application/x-amqp-value"] });

    expect(make).not.toThrow();
  });

  it("refuse a content encoding that no stage has removed, and ignore a charset in its place", () => {
    const compressed = read({ codecs: [json] }, "application/json", { brokerProperties: { contentEncoding: "gzip" } });
    const charset = read({ codecs: [json] }, "application/json", { brokerProperties: { contentEncoding: "UTF-8" } });

    expect(compressed).toMatchObject({ ok: false, error: { code: "UnknownContentEncoding" } });
    expect(charset).toMatchObject({ ok: true });
  });

  it.each([{ maxBytes: -1 }, { maxDepth: 1.5 }, { maxItems: Number.NaN }])("refuse invalid values: %j", (limits) => {
    expect(() => createSerializer({ codecs: [json], limits })).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }),
    );
  });
});

describe("wrapping formats", () => {
  const inner = stubDecoder("inner", { accepts: ["application/inner"] });

  it("enter the chain again with what was inside", () => {
    const wrapper = stubDecoder("wrapper", {
      accepts: ["application/wrapped"],
      decode: () => ({ unwrapped: some, contentType: "application/inner" }),
    });

    const result = read({ codecs: [wrapper, inner] }, "application/wrapped");

    expect(result).toMatchObject({ ok: true, codec: "inner" });
    expect(tried(result)).toEqual(["wrapper unwrapped", "inner read"]);
  });

  it("say why what was inside has no decoder", () => {
    const wrapper = stubDecoder("wrapper", {
      accepts: ["application/wrapped"],
      decode: () => ({ unwrapped: some, contentType: "application/x-nobody" }),
    });

    const result = read({ codecs: [wrapper] }, "application/wrapped");

    expect(tried(result)).toEqual(["wrapper unwrapped", "wrapper failed"]);
    expect(result.attempts[1]).toMatchObject({
      code: "UnknownContentType",
      message: "No codec is registered for application/x-nobody.",
    });
  });

  it("hold data, whatever the body kind around them was", () => {
    const wrapper = stubDecoder("wrapper", {
      bodyKinds: ["value"],
      decode: () => ({ unwrapped: some, contentType: "application/inner" }),
    });
    const kinds: unknown[] = [];
    const asked: Decoder = { ...inner, decode: (_, { bodyKind }) => ({ body: kinds.push(bodyKind) }) };

    read({ codecs: [wrapper, asked] }, undefined, { bodyKind: "value" });

    expect(kinds).toEqual(["data"]);
  });

  it("end after three layers", () => {
    const matryoshka = stubDecoder("matryoshka", {
      accepts: ["application/doll"],
      decode: (payload) => ({ unwrapped: payload, contentType: "application/doll" }),
    });

    const result = read({ codecs: [matryoshka] }, "application/doll");

    expect(tried(result)).toEqual([
      "matryoshka unwrapped",
      "matryoshka unwrapped",
      "matryoshka unwrapped",
      ...Array.from({ length: 4 }, () => "matryoshka failed"),
    ]);
    expect(result.attempts[3]).toMatchObject({ code: "LimitExceeded" });
  });

  it("are not those of the body when their inside was not read and a later decoder read the outside", () => {
    const wrapper = stubDecoder("wrapper", {
      accepts: ["a/wrapped"],
      decode: () => ({ unwrapped: Uint8Array.of(0), contentType: "a/inner" }),
    });
    const strict = stubDecoder("inner", { accepts: ["a/inner"], decode: fails() });
    const outer = stubDecoder("outer", { decode: (payload) => (payload[0] === 0 ? fails()() : { body: "outside" }) });

    const result = read({ codecs: [wrapper, strict], fallback: [outer] }, "a/wrapped");

    expect(tried(result)).toEqual([
      "wrapper unwrapped",
      "inner failed",
      "outer failed",
      "wrapper failed",
      "outer read",
    ]);
    expect(result).toMatchObject({ ok: true, layers: [] });
  });

  it("are of the body when a decoder opened the outside and failed inside, where another read it", () => {
    const deflate = stubDecoder("deflate", {
      accepts: ["a/deflate"],
      decode: (payload) => (payload === some ? { unwrapped: Uint8Array.of(0) } : fails()()),
    });

    const result = read({ codecs: [deflate], fallback: [deflate, stubDecoder("plain")] }, "a/deflate");

    expect(tried(result)).toEqual(["deflate unwrapped", "deflate failed", "plain read"]);
    expect(result).toMatchObject({ ok: true, layers: ["deflate"] });
  });

  it("are read as nothing when nothing is inside", () => {
    const gzip = stubDecoder("gzip", {
      accepts: ["a/gzip"],
      decode: (payload) => (payload === some ? { unwrapped: new Uint8Array(0) } : fails()()),
    });

    const result = read({ codecs: [gzip] }, "a/gzip");

    expect(result).toMatchObject({ ok: true, body: undefined, layers: ["gzip"] });
  });

  it("are not opened again by the content type that the message declares for the wrapping", () => {
    const wrapper = stubDecoder("wrapper", {
      accepts: ["a/wrapped"],
      decode: (payload) => (payload === some ? { unwrapped: Uint8Array.of(0) } : fails()()),
    });
    const plain = stubDecoder("plain");

    const result = read({ codecs: [wrapper], fallback: [plain] }, "a/wrapped");

    expect(tried(result)).toEqual(["wrapper unwrapped", "plain read"]);
    expect(result).toMatchObject({ ok: true, layers: ["wrapper"] });
  });
});
