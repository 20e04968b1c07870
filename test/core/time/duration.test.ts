import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readIsoDuration, toMilliseconds } from "../../../src/core/time/duration.ts";
import { refusal } from "../../refusal.support.ts";

describe("a duration", () => {
  it.each([
    [0, 0],
    [12.5, 12.5],
    [Infinity, Infinity],
    ["500ms", 500],
    ["5s", 5_000],
    ["1.1s", 1_100],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
    ["7d", 604_800_000],
    ["PT5S", 5_000],
    ["PT0.25S", 250],
    ["P1DT2H3M4S", 93_784_000],
    ["P1Y", 365 * 86_400_000],
    ["P1M", 30 * 86_400_000],
    ["P1Y2M3DT4M", 428 * 86_400_000 + 240_000],
  ])("%j is %d milliseconds", (duration, milliseconds) => {
    expect(toMilliseconds(duration, "pause")).toBe(milliseconds);
  });

  it.each([
    "",
    "5",
    "5 s",
    "5S",
    "s",
    "-5s",
    "+5s",
    ".5s",
    "5.s",
    "1e3s",
    "5s ",
    "5w",
    "P",
    "PT",
    "P1DT",
    "pt5s",
    "P1W",
    "P1D1M",
  ])("is not %j", (text) => {
    expect(refusal(() => toMilliseconds(text, "pause"))).toMatchObject({
      code: "InvalidArgument",
      message: 'pause must be a number of milliseconds from 0 up, or text such as "5s" or "PT5S".',
      path: "$.pause",
    });
  });

  it.each([-1, NaN, -Infinity])("is not %d", (number) => {
    expect(refusal(() => toMilliseconds(number, "pause")).path).toBe("$.pause");
  });

  it("means the same in both texts", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.constantFrom("s", "m", "h"), (count, unit) => {
        expect(toMilliseconds(`${count}${unit}`, "a")).toBe(toMilliseconds(`PT${count}${unit.toUpperCase()}`, "a"));
      }),
    );
  });

  it("of a format with ISO 8601 alone has no other text", () => {
    expect([readIsoDuration("PT5S"), readIsoDuration("5s"), readIsoDuration("5")]).toEqual([
      5_000,
      undefined,
      undefined,
    ]);
  });
});
