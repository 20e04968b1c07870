import { describe, expect, it } from "vitest";
import {
  matchesRange,
  parseContentType,
  parseMediaRange,
  specificityOf,
  rangesOverlap,
} from "../../../src/core/content-type/index.ts";
import { refusal } from "../../refusal.support.ts";

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

describe("two media ranges overlap", () => {
  it.each([
    ["application/json", "application/json", true],
    ["application/json", "application/*", true],
    ["application/*+json", "application/problem+json", true],
    ["application/*+json", "application/*", true],
    ["*/*", "text/plain", true],
    ["text/plain; charset=UTF-8", "text/plain; Charset=utf-8", true],
    ["text/plain; charset=utf-8", "text/plain", true],
    ["text/plain; charset=utf-8", "text/*; charset=utf-16", false],
    ["application/json", "application/*+json", false],
    ["application/*+json", "application/*+xml", false],
    ["application/json", "text/*", false],
  ])("%s and %s: %s", (one, other, overlap) => {
    expect(rangesOverlap(parseMediaRange(one), parseMediaRange(other))).toBe(overlap);
    expect(rangesOverlap(parseMediaRange(other), parseMediaRange(one))).toBe(overlap);
  });
});
