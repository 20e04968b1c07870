import { describe, expect, it } from "vitest";
import { matchesRange, parseContentType, parseMediaRange, specificityOf } from "../../src/content-type/index.ts";
import { refusal } from "../refusal.ts";

const matches = (range: string, type: string): boolean => matchesRange(parseMediaRange(range), parseContentType(type));

describe("a media range", () => {
  it.each([
    ["application/json", "Application/JSON; charset=utf-8"],
    ["Application/*", "application/json"],
    ["*/*", "constructor/__proto__"],
    ["application/*+json", "application/vnd.acme.order+json"],
    ["application/*+json", "application/a+b+json"],
    ["application/*+JSON", "application/Problem+Json"],
    ["application/x-protobuf;version=2", "application/x-protobuf; messageType=a.B; Version=2"],
    ["text/plain;charset=UTF-8", "text/plain; charset=utf-8"],
    ["__proto__/constructor", "__proto__/constructor"],
  ])("%s contains %s", (range, type) => {
    expect(matches(range, type)).toBe(true);
  });

  it.each([
    ["application/json", "application/json-seq"],
    ["application/*+json", "application/geo+json-seq"],
    ["application/*+json", "application/json-seq"],
    ["application/*+json", "application/json"],
    ["application/*+json", "application/+json"],
    ["application/*+json", "application/jsonx+json2"],
    ["application/*+json", "text/a+json"],
    ["application/*+xml", "application/soap+xml+zip"],
    ["text/*", "application/json"],
    ["text/*", "textual/plain"],
    ["application/x-protobuf;version=2", "application/x-protobuf"],
    ["application/x-protobuf;messageType=acme.Order", "application/x-protobuf;messageType=acme.order"],
  ])("%s does not contain %s", (range, type) => {
    expect(matches(range, type)).toBe(false);
  });

  it("is more specific the less it contains", () => {
    const ranges = [
      "*/*",
      "application/*",
      "application/*;version=2",
      "application/*+json",
      "application/*+json;version=2",
      "application/a+json",
      "application/a+json;version=2",
      "application/a+json;version=2;x=y",
    ];

    const specificities = ranges.map((range) => specificityOf(parseMediaRange(range)));

    expect(specificities).toEqual([...new Set(specificities)].toSorted((a, b) => a - b));
  });

  it.each(["", "json", "*", "*/json", "*/*+json", "a/b/c", "a/", "/b", "a/*+", "a/*b", "a b/c", "a/b;x", "a/b, c/d"])(
    "cannot be written as %j",
    (text) => {
      expect(refusal(() => parseMediaRange(text)).code).toBe("InvalidArgument");
    },
  );
});
