import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatContentType, maxContentTypeLength, parseContentType } from "../../../src/core/content-type/index.ts";
import { parameter } from "../../../src/core/content-type/parameter.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { refusal } from "../../refusal.support.ts";
import { anyText } from "../../unicode.support.ts";

describe("parseContentType", () => {
  it.each([
    ["text/plain; charset=us-ascii (Plain text)", "text/plain", { charset: "us-ascii" }],
    ['text/plain; charset="us-ascii"', "text/plain", { charset: "us-ascii" }],
    ["TEXT/Plain ;\tCharset = UTF-8 ", "text/plain", { Charset: "UTF-8" }],
    [
      "application/x-stuff; title*=us-ascii'en-us'This%20is",
      "application/x-stuff",
      { "title*": "us-ascii'en-us'This%20is" },
    ],
    ["application/json", "application/json", {}],
    ["application/json;", "application/json", {}],
    ["application/json;;; charset=utf-8;", "application/json", { charset: "utf-8" }],
    ['a/b; q="say \\"hi\\"; or \\\\ not"', "a/b", { q: 'say "hi"; or \\ not' }],
    ['a/b; empty=""', "a/b", { empty: "" }],
    [
      "application/x-protobuf; messageType=acme.Order; version=2",
      "application/x-protobuf",
      { messageType: "acme.Order", version: "2" },
    ],
    ["a/b;\r\n\tfolded=yes", "a/b", { folded: "yes" }],
  ])("reads %j by RFC 2045 section 5.1", (text, type, parameters) => {
    const parsed = parseContentType(text);

    expect(parsed.type).toBe(type);
    expect(Object.fromEntries(parsed.parameters.map(({ name, value }) => [name, value]))).toEqual(parameters);
    expect(parsed.skipped).toEqual([]);
  });

  it.each([
    ["(first) text/plain (then; a (nested \\) one)) ; (c) charset (c) = (c) utf-8 (c)", "text/plain", "utf-8"],
    ["text/plain(no space)", "text/plain", undefined],
    ['text/plain; charset="utf-8"(quoted)', "text/plain", "utf-8"],
    ["text/plain; charset=utf-8(adjacent)", "text/plain", "utf-8"],
    ['text/plain; charset="(no comment)"', "text/plain", "(no comment)"],
  ])("takes comments out of %j, as RFC 822 section 3.4.3 has them", (text, type, charset) => {
    const parsed = parseContentType(text);

    expect(parsed.type).toBe(type);
    expect(parameter(parsed, "charset")).toBe(charset);
    expect(parsed.skipped).toEqual([]);
  });

  it("keeps names and values as they were written and finds them without case", () => {
    const parsed = parseContentType("a/b; messageType=Acme.Order");

    expect(parsed.parameters).toEqual([{ name: "messageType", value: "Acme.Order" }]);
    expect(parameter(parsed, "MESSAGETYPE")).toBe("Acme.Order");
    expect(parameter(parsed, "version")).toBeUndefined();
  });

  it("keeps the first of several parameters with one name", () => {
    const parsed = parseContentType("text/plain; charset=utf-8; Charset=latin1");

    expect(parsed.parameters).toEqual([{ name: "charset", value: "utf-8" }]);
  });

  it("has no trouble with the names of object members", () => {
    const parsed = parseContentType("constructor/__proto__; constructor=a; __proto__=b; toString=c");

    expect(parsed.type).toBe("constructor/__proto__");
    expect(parameter(parsed, "constructor")).toBe("a");
    expect(parameter(parsed, "__proto__")).toBe("b");
    expect(parameter(parseContentType("a/b"), "constructor")).toBeUndefined();
  });

  it.each([
    ["a/b; x=a/b; y=1", [5]],
    ["a/b; x; y=1", [5]],
    ["a/b; x=; y=1", [5]],
    ["a/b; =v; y=1", [5]],
    ['a/b; x="never closed; y=1', [5]],
    ['a/b; x="closed"then; y=1', [5]],
    ["a/b; x=two words; y=1", [5]],
    ["a/b; x=\u0000; y=1", [5]],
    ["a/b; x=\u0100; y=1", [5]],
  ])("leaves the broken parameter of %j out and says where it is", (text, skipped) => {
    const parsed = parseContentType(text);

    expect(parsed.skipped).toEqual(skipped);
    expect(parameter(parsed, "x")).toBeUndefined();
  });

  it.each([
    ["application/json, text/plain", 16],
    ["application/json,application/json", 16],
    ["application/json , text/plain", 17],
    ["application/json; charset=utf-8, text/plain", 31],
    ["application/json; charset=utf-8, text/plain; charset=utf-8", 31],
    ['application/json; charset="utf-8", text/plain', 33],
  ])("refuses the list %j", (text, offset) => {
    const error = refusal(() => parseContentType(text));

    expect(error).toMatchObject({ code: "InvalidContentType", offset });
    expect(error.message).toContain("list");
  });

  it.each([
    "",
    " ",
    "json",
    "application",
    "application/",
    "/json",
    "a/b/c",
    "a b/c",
    "a / b",
    "text/html(",
    "a/b c",
    "a/\u00e9",
    ";charset=utf-8",
  ])("refuses %j", (text) => {
    expect(refusal(() => parseContentType(text))).toMatchObject({ code: "InvalidContentType" });
  });

  it.each(["*/*", "*/json", "text/*", "application/*+json", "text/*; charset=utf-8"])(
    "refuses the media range %s",
    (text) => {
      expect(() => parseContentType(text)).toThrow(expect.objectContaining({ code: "InvalidContentType", offset: 0 }));
    },
  );

  it("takes an asterisk that is only a part of a name", () => {
    expect(parseContentType("x/a*b").type).toBe("x/a*b");
  });

  it("takes 1,024 characters and refuses one more", () => {
    const longest = `a/${"b".repeat(maxContentTypeLength - 2)}`;

    expect(parseContentType(longest).type).toBe(longest);
    expect(refusal(() => parseContentType(`${longest}b`)).code).toBe("InvalidContentType");
  });

  it("never throws anything but InvalidContentType, whatever the text", () => {
    const pieces = fc.constantFrom(
      "text/plain",
      ";",
      "=",
      '"',
      "\\",
      "(",
      ")",
      ",",
      " ",
      "\t",
      "charset",
      "é",
      "\u0000",
      "Ā",
      "/",
    );
    const texts = fc.oneof(
      anyText(),
      fc.array(pieces).map((parts) => parts.join("")),
    );

    fc.assert(
      fc.property(texts, (text) => {
        try {
          parseContentType(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SobreError);
          expect(error).toMatchObject({ code: "InvalidContentType" });
        }
      }),
    );
  });
});

describe("formatContentType", () => {
  it("writes what parseContentType reads back, quoting anything but tokens", () => {
    const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9a-z]{1,8}$/);
    const typeName = token.filter((text) => text !== "*" && !text.startsWith("*+"));
    const value = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,12}$/);
    const list = fc.uniqueArray(fc.record({ name: token, value }), { selector: ({ name }) => name, maxLength: 5 });

    fc.assert(
      fc.property(typeName, typeName, list, (type, subtype, parameters) => {
        const parsed = parseContentType(formatContentType(`${type}/${subtype}`, parameters));

        expect(parsed).toEqual({ type: `${type}/${subtype}`, parameters, skipped: [] });
      }),
    );
  });

  it.each([
    ["nonsense", []],
    ["application/*", []],
    ["a/b", [{ name: "x y", value: "1" }]],
    ["a/b", [{ name: "x", value: "line\nbreak" }]],
    ["a/b", [{ name: "x", value: "\u0100" }]],
  ])("refuses to write %j with %j", (type, parameters) => {
    expect(refusal(() => formatContentType(type, parameters)).code).toBe("InvalidContentType");
  });
});
