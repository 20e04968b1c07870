import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { valueFromJson } from "../../../src/core/values/value-json-reading.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import {
  annotate,
  annotationsOf,
  ClassName,
  ContentStream,
  DateTime,
  DateTimeOffset,
  Decimal,
  Duration,
  EnumValue,
  LocalDate,
  LocalTime,
  MultiArray,
  QName,
  Uri,
  Version,
} from "../../../src/core/values/index.ts";
import { maxTicks } from "../../../src/core/values/ticks.ts";
import { refusal } from "../../refusal.support.ts";

/** Through text, as in a file. */
function throughText(value: unknown): unknown {
  return valueFromJson(JSON.parse(JSON.stringify(valueToJson(value))));
}

const ticks = fc.bigInt(0n, maxTicks);

describe("values that JavaScript lacks", () => {
  it.each([
    [new Decimal("12.30"), { $decimal: "12.30" }],
    [new Decimal("1E+2000000000"), { $decimal: "1E+2000000000" }],
    [
      new DateTime(638448479991234567n, "utc"),
      { $dateTime: "2024-02-29T23:59:59.1234567Z", kind: "utc", ticks: "638448479991234567" },
    ],
    [
      new DateTime(638554320000000000n, "local", 120),
      { $dateTime: "2024-07-01T12:00:00+02:00", kind: "local", ticks: "638554320000000000" },
    ],
    [new DateTime(0n, "unspecified"), { $dateTime: "0001-01-01T00:00:00", kind: "unspecified", ticks: "0" }],
    [new DateTimeOffset(638396640000000000n, -210), { $dateTimeOffset: "2023-12-31T20:30:00-03:30" }],
    [new LocalDate("2024-12-31"), { $date: "2024-12-31" }],
    [new LocalTime("23:59:59.000000001"), { $time: "23:59:59.000000001" }],
    [Duration.fromTicks(937840050000n), { $duration: "P1DT2H3M4.005S", ticks: "937840050000" }],
    [Duration.fromTicks(-15000000n), { $duration: "-PT1.5S", ticks: "-15000000" }],
    [Duration.fromTicks(0n), { $duration: "PT0S", ticks: "0" }],
    [new Duration("P1Y2M"), { $duration: "P1Y2M" }],
    [new EnumValue("en curso", 2), { $enum: "en curso", value: "2" }],
    [new EnumValue("BLUE"), { $enum: "BLUE" }],
    [new Uri("/rel/path"), { $uri: "/rel/path" }],
    [new Version("1.2.3.4"), { $version: "1.2.3.4" }],
    [new QName("urn:q", "loc"), { $qname: "{urn:q}loc" }],
    [new QName("", "loc"), { $qname: "loc" }],
    [new ClassName("java.lang.String"), { $class: "java.lang.String" }],
    [new MultiArray([2, 2], [1, 2n, 3, 4]), { $array: { lengths: [2, 2], values: [1, { $int64: "2" }, 3, 4] } }],
    [new ContentStream(["uno", ["tres"]]), { $stream: ["uno", ["tres"]] }],
  ])("render %o as %j and come back", (value, json) => {
    expect(valueToJson(value)).toEqual(json);
    expect(throughText(value)).toEqual(value);
  });

  it("render every tick of .NET's time and read it back", () => {
    const times = fc.oneof(
      fc
        .tuple(ticks, fc.constantFrom("local" as const, "unspecified" as const))
        .map(([count, kind]) => new DateTime(count, kind)),
      fc
        .tuple(ticks, fc.integer({ min: -840, max: 840 }))
        .map(([count, offset]) => new DateTime(count, "local", offset)),
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((count) => Duration.fromTicks(count)),
    );

    fc.assert(
      fc.property(times, (time) => {
        expect(throughText(time)).toEqual(time);
      }),
    );
  });

  it("read the durations that they write", () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (count) => {
        expect(Duration.parse(Duration.fromTicks(count).iso)?.ticks).toBe(count);
      }),
    );
  });

  it.each([["P1Y"], ["P1M"], ["PT"], ["P"], ["1D"], ["PT1.12345678S"], ["P99999999999D"]])(
    "see no TimeSpan in %s",
    (text) => {
      expect(Duration.parse(text)).toBeUndefined();
    },
  );

  it.each([
    [{ $decimal: "twelve" }],
    [{ $decimal: 1.5 }],
    [{ $decimal: "1", more: 1 }],
    [{ $dateTime: "2024-07-01T12:00:00+02:00", kind: "local", ticks: "5" }],
    [{ $dateTime: "2024-07-01T12:00:00", kind: "none", ticks: "638554320000000000" }],
    [{ $dateTimeOffset: "2024-07-01T12:00:00" }],
    [{ $dateTimeOffset: "2024-02-30T12:00:00+01:00" }],
    [{ $date: "31.12.2024" }],
    [{ $time: "noon" }],
    [{ $duration: "1 hour" }],
    [{ $duration: "PT1H", ticks: 5 }],
    [{ $enum: "A", value: "x" }],
    [{ $array: { lengths: [1] } }],
    [{ $array: { lengths: [1], values: [], more: 1 } }],
    [{ $stream: "x" }],
    [{ $id: 1 }],
    [{ $id: "1", $int64: "5" }],
    [{ $ref: "1" }],
    [{ $ref: "1", a: 1 }],
    [{ $type: 5 }],
    [{ $data: {} }],
    [{ $super: [] }],
    [[{ $id: "1" }, { $id: "1" }]],
    [{ $id: "1", $values: [], a: 1 }],
  ])("refuse the malformed %j, naming its path", (json) => {
    expect(refusal(() => valueFromJson({ items: [json] }))).toMatchObject({
      code: "InvalidArgument",
      path: expect.stringMatching(/^\$\.items\[0\]/),
    });
  });
});

describe("shared and cyclic values", () => {
  it("are written once, numbered when they are reached twice, and come back shared", () => {
    const shared = { sku: "x" };
    const list = [1];
    const map = new Map([[1, shared]]);

    const json = valueToJson({ a: shared, b: shared, c: [list, list], d: map, e: map, once: {} });
    const read: unknown = valueFromJson(json);

    expect(json).toEqual({
      a: { $id: "1", sku: "x" },
      b: { $ref: "1" },
      c: [{ $id: "2", $values: [1] }, { $ref: "2" }],
      d: { $id: "3", $map: [[1, { $ref: "1" }]] },
      e: { $ref: "3" },
      once: {},
    });
    expect(read).toEqual({ a: shared, b: shared, c: [list, list], d: map, e: map, once: {} });
    expect(valueToJson(read)).toEqual(json);
  });

  it("may contain themselves", () => {
    const cyclic: { self?: unknown; list: unknown[]; dotted: unknown } = { list: [], dotted: undefined };
    cyclic.self = cyclic;
    cyclic.list.push(cyclic.list);
    const cells: unknown[] = [];
    cyclic.dotted = new MultiArray([1, 1], cells);
    cells.push(cyclic.dotted);

    const json = valueToJson(cyclic);

    expect(json).toEqual({
      $id: "1",
      list: { $id: "2", $values: [{ $ref: "2" }] },
      dotted: { $id: "3", $array: { lengths: [1, 1], values: [{ $ref: "3" }] } },
      self: { $ref: "1" },
    });
    expect(valueToJson(valueFromJson(JSON.parse(JSON.stringify(json))))).toEqual(json);
  });

  it("stay small however often they are shared", () => {
    let bomb: unknown = [];
    for (let level = 0; level < 40; level++) bomb = [bomb, bomb];

    expect(JSON.stringify(valueToJson(bomb)).length).toBeLessThan(4000);
    expect(valueToJson(valueFromJson(valueToJson(bomb)))).toEqual(valueToJson(bomb));
  });

  it("wrap members that begin with $ below their number", () => {
    const odd = { $a: 1 };

    const json = valueToJson([odd, odd]);

    expect(json).toEqual([{ $id: "1", $object: { $a: 1 } }, { $ref: "1" }]);
    expect(valueFromJson(json)).toEqual([odd, odd]);
  });
});

describe("annotations", () => {
  it("render next to the members and come back, without being members", () => {
    const dog = annotate({ Name: "Rex" }, { typeName: "{urn:zoo}Dog" });
    const java = annotate(["x"], {
      typeName: "Custom",
      data: [Uint8Array.of(1)],
      superMembers: { "a.Base": { tag: 1 } },
    });

    const json = valueToJson([dog, java]);
    const read = valueFromJson(json);

    expect(json).toEqual([
      { $type: "{urn:zoo}Dog", Name: "Rex" },
      { $type: "Custom", $data: [{ $bytes: "AQ==" }], $super: { "a.Base": { tag: 1 } }, $values: ["x"] },
    ]);
    expect(Object.keys(dog)).toEqual(["Name"]);
    expect(Array.isArray(read) && read.map((item) => annotationsOf(Object(item)))).toEqual([
      annotationsOf(dog),
      annotationsOf(java),
    ]);
  });
});
