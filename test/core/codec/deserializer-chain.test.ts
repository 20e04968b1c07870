import { describe, expect, it, vi } from "vitest";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { read, some, tried } from "./reading.support.ts";
import { fails, stubDecoder } from "./stub-codec.support.ts";

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

  it("keeps its order, whatever a sniff says, but skips a decoder whose sniff says no", () => {
    const weak = stubDecoder("weak", { sniff: "weak", decode: fails() });
    const vetoed = stubDecoder("vetoed", { sniff: "no" });
    const strong = stubDecoder("strong", { sniff: "strong", decode: fails() });

    const result = read({ codecs: [liar], fallback: [weak, vetoed, strong] }, "application/json");

    expect(tried(result)).toEqual(["json failed", "weak failed", "vetoed vetoed", "strong failed"]);
  });

  it("asks no decoder for its sniff once another has read the payload", () => {
    const reader = stubDecoder("reader");
    const later = vi.fn(() => "no" as const);

    const result = read(
      { codecs: [liar], fallback: [reader, { ...stubDecoder("later"), sniff: later }] },
      "application/json",
    );

    expect(tried(result)).toEqual(["json failed", "reader read"]);
    expect(later).not.toHaveBeenCalled();
  });

  it("leaves out decoders that do not read the body kind", () => {
    const data = stubDecoder("data");
    const value = stubDecoder("value", { bodyKinds: ["value"], decode: fails() });

    const result = read({ codecs: [value], fallback: [data] }, undefined, { bodyKind: "value" });

    expect(tried(result)).toEqual(["value failed"]);
  });

  it("leaves out a decoder of a name that the content type has chosen before", () => {
    const twin = stubDecoder("json", { accepts: ["application/json"], decode: fails() });

    const result = read({ codecs: [liar], fallback: [twin] }, "application/json");

    expect(tried(result)).toEqual(["json failed"]);
  });

  it("has no two decoders of one name", () => {
    const twin = stubDecoder("json");

    expect(() => createSerializer({ codecs: [liar], fallback: ["json", twin] })).toThrow(
      expect.objectContaining({ code: "InvalidArgument", message: expect.stringContaining('"json"') }),
    );
  });

  it("gives a veto a message and no code, since nothing was decoded", () => {
    const vetoed = stubDecoder("vetoed", { sniff: "no" });

    const result = read({ codecs: [liar], fallback: [vetoed] }, "application/json");

    expect(result.attempts[1]).toMatchObject({ outcome: "vetoed", code: undefined });
    expect(result.ok ? "" : result.error.message).toMatch(/\| vetoed: ruled out$/);
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
