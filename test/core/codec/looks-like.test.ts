import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { looksLike } from "../../../src/core/codec/index.ts";

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

describe("what a payload looks like", () => {
  it.each([1, 3, 6, 9])("is zlib for what zlib writes at level %i", (level) => {
    for (const content of ["", "a", "an order of many lines ".repeat(100)]) {
      expect(looksLike(deflateSync(content, { level }))).toMatchObject({ name: "zlib" });
    }
  });

  it.each([
    "x^2 + y^2 = z^2",
    "xo",
    "x\u0001",
    "xZ is a name, and no more than that",
    "x",
    "x^\u00e9t\u00e9 and more text",
  ])("is not zlib for text: %j", (content) => {
    expect(looksLike(text(content))?.name).not.toBe("zlib");
  });
});
