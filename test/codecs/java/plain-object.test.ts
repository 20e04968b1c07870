import { describe, expect, it } from "vitest";
import { java, readStream } from "../../../codecs/java/index.ts";
import { resolveDecodeLimits } from "../../../src/core/codec/index.ts";
import { decodedBy, errorOf, hex } from "../legacy/reading.support.ts";

const text = (value: string): string =>
  `${value.length.toString(16).padStart(4, "0")}${Buffer.from(value, "latin1").toString("hex")}`;
const int = (value: number): string => value.toString(16).padStart(8, "0");
const reference = (index: number): string => `71 ${int(0x7e0000 + index)}`;
const point = `72 ${text("Point")} 0000000000000001 02 0003 49 ${text("x")} 5a ${text("on")} 43 ${text("c")} 78 70`;
const objects = `72 ${text("[Ljava.lang.Object;")} 0000000000000001 02 0000 78 70`;
const bytes = (body: string): Uint8Array => hex(`aced0005 ${body}`);
const read = (body: string): unknown => decodedBy(java(), bytes(body)).body;

// Handles: the array's class 0, the array 1, the points' class 2, the points from 3 on.
const first = `73 ${point} 00000001 01 0061`;
const second = `73 ${reference(2)} fffffffe 00 0062`;

describe("objects of primitive fields", () => {
  it("are read alike where the class is described and where it is referred to", () => {
    const { values, parts } = {
      values: read(`75 ${objects} ${int(2)} ${first} ${second}`),
      parts: readStream(bytes(`75 ${objects} ${int(2)} ${first} ${second}`), resolveDecodeLimits()).contents,
    };

    expect(values).toMatchObject([
      { x: 1, on: true },
      { x: -2, on: false },
    ]);
    expect(parts).toMatchObject([
      {
        elements: [
          { kind: "object", handle: 0x7e0003, parts: [{ values: [{ value: 1 }, { value: true }, { value: "a" }] }] },
          { kind: "object", handle: 0x7e0004, parts: [{ values: [{ value: -2 }, { value: false }, { value: "b" }] }] },
        ],
      },
    ]);
  });

  it("stay shared where a reference points at them, before and behind", () => {
    const list = read(`75 ${objects} ${int(4)} ${first} ${second} ${reference(4)} ${reference(3)}`);

    const [one, two, again, back]: readonly unknown[] = Array.isArray(list) ? list : [];

    expect(again).toBe(two);
    expect(back).toBe(one);
  });

  it("stay shared where an array and a list over it hold them", () => {
    // Handles: the outer array 1, the inner one 2, the points' class 3, the points 4 and 5, the list's class 6.
    const inner = `75 ${reference(0)} ${int(2)} ${first} ${second.replace(reference(2), reference(3))}`;
    const asList = `72 ${text("java.util.Arrays$ArrayList")} 0000000000000001 02 0001 5b ${text("a")} 74 ${text("[LO;")} 78 70`;
    const list = read(`75 ${objects} ${int(2)} ${inner} 73 ${asList} ${reference(2)}`);

    const [array, over]: readonly unknown[] = Array.isArray(list) ? list : [];
    const [, one]: readonly unknown[] = Array.isArray(array) ? array : [];
    const [, other]: readonly unknown[] = Array.isArray(over) ? over : [];

    expect(one).toMatchObject({ x: -2 });
    expect(other).toBe(one);
  });

  it("are refused where they end too early or hold an invalid boolean", () => {
    const cut = errorOf(() => read(`75 ${objects} ${int(2)} ${first} 73 ${reference(2)} fffffffe`));
    const wrong = errorOf(() => read(`75 ${objects} ${int(2)} ${first} 73 ${reference(2)} fffffffe 02 0062`));

    expect(cut.code).toBe("TruncatedPayload");
    expect(wrong.code).toBe("DecodeFailed");
  });
});
