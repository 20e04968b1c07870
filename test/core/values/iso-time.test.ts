import { describe, expect, it } from "vitest";
import { valueFromJson } from "../../../src/core/values/value-json-reading.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { BigInteger, IsoTime } from "../../../src/core/values/index.ts";
import { refusal } from "../../refusal.support.ts";

describe("times as ISO 8601 text", () => {
  it.each([
    ["2024-02-29T12:34:56Z", "utc"],
    ["+1000000000-12-31T23:59:59.999999999Z", "utc"],
    ["-0005-02-28T00:00:00Z", "utc"],
    ["2024-12-31T10:30:00", "unspecified"],
    ["2024-01-01T08:30:00-03:30", "offset"],
    ["2024-01-01T00:00:00.000000001+01:01:01", "offset"],
    ["2024-07-01T10:30:00+02:00[Europe/Madrid]", "offset"],
    ["2024-07-01T10:30:00Z", "offset"],
  ] as const)("are kept as they are: %s", (text, kind) => {
    expect(String(new IsoTime(text, kind))).toBe(text);
  });

  it.each([
    ["2024-02-30T00:00:00Z", "utc"],
    ["2023-02-29T00:00:00Z", "utc"],
    ["1900-02-29T00:00:00Z", "utc"],
    ["2024-13-01T00:00:00Z", "utc"],
    ["2024-00-01T00:00:00Z", "utc"],
    ["2024-01-00T00:00:00Z", "utc"],
    ["2024-01-01T24:00:00Z", "utc"],
    ["2024-01-01T00:60:00Z", "utc"],
    ["2024-01-01T00:00:00", "utc"],
    ["2024-01-01T00:00:00Z", "unspecified"],
    ["2024-01-01T00:00:00", "offset"],
    ["2024-01-01", "unspecified"],
  ] as const)("are refused where there is none: %s as %s", (text, kind) => {
    expect(refusal(() => new IsoTime(text, kind)).code).toBe("InvalidArgument");
  });

  it("become dates, to the millisecond", () => {
    const dates = [
      new IsoTime("2024-02-29T12:34:56.789999Z", "utc"),
      new IsoTime("2024-02-29T12:34:56.789", "unspecified"),
      new IsoTime("2024-02-29T13:34:56.789+01:00[Europe/Madrid]", "offset"),
    ].map((time) => time.toDate().toISOString());

    expect(new Set(dates)).toEqual(new Set(["2024-02-29T12:34:56.789Z"]));
  });

  it("come back from their rendering", () => {
    const values = [
      new IsoTime("+1000000000-12-31T23:59:59.999999999Z", "utc"),
      new IsoTime("2024-12-31T10:30:00", "unspecified"),
      new IsoTime("2024-07-01T10:30:00+02:00[Europe/Madrid]", "offset"),
      new IsoTime("2024-01-01T00:00:00.00000001+01:00", "offset"),
      new BigInteger(-5n),
      new BigInteger(2n ** 63n),
    ];

    expect(valueFromJson(valueToJson(values))).toEqual(values);
  });
});
