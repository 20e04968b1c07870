import { describe, expect, it } from "vitest";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { AmqpMap, Typed } from "../../../src/core/values/typed.ts";
import { SobreError } from "../../../src/core/errors/index.ts";

/** A value that only JavaScript callers can pass. */
const make = (type: "double" | "char" | "timestamp" | "uuid" | "symbol", value: unknown): unknown =>
  Reflect.apply(typed[type], typed, [value]);

describe("typed values", () => {
  it.each<[string, () => unknown]>([
    ["ubyte", () => typed.ubyte(256)],
    ["ushort", () => typed.ushort(-1)],
    ["uint", () => typed.uint(2 ** 32)],
    ["ulong", () => typed.ulong(-1n)],
    ["ulong", () => typed.ulong(2 ** 60)],
    ["byte", () => typed.byte(128)],
    ["short", () => typed.short(1.5)],
    ["int", () => typed.int(2 ** 31)],
    ["long", () => typed.long(2n ** 63n)],
    ["float", () => typed.float(0.1)],
    ["decimal32", () => typed.decimal32(new Uint8Array(5))],
    ["char", () => typed.char("ab")],
    ["char", () => typed.char("")],
    ["char", () => typed.char("\ud800")],
    ["timestamp", () => typed.timestamp(2n ** 63n)],
    ["uuid", () => typed.uuid("no uuid")],
    ["symbol", () => typed.symbol("ñ")],
    ["double", () => make("double", "5")],
    ["char", () => make("char", 5)],
    ["timestamp", () => make("timestamp", 5)],
    ["uuid", () => make("uuid", 5)],
    ["symbol", () => make("symbol", 5)],
  ])("refuse what a %s cannot hold", (_type, act) => {
    expect(act).toThrow(SobreError);
    expect(act).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
  });

  it("take part in arithmetic, comparison and JSON as their values", () => {
    const [small, large] = [typed.uint(5), typed.ulong(2n ** 64n - 1n)];

    expect(Number(small) + 1).toBe(6);
    expect(small < typed.uint(6)).toBe(true);
    expect(JSON.stringify({ small, large })).toBe('{"small":5,"large":"18446744073709551615"}');
  });

  it("cannot be changed", () => {
    const five = typed.uint(5);

    expect(() => Object.assign(five, { value: 6 })).toThrow(TypeError);
    expect(new Typed("uint", 5)).toEqual(five);
  });
});

describe("AMQP maps", () => {
  const map = new AmqpMap([
    ["a", 1],
    [typed.symbol("a"), 2],
    [typed.symbol("__proto__"), 3],
    [5, 4],
  ]);

  it("keep their order and keys of any type", () => {
    expect([map.size, ...map]).toEqual([4, ["a", 1], [typed.symbol("a"), 2], [typed.symbol("__proto__"), 3], [5, 4]]);
    expect([map.keys().length, map.values()]).toEqual([4, [1, 2, 3, 4]]);
  });

  it("are asked by the text of a string or else of a symbol", () => {
    expect([map.get("a"), map.get("__proto__"), map.get("none"), map.get("5")]).toEqual([1, 3, undefined, undefined]);
  });

  it("prefer a string to a symbol of the same text that comes first", () => {
    const turned = new AmqpMap([
      [typed.symbol("a"), 2],
      ["a", 1],
    ]);

    expect(turned.get("a")).toBe(1);
  });

  it("become objects without a prototype, unless keys would be lost", () => {
    const object = new AmqpMap([[typed.symbol("__proto__"), 3]]).toObject();

    expect(Object.entries(object)).toEqual([["__proto__", 3]]);
    expect(Object.getPrototypeOf(object)).toBeNull();
    expect(() => map.toObject()).toThrow(expect.objectContaining({ code: "InvalidOperation" }));
  });
});
