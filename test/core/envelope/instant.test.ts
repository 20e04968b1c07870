import { describe, expect, it } from "vitest";
import { Instant } from "../../../src/core/values/instant.ts";

describe("an instant", () => {
  it.each([
    [0n, "1970-01-01T00:00:00.000000000Z"],
    [1_514_862_245_678_901_234n, "2018-01-02T03:04:05.678901234Z"],
    [-1n, "1969-12-31T23:59:59.999999999Z"],
    [-62_198_755_200_000_000_000n, "-000001-01-01T00:00:00.000000000Z"],
    [10n ** 28n, "@10000000000000000000.000000000Z"],
    [-(10n ** 28n) + 1n, "@-10000000000000000000.000000001Z"],
  ])("of %s nanoseconds is written as %s", (nanoseconds, text) => {
    expect(String(new Instant(nanoseconds))).toBe(text);
    expect(JSON.stringify(new Instant(nanoseconds))).toBe(`"${text}"`);
  });

  it.each([
    [1_999_999n, 1],
    [-1n, -1],
    [-1_000_000n, -1],
    [-1_000_001n, -2],
  ])("of %s nanoseconds gives the Date at or before it", (nanoseconds, milliseconds) => {
    expect(new Instant(nanoseconds).toDate()).toEqual(new Date(milliseconds));
  });
});
