import { describe, expect, it } from "vitest";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { MsgpackExtension } from "../../../src/core/values/msgpack-extension.ts";
import { Instant } from "../../../src/core/values/instant.ts";
import { decode, encode, failure, toHex } from "./calls.support.ts";

describe("writing MessagePack", () => {
  it.each([
    ["nothing", undefined, ""],
    ["a small map in one byte", { a: 1 }, "81a16101"],
    ["a safe integer of more than 32 bits as an integer", 1_715_938_282_418, "cf0000018f85e44bb2"],
    ["a negative one likewise", -(2 ** 33), "d3fffffffe00000000"],
    ["a negative zero as a float", -0, "cb8000000000000000"],
    ["an integer beyond the safe ones as a float", 2 ** 60, "cb43b0000000000000"],
    ["a bigint as a 64-bit integer", -2n, "d3fffffffffffffffe"],
    ["a large bigint", 2n ** 64n - 1n, "cfffffffffffffffff"],
    ["bytes", Uint8Array.of(1, 2), "c4020102"],
    ["a Map with its keys as they are", new Map<unknown, unknown>([[1, "x"]]), "8101a178"],
    ["a date of whole seconds in four bytes", new Date("2018-01-02T03:04:05Z"), "d6ff5a4af6a5"],
    ["an instant of nanoseconds in eight", new Instant(1_514_862_245_678_901_234n), "d7ffa1dcd7c85a4af6a5"],
    ["a date before 1970 in twelve", new Date(-1), "c70cff3b8b87c0ffffffffffffffff"],
    ["an extension as it came", new MsgpackExtension(-2, Uint8Array.of(9)), "d4fe09"],
    ["an extension of another length", new MsgpackExtension(5, Uint8Array.of(1, 2, 3)), "c70305010203"],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), "81a16101"],
  ])("writes %s", (_, body, expected) => {
    expect(toHex(encode(body))).toBe(expected);
  });

  it("leaves out members that are undefined, and counts the others", () => {
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`k${index}`, index % 2 ? index : undefined]),
    );

    expect(toHex(encode({ a: undefined, b: 1 }))).toBe("81a16201");
    expect(decode(encode(many))).toEqual(
      Object.fromEntries(Object.entries(many).filter(([, value]) => value !== undefined)),
    );
  });

  it("counts right when the buffer grows within the map", () => {
    const body = { gone: undefined, long: "x".repeat(100_000), last: 1 };

    expect(decode(encode(body))).toEqual({ long: "x".repeat(100_000), last: 1 });
  });

  it.each([0, 31, 32, 47, 48, 255, 256, 65_535, 65_536])(
    "writes strings of %d characters in every script",
    (length) => {
      const texts = ["a", "é", "€", "\u{1f600}"].map((letter) => letter.repeat(length));

      expect(decode(encode(texts))).toEqual(texts);
    },
  );

  it.each([
    ["undefined in a list", { list: [1, undefined] }, "$.list[1]"],
    ["a function", { a: { b: () => 1 } }, "$.a.b"],
    ["a symbol", [Symbol("s")], "$[0]"],
    ["a bigint of more than 64 bits", { n: 2n ** 64n }, "$.n"],
    ["a negative bigint of more than 64 bits", { n: -(2n ** 63n) - 1n }, "$.n"],
    ["a set", { set: new Set() }, "$.set"],
    ["a regular expression", [/x/], "$[0]"],
    ["an error", new Error("x"), "$"],
    ["a typed array that is not of bytes", [[new Float64Array(1)]], "$[0][0]"],
    ["an invalid date", { at: new Date(Number.NaN) }, "$.at"],
    ["an instant beyond 64 bits of seconds", new Instant(10n ** 30n), "$"],
    ["half a surrogate pair", { "a b": "\ud800" }, '$["a b"]'],
    ["half a surrogate pair in a long text", ["x".repeat(100) + "\udc00"], "$[0]"],
    ["half a surrogate pair in a name", { "\ud800": 1 }, '$["\\ud800"]'],
    ["a value of a Map", new Map([["k", Symbol("s")]]), "$.k"],
  ])("refuses %s with its path", (_, body, path) => {
    const error = failure(() => encode(body));

    expect([error.code, error.path]).toEqual(["UnsupportedValue", path]);
  });

  it("refuses a member __proto__ unless it is asked to keep it", () => {
    const body: unknown = JSON.parse('{"__proto__":{"a":1}}');

    expect(failure(() => encode(body)).path).toBe("$.__proto__");
    expect(toHex(encode(body, { protoKey: "keep" }))).toBe("81a95f5f70726f746f5f5f81a16101");
  });

  it("refuses a body that contains itself", () => {
    const body: Record<string, unknown> = {};
    body["self"] = body;

    expect(failure(() => encode(body)).code).toBe("UnsupportedValue");
  });

  it("lets a getter of the body encode another body meanwhile", () => {
    const body = {
      before: 1,
      get inner(): Uint8Array {
        return encode({ nested: true });
      },
      after: 2,
    };

    expect(decode(encode(body))).toEqual({ before: 1, inner: encode({ nested: true }), after: 2 });
  });

  it("is a frozen plain object", () => {
    const codec = msgpack();

    expect(Object.isFrozen(codec)).toBe(true);
    expect([codec.name, codec.contentType]).toEqual(["msgpack", "application/vnd.msgpack"]);
  });

  it("goes on after somebody transferred the buffer of a payload away", () => {
    const payload = encode({ a: 1 });

    if (payload.buffer instanceof ArrayBuffer) structuredClone(payload.buffer, { transfer: [payload.buffer] });

    expect(decode(encode({ a: 2 }))).toEqual({ a: 2 });
  });

  it("shows the first 32 steps of the path to what is nested too deep", () => {
    const body: unknown[] = [];
    body.push(body);

    expect(failure(() => encode(body)).path).toBe(`$${"[0]".repeat(32)}…`);
  });
});
