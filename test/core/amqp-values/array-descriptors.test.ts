import { describe, expect, it } from "vitest";
import { decodeValue } from "../../../src/core/amqp-values/read-value.ts";
import { encodeValue } from "../../../src/core/amqp-values/encode-value.ts";
import { toTypedJson } from "../../../codecs/amqp/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import type { AmqpValue } from "../../../src/core/values/typed.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { hex } from "./vectors.support.ts";

/** An array of `count` zeros whose constructor has the descriptors "a" and `inner`. */
function arrayOf(inner: Uint8Array, count: number): Uint8Array {
  const content = Buffer.concat([hex("00a3016100"), inner, hex("43")]);
  const head = Buffer.alloc(9, 0xf0);
  head.writeUInt32BE(content.byteLength + 4, 1);
  head.writeUInt32BE(count, 5);
  return Buffer.concat([head, content]);
}

/** Such arrays, each the inner descriptor of the next. */
function nested(levels: number, count: number): Uint8Array {
  let bytes = hex("a30162");
  for (let level = 0; level < levels; level++) bytes = arrayOf(bytes, count);
  return bytes;
}

describe("arrays whose elements show a descriptor of the constructor", () => {
  it("are refused when they nest to represent more values than the budget", () => {
    // 20 levels of 10 elements are 10^20 descriptors in 305 bytes.
    expect(() => decodeValue(nested(20, 10))).toThrow(expect.objectContaining({ code: "LimitExceeded" }));
  });

  it("are refused when a long descriptor is shown by many elements", () => {
    const long = Buffer.concat([hex("b300030d40"), Buffer.alloc(200_000, "a")]);

    expect(decodeValue(arrayOf(long, 2))).toBeDefined();
    expect(() => decodeValue(arrayOf(long, 4096))).toThrow(expect.objectContaining({ code: "LimitExceeded" }));
  });

  it("are written in steps that grow with their size, however deep they nest", () => {
    const value = decodeValue(nested(60, 1));

    const again = decodeValue(encodeValue(value));

    expect(toTypedJson(again)).toEqual(toTypedJson(value));
  });

  it("are written when the descriptors of the elements are equal and not the same object", () => {
    const elements = [1, 2].map((value) => typed.described([typed.symbol("b"), 5n], value));

    const array = typed.array("described", elements, typed.symbol("a"));

    expect(decodeValue(encodeValue(array))).toEqual(array);
  });
});

/** 1500 arrays in one another. */
function chain(wrap: (inner: AmqpValue) => AmqpValue): AmqpValue {
  let value: AmqpValue = typed.array("int", [1]);
  for (let level = 0; level < 1500; level++) value = wrap(value);
  return value;
}

describe("arrays that nest deeper than the stack holds", () => {
  it.each<[string, AmqpValue]>([
    ["arrays of arrays", chain((inner) => typed.array("array", [inner]))],
    ["arrays of lists", chain((inner) => typed.array("list", [[inner]]))],
    ["described elements", chain((inner) => typed.array("described", [typed.described(inner, 1)], typed.symbol("a")))],
  ])("are refused as values that do not end: %s", (_what, value) => {
    for (const render of [encodeValue, toTypedJson]) {
      expect(() => render(value)).toThrow(expect.objectContaining({ code: "UnsupportedValue" }));
      expect(() => render(value)).toThrow(SobreError);
    }
  });
});
