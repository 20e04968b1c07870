import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as portable from "../../../src/core/content-type/utf8.ts";
import * as node from "../../../src/core/content-type/utf8-node.ts";

const outcome = (read: (bytes: Uint8Array) => string, bytes: Uint8Array): unknown => {
  try {
    return read(bytes);
  } catch (error) {
    return error instanceof TypeError;
  }
};
/** Texts with lone surrogates, marks, replacement characters and all else. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom("a", "é", "\ufeff", "\ufffd", "\ud800", "\udc00", "€", "😀", "\0"),
    fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  ),
  maxLength: 40,
});

describe("UTF-8 with Node's own means", () => {
  it("reads the text that every platform reads, and refuses what it refuses", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      text.map((value) => new TextEncoder().encode(value)),
      fc.tuple(text, fc.nat(40)).map(([value, cut]) => new TextEncoder().encode(value).subarray(0, cut)),
    );

    fc.assert(
      fc.property(bytes, (value) => {
        expect(outcome(node.readUtf8, value)).toBe(outcome(portable.readUtf8, value));
      }),
      { numRuns: 2000 },
    );
  });

  it("writes the bytes that every platform writes", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(node.encodeUtf8(value)).toEqual(portable.encodeUtf8(value));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([0, 1, 2047, 2048, 2049, 70_000])("writes %i characters, and lets none of them be overwritten", (length) => {
    const value = "€".repeat(length);

    const first = node.encodeUtf8(value);
    for (let index = 0; index < 100; index++) node.encodeUtf8("x".repeat(2000));

    expect(first).toEqual(portable.encodeUtf8(value));
    expect(first.constructor).toBe(Uint8Array);
    expect(node.readUtf8(first)).toBe(value);
  });
});

describe("UTF-8 on a platform without Node's Buffer", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("reads and writes by the platform's own means", async () => {
    vi.stubGlobal("Buffer", undefined);
    const { readUtf8, encodeUtf8 }: typeof node = await import(
      `${new URL("../../../src/core/content-type/utf8-node.ts", import.meta.url).href}?without-buffer`
    );

    expect(encodeUtf8).toBe(portable.encodeUtf8);
    expect(readUtf8(encodeUtf8("año"))).toBe("año");
    expect(() => readUtf8(Uint8Array.of(0xff))).toThrow(TypeError);
  });
});
