import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AmqpMap, Typed } from "../../../src/core/values/typed.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { Instant } from "../../../src/core/values/instant.ts";
import { valueFromJson } from "../../../src/core/values/value-json-reading.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { refusal } from "../../refusal.support.ts";
import { names, plainSimple, typedSimple } from "./arbitraries.support.ts";

/** Through text, as in a file. */
function throughText(value: unknown): unknown {
  return valueFromJson(JSON.parse(JSON.stringify(valueToJson(value))));
}

const instants = fc.bigInt(-(2n ** 80n), 2n ** 80n).map((nanoseconds) => new Instant(nanoseconds));

const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "value" },
    plainSimple,
    typedSimple,
    instants,
    fc.bigInt(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
  ),
}));

describe("the JSON form of values", () => {
  it("round-trips every value", () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(throughText(value)).toEqual(value);
      }),
    );
  });

  it("round-trips AMQP arrays and described values", () => {
    const nested = typed.described(typed.ulong(0x77), typed.array("symbol", [typed.symbol("a"), typed.symbol("b")]));
    const described = new Typed("array", { elementType: "int", descriptor: typed.symbol("d"), values: [1, 2] });

    expect(throughText(nested)).toEqual(nested);
    expect(throughText(described)).toEqual(described);
  });

  it("reads an AMQP value plain where a plain value names its type", () => {
    expect(throughText(typed.long(5n))).toBe(5n);
    expect(throughText(typed.double(1.5))).toBe(1.5);
    expect(throughText(new AmqpMap([["a", 1]]))).toEqual(new Map([["a", 1]]));
  });

  it.each([
    [9n, { $int64: "9" }],
    [2n ** 64n - 1n, { $int64: "18446744073709551615" }],
    [2n ** 64n, { $bigint: "18446744073709551616" }],
    [-0, { $double: "-0" }],
    [1e16, { $double: "1e16" }],
    [-(2 ** 53), { $double: "-9.007199254740992e15" }],
    [1e21, 1e21],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [Number.NaN, { $double: "NaN" }],
    [-Infinity, { $double: "-INF" }],
    [typed.double(5), { $double: "5" }],
    [typed.uuid("0F8FAD5B-D9CB-469F-A165-70867728950E"), { $guid: "0f8fad5b-d9cb-469f-a165-70867728950e" }],
    [Uint8Array.of(0xfb, 0xff), { $bytes: "+/8=" }],
    [new Date(1), { $dateTime: "1970-01-01T00:00:00.001Z", kind: "utc", ticks: "621355968000010000" }],
    [new Instant(1n), { $dateTime: "1970-01-01T00:00:00.000000001Z", kind: "utc" }],
    [new Map([[1, 2]]), { $map: [[1, 2]] }],
    [{ $int64: "no tag" }, { $object: { $int64: "no tag" } }],
    [{ a: 1, b: undefined }, { a: 1 }],
  ])("renders %o as %j", (value, json) => {
    expect(valueToJson(value)).toEqual(json);
  });

  it.each([
    [{ $int64: "" }],
    [{ $int64: "0x10" }],
    [{ $int64: " 5" }],
    [{ $int64: 5 }],
    [{ $int64: "18446744073709551616" }],
    [{ $int64: "5", other: 1 }],
    [{ other: 1, $int64: "5" }],
    [{ $int: "5" }],
    [{ $int: null }],
    [{ $int: [] }],
    [{ $ubyte: 256 }],
    [{ $double: "" }],
    [{ $double: "1e" }],
    [{ $double: "Infinity" }],
    [{ $double: "0x1" }],
    [{ $float: "" }],
    [{ $float: 0.1 }],
    [{ $timestamp: "9223372036854775808" }],
    [{ $ulong: "-1" }],
    [{ $dateTime: "2020-02-30T00:00:00Z" }],
    [{ $dateTime: "2020-01-01T00:00:00" }],
    [{ $dateTime: "2020-01-01T00:00:00Z", kind: "local" }],
    [{ $dateTime: "2020-01-01" }],
    [{ $bytes: "*" }],
    [{ $bytes: null }],
    [{ $guid: "zz" }],
    [{ $char: "ab" }],
    [{ $symbol: "é" }],
    [{ $map: [[1]] }],
    [{ $map: [[1, 2, 3]] }],
    [{ $map: {} }],
    [{ $described: [1] }],
    [{ $described: [{}, 1] }],
    [{ $amqpArray: { of: "int" } }],
    [{ $amqpArray: { of: "int", values: [1], more: 1 } }],
    [{ $amqpArray: null }],
    [{ $object: "text" }],
    [{ $object: [] }],
    [{ $object: {}, other: 1 }],
    [{ $unknown: 1 }],
    [{ $constructor: 1 }],
  ])("refuses the malformed %j, naming its path", (json) => {
    const error = refusal(() => valueFromJson({ items: [0, json] }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.items[1]" });
  });

  it("names the tags that there are when it meets another", () => {
    expect(refusal(() => valueFromJson({ $nothing: "x" })).message).toContain("$dateTime");
  });

  it("keeps members named __proto__ and pollutes nothing", () => {
    const value = valueFromJson(JSON.parse('{"__proto__":{"polluted":true},"$object":1}'.replace(',"$object":1', "")));

    expect(Object.keys(Object(value))).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(throughText(value)).toEqual(value);
  });

  it.each([
    [() => 1],
    [Symbol("s")],
    [new Set()],
    [/x/],
    [new URL("http://example.org/")],
    [new Date(Number.NaN)],
    [[undefined]],
    // oxlint-disable-next-line no-sparse-arrays -- the hole is the point
    [[1, , 2]],
  ])("refuses to render %o, naming its path", (value) => {
    expect(refusal(() => valueToJson({ a: { b: value } }))).toMatchObject({
      code: "UnsupportedValue",
      path: expect.stringMatching(/^\$\.a\.b/),
    });
  });

  it("refuses what nests too deeply, in both directions", () => {
    let deep: unknown = 0;
    for (let level = 0; level < 5000; level++) deep = [deep];

    expect(refusal(() => valueToJson(deep)).code).toBe("UnsupportedValue");
    expect(refusal(() => valueFromJson(deep)).code).toBe("InvalidArgument");
  });

  it("shows of a path no more than people read", () => {
    let deep: unknown = 0;
    for (let level = 0; level < 5000; level++) deep = { aNameOfSomeLength: deep };

    for (const error of [refusal(() => valueToJson(deep)), refusal(() => valueFromJson(deep))]) {
      expect(error.path).toMatch(/^\$\.aNameOfSomeLength.{1,240}…$/);
      expect(error.message.length).toBeLessThan(400);
    }
  });

  it("never throws anything but SobreError, whatever the JSON", () => {
    const tags = fc.constantFrom(
      "$int64",
      "$bytes",
      "$map",
      "$described",
      "$amqpArray",
      "$object",
      "$dateTime",
      "$float",
      "$x",
      "$id",
      "$ref",
      "$values",
      "$type",
      "$array",
      "$decimal",
    );
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.dictionary(tags, tie("json"), { maxKeys: 2 }),
        fc.array(tie("json")),
      ),
    }));

    fc.assert(
      fc.property(json, (value) => {
        try {
          valueFromJson(value);
        } catch (error) {
          expect(error).toMatchObject({ name: "SobreError", code: "InvalidArgument" });
        }
      }),
    );
  });

  it("takes more bytes than a call takes arguments", () => {
    const big = new Uint8Array(300_000).map((_, index) => index);

    const read = throughText(big);

    expect(read instanceof Uint8Array && Buffer.compare(read, big)).toBe(0);
  });
});
