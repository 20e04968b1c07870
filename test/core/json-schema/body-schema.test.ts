import { describe, expect, it } from "vitest";
import { Instant } from "../../../src/core/values/instant.ts";
import { compileBodySchema } from "../../../src/core/json-schema/ajv.ts";

const int64 = { type: "string", format: "int64" };
const bytes = { type: "string", contentEncoding: "base64" };
const instant = { type: "string", format: "date-time" };
const integer = { type: "integer" };
const long = { type: "integer", format: "int64" };

describe("a body that a codec with more types than JSON has read", () => {
  it.each([
    ["bytes", bytes, Uint8Array.of(1, 2), "AQI="],
    ["a bigint", int64, 2n ** 60n, "1152921504606846976"],
    ["a number", int64, 7, "7"],
    ["a bigint, by pattern", { type: "string", pattern: "^-?[0-9]{1,19}$" }, -5n, "-5"],
    ["a date", instant, new Date(0), "1970-01-01T00:00:00Z"],
    ["an instant", instant, new Instant(1n), "1970-01-01T00:00:00.000000001Z"],
    ["a bigint that a number can hold", integer, 5n, 5],
    ["a bigint that a number can hold, where either may be", long, -5n, -5],
    ["a bigint that none can hold", long, 2n ** 60n, 2n ** 60n],
    ["null beside text", { ...bytes, type: ["string", "null"] }, null, null],
  ])("goes on with what the schema says: %s", (_, member, value, expected) => {
    const check = compileBodySchema({ type: "object", properties: { a: { type: "array", items: member } } });

    expect(check({ a: [value, value] })).toEqual({ value: { a: [expected, expected] }, problems: [] });
    expect(compileBodySchema(member)(value)).toEqual({ value: expected, problems: [] });
  });

  it.each([
    ["bytes where text is wanted", { type: "string" }, Uint8Array.of(1)],
    ["a date that is none", instant, new Date(Number.NaN)],
    ["bytes where a time is wanted", instant, Uint8Array.of(1)],
    ["a bigint where text is wanted", { type: "string" }, 5n],
    ["more than 64 bits", long, 2n ** 63n],
    ["what no number can hold", integer, 2n ** 53n],
    ["text that is no number", integer, "5"],
    ["a fraction", long, 1.5],
  ])("is refused as before: %s", (_, schema, value) => {
    const { problems, value: kept } = compileBodySchema(schema)(value);

    expect(problems).toHaveLength(1);
    expect(kept).toBe(value);
  });

  it("says of an integer that no number holds what would take it", () => {
    const { problems } = compileBodySchema({ properties: { id: integer } })({ id: 2n ** 60n });

    expect(problems).toMatchObject([
      { path: "$.id", message: 'is an integer beyond 2^53, which only "format": "int64" takes, up to 64 bits' },
    ]);
  });

  it("is judged by every other keyword in its new form", () => {
    const check = compileBodySchema({ type: "integer", format: "int64", minimum: 10, multipleOf: 4 });

    expect([8n, 12n, 2n ** 60n, -(2n ** 60n)].map((value) => check(value).problems.length)).toEqual([1, 0, 0, 1]);
  });

  it("finds what other members or alternatives hide", () => {
    const inner = { type: "object", properties: { at: instant, by: { anyOf: [integer, bytes] } } };
    const check = compileBodySchema({
      type: "object",
      properties: { kind: integer },
      if: { properties: { kind: { const: 1 } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { inner } },
    });

    const { value, problems } = check({ kind: 1n, inner: { at: new Date(0), by: Uint8Array.of(1) } });

    expect(problems).toEqual([]);
    expect(value).toEqual({ kind: 1, inner: { at: "1970-01-01T00:00:00Z", by: "AQ==" } });
  });

  it("leaves the body that was read as it is, and shares what did not change", () => {
    const body = { list: [{ image: Uint8Array.of(1) }, { image: "AQ==" }], rest: { deep: true } };
    const check = compileBodySchema({
      properties: { list: { type: "array", items: { properties: { image: bytes } } } },
    });

    const { value } = check(body);

    expect(value).toEqual({ list: [{ image: "AQ==" }, { image: "AQ==" }], rest: { deep: true } });
    expect(value).toMatchObject({ rest: body.rest });
    expect(body.list[0]?.image).toEqual(Uint8Array.of(1));
    expect(Reflect.get(Object(value), "rest")).toBe(body.rest);
  });

  it("takes members of any name", () => {
    const body: unknown = JSON.parse('{"a/b":{"~":0,"":0},"constructor":0}');
    const schema = {
      type: "object",
      additionalProperties: { anyOf: [int64, { type: "object", additionalProperties: int64 }] },
    };

    expect(compileBodySchema(schema)(body).value).toEqual(JSON.parse('{"a/b":{"~":"0","":"0"},"constructor":"0"}'));
  });

  it("is looked through in linear time", () => {
    const body = Array.from({ length: 50_000 }, () => 1n);

    const { value, problems } = compileBodySchema({ type: "array", items: integer })(body);

    expect(problems).toEqual([]);
    expect(value).toEqual(body.map(Number));
  });
});
