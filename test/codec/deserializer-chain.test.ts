import { describe, expect, it, vi } from "vitest";
import { createSerializer, type DeserializeResult, type SerializerOptions } from "../../src/codec/index.ts";
import { createEnvelope, type EnvelopeInit } from "../../src/envelope/index.ts";
import { fails, stubDecoder } from "./stub-codec.ts";

const some = new Uint8Array([1, 2, 3]);

function read(
  options: SerializerOptions,
  contentType: string | undefined,
  init: Partial<EnvelopeInit> = {},
): DeserializeResult {
  return createSerializer(options).deserialize(
    createEnvelope({ payload: some, ...init, brokerProperties: { contentType, ...init.brokerProperties } }),
  );
}

function tried(result: DeserializeResult): readonly string[] {
  return result.attempts.map(({ codec, outcome }) => `${codec} ${outcome}`);
}

describe("selection", () => {
  const exact = stubDecoder("exact", { accepts: ["application/ld+json"] });
  const suffix = stubDecoder("suffix", { accepts: ["application/*+json"] });
  const any = stubDecoder("any", { accepts: ["*/*"] });

  it("prefers the exact media type to a range, whatever the order of registration", () => {
    const result = read({ codecs: [any, suffix, exact] }, "Application/LD+JSON; charset=utf-8");

    expect(result).toMatchObject({ ok: true, codec: "exact" });
  });

  it("takes the most specific range when no codec has the exact type", () => {
    const result = read({ codecs: [any, suffix, exact] }, "application/problem+json");

    expect(result).toMatchObject({ ok: true, codec: "suffix" });
  });

  it("tries several codecs on one media type in their order", () => {
    const first = stubDecoder("first", { accepts: ["application/json"], decode: fails() });
    const second = stubDecoder("second", { accepts: ["application/json"] });

    const result = read({ codecs: [first, second] }, "application/json");

    expect(result).toMatchObject({ ok: true, codec: "second" });
    expect(tried(result)).toEqual(["first failed", "second read"]);
  });

  it("gives value and sequence bodies to the codecs of that body kind, whatever the content type says", () => {
    const json = stubDecoder("json", { accepts: ["application/json"] });
    const amqp = stubDecoder("amqp", { bodyKinds: ["data", "value", "sequence"] });

    const value = read({ codecs: [json, amqp] }, "application/json", { bodyKind: "value" });
    const sequence = read({ codecs: [json, amqp] }, undefined, { bodyKind: "sequence" });

    expect(value).toMatchObject({ ok: true, codec: "amqp" });
    expect(sequence).toMatchObject({ ok: true, codec: "amqp" });
  });

  it("treats constructor and __proto__ as ordinary unknown types", () => {
    for (const contentType of ["constructor/prototype", "__proto__/x", "toString/valueOf"]) {
      const result = read({ codecs: [exact] }, contentType);

      expect(result).toMatchObject({ ok: false, error: { code: "UnknownContentType" } });
    }
  });

  it("refuses two codecs of one name", () => {
    expect(() => createSerializer({ codecs: [exact, exact] })).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }),
    );
  });
});

describe("a content type that is missing, broken or unknown", () => {
  const json = stubDecoder("json", { accepts: ["application/json"] });
  const cases = [
    [undefined, "UnknownContentType"],
    ["", "UnknownContentType"],
    ["application/x-nobody", "UnknownContentType"],
    ["application/json, text/plain", "InvalidContentType"],
    ["no slash", "InvalidContentType"],
    ["x/y;".padEnd(5000, "z"), "InvalidContentType"],
  ] as const;

  it.each(cases)("is unreadable by default: %j", (contentType, code) => {
    const result = read({ codecs: [json], fallback: ["json"] }, contentType);

    expect(result).toMatchObject({ ok: false, error: { code }, attempts: [] });
  });

  it.each(cases)("goes to the fallback when asked: %j", (contentType) => {
    const result = read({ codecs: [json], fallback: ["json"], whenUnknown: "fallback" }, contentType);

    expect(result).toMatchObject({ ok: true, codec: "json" });
  });

  it.each(cases)("is handed over as its bytes when asked: %j", (contentType) => {
    const result = read({ codecs: [json], whenUnknown: "raw" }, contentType);

    expect(result).toMatchObject({ ok: true, codec: "raw", body: some });
  });
});

describe("the fallback", () => {
  const liar = stubDecoder("json", { accepts: ["application/json"], decode: fails() });

  it("is not used unless it is listed", () => {
    const other = stubDecoder("other", { accepts: ["application/other"], sniff: "strong" });

    const result = read({ codecs: [liar, other] }, "application/json");

    expect(result).toMatchObject({ ok: false, error: { code: "Unreadable" } });
    expect(tried(result)).toEqual(["json failed"]);
  });

  it("is tried in its order after the declared codec has failed, and not twice", () => {
    const first = stubDecoder("first", { decode: fails("TruncatedPayload", 7) });
    const second = stubDecoder("second");

    const result = read({ codecs: [liar], fallback: ["json", first, second] }, "application/json");

    expect(tried(result)).toEqual(["json failed", "first failed", "second read"]);
    expect(result.attempts[1]).toMatchObject({ code: "TruncatedPayload", offset: 7 });
  });

  it("lets a strong sniff come first and a no veto, among what is listed only", () => {
    const weak = stubDecoder("weak", { sniff: "weak", decode: fails() });
    const vetoed = stubDecoder("vetoed", { sniff: "no" });
    const strong = stubDecoder("strong", { sniff: "strong", decode: fails() });

    const result = read({ codecs: [liar], fallback: [weak, vetoed, strong] }, "application/json");

    expect(tried(result)).toEqual(["json failed", "vetoed vetoed", "strong failed", "weak failed"]);
  });

  it("leaves out decoders that do not read the body kind", () => {
    const data = stubDecoder("data");
    const value = stubDecoder("value", { bodyKinds: ["value"], decode: fails() });

    const result = read({ codecs: [value], fallback: [data] }, undefined, { bodyKind: "value" });

    expect(tried(result)).toEqual(["value failed"]);
  });

  it("must be known by name", () => {
    expect(() => createSerializer({ codecs: [liar], fallback: ["nobody"] })).toThrow(/nobody.*json/);
  });
});

describe("an empty payload", () => {
  const empty = { payload: new Uint8Array(0) };

  it("is readable without a content type, or with one that nobody knows", () => {
    const json = stubDecoder("json", { accepts: ["application/json"] });

    expect(read({ codecs: [json] }, undefined, empty)).toMatchObject({ ok: true, codec: "empty", body: undefined });
    expect(read({ codecs: [json] }, "application/x-nobody", empty)).toMatchObject({ ok: true, codec: "empty" });
    expect(read({ codecs: [json], accept: ["application/json"] }, "image/png", empty)).toMatchObject({ ok: true });
  });

  it("is the body undefined under a codec whose format has no empty value", () => {
    const json = stubDecoder("json", { accepts: ["application/json"], decode: fails("TruncatedPayload", 0) });
    const other = stubDecoder("other", { accepts: ["application/json"] });

    const result = read({ codecs: [json, other], fallback: ["other"] }, "application/json", empty);

    expect(result).toMatchObject({ ok: true, codec: "json", body: undefined });
    expect(tried(result)).toEqual(["json read"]);
  });

  it("is the empty value under a codec whose format has one", () => {
    const text = stubDecoder("text", { accepts: ["text/*"], decode: () => ({ body: "" }) });

    expect(read({ codecs: [text] }, "text/plain", empty)).toMatchObject({ ok: true, codec: "text", body: "" });
  });
});

describe("limits and the accept list", () => {
  const json = stubDecoder("json", { accepts: ["application/json"] });

  it("refuse a payload that is too large before any codec sees it", () => {
    const result = read({ codecs: [json], limits: { maxBytes: 2 } }, "application/json");

    expect(result).toMatchObject({ ok: false, error: { code: "LimitExceeded" }, attempts: [] });
  });

  it("refuse a content type that is known but not accepted", () => {
    const xml = stubDecoder("xml", { accepts: ["text/xml"] });

    const result = read({ codecs: [json, xml], accept: ["application/*"], fallback: ["xml"] }, "text/xml");

    expect(result).toMatchObject({ ok: false, error: { code: "ContentTypeNotAccepted" }, attempts: [] });
  });

  it("refuse a content encoding that no stage has removed, and ignore a charset in its place", () => {
    const compressed = read({ codecs: [json] }, "application/json", { brokerProperties: { contentEncoding: "gzip" } });
    const charset = read({ codecs: [json] }, "application/json", { brokerProperties: { contentEncoding: "UTF-8" } });

    expect(compressed).toMatchObject({ ok: false, error: { code: "UnknownContentEncoding" } });
    expect(charset).toMatchObject({ ok: true });
  });

  it.each([{ maxBytes: -1 }, { maxDepth: 1.5 }, { maxItems: Number.NaN }])("refuse to be nonsense: %j", (limits) => {
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

  it("end after three layers", () => {
    const matryoshka = stubDecoder("matryoshka", {
      accepts: ["application/doll"],
      decode: (payload) => ({ unwrapped: payload }),
    });

    const result = read({ codecs: [matryoshka] }, "application/doll");

    expect(tried(result)).toEqual([
      "matryoshka unwrapped",
      "matryoshka unwrapped",
      "matryoshka unwrapped",
      "matryoshka failed",
    ]);
    expect(result.attempts[3]).toMatchObject({ code: "LimitExceeded" });
  });
});

describe("the story", () => {
  it("names every try with code, offset and likeness, and fits a dead letter", () => {
    const java = new Uint8Array([0xac, 0xed, 0x00, 0x05, 0x73]);
    const json = stubDecoder("json", { accepts: ["application/json"], decode: fails("DecodeFailed", 0) });

    const result = read({ codecs: [json] }, "application/json", { payload: java });

    expect(result).toMatchObject({ ok: false, error: { code: "Unreadable" } });
    expect(result.ok ? "" : result.error.message).toBe(
      "Nothing could read the 5 bytes, which look like Java object serialization (application/x-java-serialized-object): json: DecodeFailed at byte 0: This stub never reads.",
    );
  });

  it("turns an error that a codec should not throw into one without payload content", () => {
    const broken = stubDecoder("broken", {
      accepts: ["x/y"],
      decode: () => {
        throw new TypeError("secret content of the payload");
      },
    });

    const result = read({ codecs: [broken] }, "x/y");

    expect(result.attempts).toMatchObject([{ outcome: "failed", code: "DecodeFailed" }]);
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  it("is told to onAttempt as it happens, with the envelope", () => {
    const onAttempt = vi.fn();
    const liar = stubDecoder("liar", { accepts: ["x/y"], decode: fails() });
    const reader = stubDecoder("reader");

    read({ codecs: [liar], fallback: [reader], onAttempt }, "x/y");

    expect(onAttempt.mock.calls.map(([attempt]) => attempt)).toMatchObject([
      { codec: "liar" },
      { codec: "reader", outcome: "read" },
    ]);
  });

  it("warns of content type parameters that were left out", () => {
    const result = read(
      { codecs: [stubDecoder("json", { accepts: ["application/json"] })] },
      "application/json; charset",
    );

    expect(result).toMatchObject({ ok: true, warnings: [expect.stringContaining("character 18")] });
  });
});
