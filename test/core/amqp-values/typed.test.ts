import { describe, expect, it } from "vitest";
import { decodeValue } from "../../../src/core/amqp-values/read-value.ts";
import { encodeValue } from "../../../src/core/amqp-values/encode-value.ts";
import { fromTypedJson, toTypedJson } from "../../../codecs/amqp/index.ts";
import type { Profile } from "../../../src/core/amqp-values/write-number.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../src/core/values/typed.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { DateTimeOffset, Duration } from "../../../src/core/values/index.ts";
import { hex } from "./vectors.support.ts";

const encoded = (value: unknown, profile?: Profile): string =>
  Buffer.from(encodeValue(value, { profile })).toString("hex");

describe("plain values are written as", () => {
  it.each([
    [null, "40", "null"],
    [undefined, "40", "null"],
    [true, "41", "boolean"],
    [5, "5405", "int"],
    [-129, "71ffffff7f", "int"],
    [2 ** 31, "810000000080000000", "long"],
    [-(2 ** 53 - 1), "81ffe0000000000001", "long"],
    [2 ** 53, "824340000000000000", "double"],
    [-0, "828000000000000000", "double"],
    [1.5, "823ff8000000000000", "double"],
    [Number.NaN, "827ff8000000000000", "double"],
    [-1n, "55ff", "long"],
    [2n ** 63n - 1n, "817fffffffffffffff", "long"],
    [2n ** 63n, "808000000000000000", "ulong"],
    ["ñ", "a102c3b1", "string"],
    [new Date(-1), "83ffffffffffffffff", "timestamp"],
    [Uint8Array.of(1, 2), "a0020102", "binary"],
    [[], "45", "list"],
    [[1, "a"], "c006025401a10161", "list"],
    [{ a: 1 }, "c10602a101615401", "map"],
    [{ a: undefined }, "c10100", "map"],
    [new Map([[1, 2]]), "c1050254015402", "map"],
    [new AmqpMap([[typed.symbol("s"), null]]), "c10502a3017340", "map"],
  ])("%s: %s, %s", (value: unknown, expected: string, _type: string) => {
    const bytes = encoded(value);

    expect(bytes).toBe(expected);
  });

  it.each([
    [1, "5201"],
    [0, "5400"],
    [-5, "54fb"],
    [300, "700000012c"],
    [2 ** 32, "800000000100000000"],
    [-(2 ** 31 - 1), "81ffffffff80000001"],
    [1.5, "823ff8000000000000"],
    [-0, "828000000000000000"],
    [{ a: undefined }, "c10502a1016140"],
  ])("%o in the profile of the official JavaScript client: %s", (value, expected) => {
    const bytes = encoded(value, "azure-js");

    expect(bytes).toBe(expected);
  });
});

describe("typed reading", () => {
  it("wraps only what a plain value would not name", () => {
    const value = decodeValue(hex("c00d06540543a1016155055205520a"));

    expect(value).toEqual([5, typed.uint(0), "a", 5n, typed.uint(5), typed.uint(10)]);
  });

  it("keeps the bits of every NaN", () => {
    for (const bits of ["827ff8000000000001", "82fff8000000000000", "727fc00001", "827ff8000000000000"]) {
      const again = encoded(decodeValue(hex(bits)));

      expect(again).toBe(bits);
    }
  });

  it("keeps timestamps that no Date can hold", () => {
    const value = decodeValue(hex("837fffffffffffffff"));

    expect(value).toEqual(typed.timestamp(2n ** 63n - 1n));
    expect(encoded(value)).toBe("837fffffffffffffff");
  });

  it("keeps integral doubles apart from integers", () => {
    const value = decodeValue(hex("824014000000000000"));

    expect(value).toEqual(typed.double(5));
    expect(encoded(value)).toBe("824014000000000000");
  });

  it("gives views of the bytes, and copies on request", () => {
    const bytes = hex("a0020102");
    const view = decodeValue(bytes);
    const copy = decodeValue(bytes, { copy: true });

    bytes[2] = 9;

    expect([view, copy]).toEqual([Uint8Array.of(9, 2), Uint8Array.of(1, 2)]);
  });

  it("keeps arrays of arrays, lists and maps", () => {
    const nested = typed.array("array", [typed.array("int", [1, 2]), typed.array("string", ["a".repeat(300)])]);
    const lists = typed.array("list", [[], [1, "x"], Array.from({ length: 300 }, () => null)]);
    const maps = typed.array("map", [new AmqpMap(), new AmqpMap([["k", typed.ubyte(1)]])]);

    for (const array of [nested, lists, maps]) expect(decodeValue(encodeValue(array))).toEqual(array);
  });
});

const of = (name: string, value: AmqpValue): AmqpValue => typed.described(typed.symbol(name), value);

describe("an array whose constructor has several descriptors", () => {
  it.each<[string, string, readonly AmqpValue[]]>([
    ["of bytes", "e00c0200a3016100a301625101ff", [of("b", typed.byte(1)), of("b", typed.byte(-1))]],
    ["with three", "e00f0100a3016100a3016200a301635107", [of("b", of("c", typed.byte(7)))]],
    ["of strings", "e00d0200a3016100a30162a1017800", [of("b", "x"), of("b", "")]],
  ])("has described elements and comes back: %s", (_what, bytes, elements) => {
    const value = decodeValue(hex(bytes));

    expect(value).toEqual(typed.array("described", elements, typed.symbol("a")));
    expect(encoded(value)).toBe(bytes);
    expect(encoded(fromTypedJson(toTypedJson(value)))).toBe(bytes);
  });

  it("is refused when it has no elements, which alone could hold the inner ones", () => {
    expect(() => decodeValue(hex("e00a0000a3016100a3016251"))).toThrow(SobreError);
  });

  it("counts each of its described elements", () => {
    const bytes = hex("e00c0200a3016100a301625101ff");

    expect(() => decodeValue(bytes, { limits: { maxItems: 8 } })).toThrow(
      expect.objectContaining({ code: "LimitExceeded" }),
    );
  });

  it.each<[AmqpValue, string]>([
    [typed.array("described", [of("b", 1), of("c", 1)], typed.symbol("a")), "$[1]"],
    [typed.array("described", [of("b", 1), 1], typed.symbol("a")), "$[1]"],
    [typed.array("described", [of("b", 1), of("b", "x")], typed.symbol("a")), "$[1]"],
    [typed.array("described", [of("b", 1)]), "$"],
    [typed.array("described", [], typed.symbol("a")), "$"],
  ])("is not written when its elements differ or have no certain type: %o", (value, path) => {
    expect(() => encodeValue(value)).toThrow(expect.objectContaining({ code: "UnsupportedValue", path }));
  });
});

describe("what AMQP cannot hold is refused with its path", () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);

  it.each([
    [{ a: [1, () => 1] }, "$.a[1]"],
    [{ "odd name": Symbol("s") }, '$["odd name"]'],
    [[new Date(Number.NaN)], "$[0]"],
    [{ id: 2n ** 64n }, "$.id"],
    [{ at: /x/ }, "$.at"],
    [{ text: "\ud800" }, "$.text"],
    [{ text: `${"long ".repeat(30)}\udfff` }, "$.text"],
    [new Map([[1, () => 1]]), "${0}"],
    [[new Typed("uint", -1)], "$[0]"],
    [[new Typed("float", 0.1)], "$[0]"],
    [[new Typed("symbol", "ñ")], "$[0]"],
    [[new Typed("uuid", "none")], "$[0]"],
    [[new Typed("uuid", "0-f8fad5bd9cb469fa16570867728950e")], "$[0]"],
    [[new Typed("decimal32", Uint8Array.of(1))], "$[0]"],
    [{ list: typed.array("int", [1, "two"]) }, "$.list[1]"],
    [typed.array("symbol", ["ñ"]), "$[0]"],
    [typed.array("unknown", []), "$"],
    [typed.array("float", [1, decodeValue(hex("827ff0000000000001"))]), "$[1]"],
    [typed.array("double", [decodeValue(hex("727f800001"))]), "$[0]"],
    [{ span: Duration.fromTicks(2n ** 63n) }, "$.span"],
    [{ at: new DateTimeOffset(-(2n ** 63n) - 1n) }, "$.at"],
    [{ inner: { [Symbol("hidden")]: 1 } }, "$.inner"],
  ])("%o at %s", (value, path) => {
    expect(() => encodeValue(value)).toThrow(expect.objectContaining({ code: "UnsupportedValue", path }));
  });

  it.each<[string, Map<unknown, unknown> | AmqpMap, string]>([
    [
      "strings",
      new AmqpMap([
        ["a", 1],
        ["a", 2],
      ]),
      "$.a",
    ],
    [
      "symbols",
      new AmqpMap([
        [typed.symbol("a"), 1],
        [typed.symbol("a"), 2],
      ]),
      "${1}",
    ],
    [
      "a plain and a typed int",
      new Map<unknown, unknown>([
        [1, 1],
        [typed.int(1), 2],
      ]),
      "${1}",
    ],
    [
      "equal dates",
      new Map([
        [new Date(5), 1],
        [new Date(5), 2],
      ]),
      "${1}",
    ],
    [
      "null and undefined",
      new Map([
        [null, 1],
        [undefined, 2],
      ]),
      "${1}",
    ],
  ])("also a map that has a key twice: %s", (_what, map, path) => {
    expect(() => encodeValue(map)).toThrow(expect.objectContaining({ code: "UnsupportedValue", path }));
  });

  it("but keys of different types may look the same", () => {
    const map = new Map<unknown, unknown>([
      ["a", 1],
      [typed.symbol("a"), 2],
      [1, 3],
      [1n, 4],
      ["\u0000", 5],
    ]);

    expect(decodeValue(encodeValue(map))).toEqual(
      new AmqpMap([
        ["a", 1],
        [typed.symbol("a"), 2],
        [1, 3],
        [1n, 4],
        ["\u0000", 5],
      ]),
    );
  });

  it.each([
    ["uint", null],
    ["uint", { descriptor: null, value: 1 }],
    ["uint", { elementType: "uint", values: [] }],
    ["described", { elementType: "uint", values: [] }],
    ["described", 5],
    ["array", { elementType: "uint", values: "text" }],
    ["array", { descriptor: null, value: 1 }],
    ["array", undefined],
  ])("also %s with the content %o, from callers without types", (type, content) => {
    const value: unknown = Reflect.construct(Typed, [type, content]);

    expect(() => encodeValue([value])).toThrow(expect.objectContaining({ code: "UnsupportedValue", path: "$[0]" }));
  });

  it("also a value that contains itself", () => {
    expect(() => encodeValue(cyclic)).toThrow(expect.objectContaining({ code: "UnsupportedValue" }));
  });

  it("and nothing of it is left in what is written next", () => {
    expect(() => encodeValue(["lost", () => 1])).toThrow(SobreError);

    expect(encoded("next")).toBe("a1046e657874");
  });

  it("and what a plain object inherits is not written", () => {
    const inherited: object = Object.create(Object.assign(Object.create(null), { inherited: 1 }));

    expect(encoded(Object.assign(inherited, { own: 2 }))).toBe(encoded({ own: 2 }));
  });

  it("and a getter that encodes something itself spoils nothing", () => {
    const outer = {
      first: 1,
      get second() {
        return encoded("inner");
      },
    };

    expect(decodeValue(encodeValue(outer), { mode: "plain" })).toEqual({ first: 1, second: "a105696e6e6572" });
  });
});
