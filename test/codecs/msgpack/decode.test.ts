import { addExtension, pack } from "msgpackr";
import { describe, expect, it } from "vitest";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { MsgpackExtension } from "../../../src/core/values/msgpack-extension.ts";
import { Instant } from "../../../src/core/values/instant.ts";
import { decode, failure, hex } from "./calls.support.ts";

describe("reading MessagePack", () => {
  it("reads 64-bit integers as numbers where they are safe, and as bigints beyond", () => {
    const payload = hex(
      "96 d3 0000000000000005 cf 001fffffffffffff cf 0020000000000000 d3 ffe0000000000001 d3 ffe0000000000000 cf ffffffffffffffff",
    );

    const body = decode(payload);

    expect(body).toEqual([5, 2 ** 53 - 1, 2n ** 53n, -(2 ** 53) + 1, -(2n ** 53n), 2n ** 64n - 1n]);
  });

  it("keeps the sign of a negative zero", () => {
    expect(Object.is(decode(hex("cb 8000000000000000")), -0)).toBe(true);
  });

  it("reads binary as a plain Uint8Array, also out of a Buffer", () => {
    const body = decode(Buffer.from(hex("c4 02 00 ff")));

    expect(Object.getPrototypeOf(body)).toBe(Uint8Array.prototype);
    expect(body).toEqual(Uint8Array.of(0, 255));
  });

  it("reads a map with other keys than strings as a Map in its order", () => {
    const body = decode(hex("83 a1 62 01 01 a1 78 a1 61 c0"));

    expect([...(body instanceof Map ? body : [])]).toEqual([
      ["b", 1],
      [1, "x"],
      ["a", null],
    ]);
  });

  it("reads deeply mixed maps in time that grows with their size alone", () => {
    const depth = 120;
    const payload = hex(`${"82 a1 61".repeat(depth)} c0 ${"01 02".repeat(depth)}`);

    const body = decode(payload);

    expect(body).toBeInstanceOf(Map);
  });

  it("keeps the last of equal keys, as JSON.parse does", () => {
    expect(decode(hex("82 a1 61 01 a1 61 02"))).toEqual({ a: 2 });
  });

  it("reads names of Object.prototype as ordinary members", () => {
    const body = decode(pack({ constructor: 1, toString: 2, hasOwnProperty: 3 }));

    expect(Object.entries(body ?? {})).toEqual([
      ["constructor", 1],
      ["toString", 2],
      ["hasOwnProperty", 3],
    ]);
  });

  it("keeps a byte order mark in a string", () => {
    expect(decode(hex("a5 efbbbf 61 62"))).toBe("\ufeffab");
  });

  it("adds nothing to the payload it reads", () => {
    const payload = hex("81 a1 61 01");

    decode(payload);

    expect(Object.keys(payload)).toEqual(["0", "1", "2", "3"]);
  });

  it("does not hand out what a later payload overwrites", () => {
    const first = decode(pack({ a: "first text", list: ["one", "two"] }));
    decode(pack({ a: "other text", list: ["six", "ten"] }));

    expect(first).toEqual({ a: "first text", list: ["one", "two"] });
  });
});

describe("extensions", () => {
  it("reads timestamps as Dates, or as Instants when they are finer or beyond Date", () => {
    const payload = hex("93 d6ff 5a4af6a5 d7ff a1dcd7c8 5a4af6a5 c70cff 00000000 7fffffffffffffff");

    const body = decode(payload);

    expect(body).toEqual([
      new Date("2018-01-02T03:04:05Z"),
      new Instant(1_514_862_245_678_901_234n),
      new Instant((2n ** 63n - 1n) * 1_000_000_000n),
    ]);
  });

  it.each([
    ["a length that is none of 4, 8 and 12", "c7 01 ff 00"],
    ["nanoseconds over 999,999,999", "d7ff ee6b2800 5a4af6a5"],
  ])("refuses a timestamp with %s", (_, payload) => {
    expect(failure(() => decode(hex(payload))).code).toBe("DecodeFailed");
  });

  it.each([
    ["a regular expression", 0x78],
    ["an error", 0x65],
    ["a set", 0x73],
    ["a typed array", 0x74],
    ["a record", 0x72],
    ["a bundle of strings", 0x62],
    ["undefined", 0x00],
    ["a bigint", 0x42],
  ])("keeps what msgpackr would revive as %s", (_, type) => {
    const body = decode(Uint8Array.of(0xc7, 3, type, 0x92, 0xa0, 0xa0));

    expect(body).toEqual(new MsgpackExtension(type, Uint8Array.of(0x92, 0xa0, 0xa0)));
    expect(Object.isFrozen(body)).toBe(true);
  });

  it("is not touched by extensions that others register with msgpackr", () => {
    addExtension({ type: 0x2a, unpack: () => "revived" });

    const body = decode(hex("d4 2a 07"));

    expect(body).toEqual(new MsgpackExtension(0x2a, Uint8Array.of(7)));
  });

  it.each([-129, 128, 1.5, -1])("has no extension of type %d", (type) => {
    expect(failure(() => new MsgpackExtension(type, new Uint8Array(0))).code).toBe("InvalidArgument");
  });
});

describe("refusing MessagePack", () => {
  it.each([
    ["0xc1", "c1", "DecodeFailed", 0],
    ["0xc1 inside", "92 01 c1", "DecodeFailed", 2],
    ["bytes after the value", "01 02", "TrailingBytes", 1],
    ["JSON, whose first byte is a number", "7b 22 61 22 3a 31 7d", "TrailingBytes", 1],
    ["a cut string", "a3 61", "TruncatedPayload", 1],
    ["a cut number", "cd 01", "TruncatedPayload", 1],
    ["a cut list", "92 01", "TruncatedPayload", 1],
    ["no bytes", "", "TruncatedPayload", 0],
    ["a cut map", "82 a1 61 01 a1", "TruncatedPayload", 5],
    ["a list that claims four billion elements", "dd ffffffff", "TruncatedPayload", 5],
    ["a map that claims four billion entries", "df ffffffff", "TruncatedPayload", 5],
    ["binary that claims four gigabytes", "c6 ffffffff 00", "TruncatedPayload", 5],
    ["a cut extension", "d8 01 00", "TruncatedPayload", 2],
    ["a string that is no UTF-8", "92 01 a2 c3 28", "DecodeFailed", 3],
    ["half a surrogate pair", "a3 ed a0 80", "DecodeFailed", 1],
    ["a key that is no UTF-8", "81 a1 ff 01", "DecodeFailed", 2],
  ])("refuses %s with the offset", (_, payload, code, offset) => {
    const error = failure(() => decode(hex(payload)));

    expect([error.code, error.offset]).toEqual([code, offset]);
  });

  it("refuses the key __proto__ unless it is asked to keep it, and never makes it a prototype", () => {
    const payload = hex("81 a9 5f5f70726f746f5f5f 81 a5 61646d696e c3");

    const refused = failure(() => decode(payload));
    const kept = decode(payload, {}, { protoKey: "keep" });

    expect([refused.code, refused.offset]).toEqual(["DecodeFailed", 1]);
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect(Object.entries(kept ?? {})).toEqual([["__proto__", { admin: true }]]);
  });

  it("refuses a value of protoKey that it does not know", () => {
    const options: object = { protoKey: "Keep" };

    expect(failure(() => decode(hex("c0"), {}, options))).toMatchObject({
      code: "InvalidArgument",
      message: 'protoKey must be one of "refuse", "keep".',
    });
  });

  it("reads other names with underscores", () => {
    expect(decode(hex("81 a9 5f5f76657273696f6e 01"))).toEqual({ __version: 1 });
  });

  it("counts depth before it reads", () => {
    const nested = Uint8Array.from({ length: 129 }, () => 0x91);

    const error = failure(() => decode(nested));

    expect([error.code, error.offset]).toEqual(["LimitExceeded", 129]);
  });

  it("ends nesting that only the stack limits with an error of ours", () => {
    const nested = new Uint8Array(2_000_000).fill(0x91);

    const error = failure(() => decode(nested, { maxDepth: 5_000_000, maxItems: 5_000_000 }));

    expect(["DecodeFailed", "TruncatedPayload"]).toContain(error.code);
  });

  it("counts the elements of all lists and maps together", () => {
    const payload = hex("92 93 01 02 03 82 a1 61 01 a1 62 02");

    expect(decode(payload, { maxItems: 7 })).toEqual([[1, 2, 3], { a: 1, b: 2 }]);
    expect(failure(() => decode(payload, { maxItems: 6 })).code).toBe("LimitExceeded");
  });
});

describe("sniffing MessagePack", () => {
  it.each([
    ["a map that begins with a string", "81 a1 61 01", "strong"],
    ["a map16 that begins with a string", "de 0001 a1 61 01", "strong"],
    ["a map that begins with a number", "81 01 02", "weak"],
    ["a list", "92 01 02", "weak"],
    ["one number", "07", "weak"],
    ["no bytes", "", "weak"],
    ["a number with bytes after it", "7b 22", "no"],
    ["an empty map with bytes after it", "80 00", "no"],
    ["0xc1", "c1", "no"],
  ])("takes %s as it should", (_, payload, sniff) => {
    expect(msgpack().sniff?.(hex(payload))).toBe(sniff);
  });
});
