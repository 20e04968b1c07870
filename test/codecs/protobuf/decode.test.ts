import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { valueFromJson } from "../../../src/core/values/value-json-reading.ts";
import { failure, hex } from "../msgpack/calls.support.ts";
import { calls } from "./calls.support.ts";

const fixtures = join(import.meta.dirname, "../../../fixtures/codecs");
const golden: { payloads: readonly { name: string; hex: string; body: unknown }[] } = JSON.parse(
  readFileSync(join(fixtures, "protobuf.json"), "utf8"),
);
const every = calls({ protos: readFileSync(join(fixtures, "every.proto"), "utf8"), type: "golden.Every" });

describe("payloads of another implementation (fixtures/codecs/protobuf.json)", () => {
  it.each(golden.payloads)("reads $name", (payload) => {
    expect(every.decode(hex(payload.hex)).body).toEqual(valueFromJson(payload.body));
  });

  it.each(golden.payloads)("brings $name back", (payload) => {
    const body = valueFromJson(payload.body);

    expect(every.decode(every.encode(body)).body).toEqual(body);
  });
});

describe("reading Protobuf", () => {
  it("shows fields without presence with their defaults, and the others only when they were sent", () => {
    const { decode } = calls({
      protos: `syntax = "proto3"; enum E { NONE = 0; } message M { string s = 1; int64 l = 2; bytes b = 3; E e = 4; bool t = 5;
        repeated M list = 6; map<string, int64> map = 7; optional int32 maybe = 8; M message = 9; oneof choice { string left = 10; string right = 11; } }`,
      type: "M",
    });

    expect(decode(new Uint8Array(0)).body).toEqual({
      s: "",
      l: 0n,
      b: new Uint8Array(0),
      e: "NONE",
      t: false,
      list: [],
      map: {},
    });
    expect(decode(hex("40 00 5a 00")).body).toMatchObject({ maybe: 0, right: "" });
  });

  it("gives every body lists and bytes of its own", () => {
    const { decode } = calls({
      protos: 'syntax = "proto3"; message M { repeated int32 list = 1; bytes b = 2; }',
      type: "M",
    });

    const first = decode(new Uint8Array(0)).body;
    if (typeof first === "object" && first !== null && "list" in first && Array.isArray(first.list)) first.list.push(1);

    expect(decode(new Uint8Array(0)).body).toEqual({ list: [], b: new Uint8Array(0) });
    expect(first).toMatchObject({ list: [1] });
  });

  it("reads bytes as plain views of the payload, also out of a Buffer", () => {
    const { decode } = calls({ protos: 'syntax = "proto3"; message M { bytes b = 1; }', type: "M" });

    const { body } = decode(Buffer.from(hex("0a 02 00 ff")));

    expect(body).toStrictEqual({ b: Uint8Array.of(0, 255) });
  });

  it("gives entries that lack key or value their defaults", () => {
    const { decode } = calls({
      protos:
        'syntax = "proto3"; message M { map<string, int64> longs = 1; map<int64, bytes> bytes = 2; map<int32, M> messages = 3; }',
      type: "M",
    });

    expect(decode(hex("0a 00 12 00 1a 00")).body).toEqual({
      longs: { "": 0n },
      bytes: { "0": new Uint8Array(0) },
      messages: { "0": { longs: {}, bytes: {}, messages: {} } },
    });
  });

  it("keeps a map key __proto__ as an own property", () => {
    const { decode } = calls({ protos: 'syntax = "proto3"; message M { map<string, M> map = 1; }', type: "M" });

    const { body } = decode(hex("0a 0d 0a 09 5f5f70726f746f5f5f 12 00"));

    expect(
      Object.getOwnPropertyNames(typeof body === "object" && body !== null && "map" in body ? body.map : {}),
    ).toEqual(["__proto__"]);
  });

  it("leaves out fields that the schema lacks, with a warning that names them", () => {
    const { decode } = calls({ protos: 'syntax = "proto3"; message M { string s = 1; repeated M m = 2; }', type: "M" });

    const decoded = decode(hex("0a 01 78 38 05 12 02 48 01 3a 01 00"));

    expect(decoded.body).toEqual({ s: "x", m: [{ s: "", m: [] }] });
    expect(decoded.warnings).toEqual(["M has no field of number 9, 7; what was sent there is left out."]);
  });

  it("warns of numbers that a closed enum lacks, and keeps those of an open one", () => {
    const closed = calls({ protos: 'syntax = "proto2"; enum E { A = 1; } message M { optional E e = 1; }', type: "M" });
    const open = calls({ protos: 'syntax = "proto3"; enum E { A = 0; } message M { E e = 1; }', type: "M" });

    expect(closed.decode(hex("08 07"))).toMatchObject({ body: {}, warnings: [expect.stringContaining("Field 1 of")] });
    expect(open.decode(hex("08 07"))).toEqual({ body: { e: 7 }, typeName: "M" });
  });

  it("takes the last of several members of a oneof", () => {
    const { decode } = calls({
      protos: 'syntax = "proto3"; message M { oneof c { string a = 1; string b = 2; } }',
      type: "M",
    });

    expect(decode(hex("0a 01 78 12 01 79")).body).toEqual({ b: "y" });
  });
});

/** A message that contains itself `depth` times in field 2. */
function nested(depth: number): Uint8Array {
  let payload = new Uint8Array(0);
  for (let level = 1; level < depth; level++) {
    const { length } = payload;
    const head = length > 127 ? [(length & 127) | 128, length >> 7] : [length];
    payload = Uint8Array.of(0x12, ...head, ...payload);
  }
  return payload;
}

describe("refusing Protobuf", () => {
  const { decode } = calls({
    protos: `syntax = "proto2"; message M { optional string s = 1; optional M m = 2; repeated int32 n = 3 [packed = true]; optional int64 l = 4; }
      message Strict { required string id = 1; }`,
    type: "M",
  });

  it.each([
    ["a cut text", "0a 05 61", "TruncatedPayload"],
    ["a cut number", "20 ff ff", "TruncatedPayload"],
    ["a cut number of many bytes", "20 ff ff ff ff ff ff ff ff", "TruncatedPayload"],
    ["a tag without its value", "0a", "TruncatedPayload"],
    ["a message that ends within its field", "12 02 0a 05 61 62 63 64 65", "DecodeFailed"],
    ["a number of eleven bytes", "20 ff ff ff ff ff ff ff ff ff ff 01", "DecodeFailed"],
    ["a text that is no UTF-8, of proto2 too", "0a 01 ff", "DecodeFailed"],
    ["field number 0", "02 00", "DecodeFailed"],
    ["a wire type there is not", "0e 00", "DecodeFailed"],
    ["a group that nothing begins", "0c", "DecodeFailed"],
  ])("refuses %s with the offset", (_, payload, code) => {
    const error = failure(() => decode(hex(payload)));

    expect(error.code).toBe(code);
    expect(error.offset).toBeGreaterThan(0);
    expect(error.cause).toBeUndefined();
  });

  it.each(["E", "M"])(
    "passes over groups that %s does not have, in each other, and refuses those that end wrongly",
    (type) => {
      const fieldless = calls({ protos: 'syntax = "proto3"; message M { E e = 1; } message E {}', type });

      const left = ["2b 2c", "1b 08 01 1c", "83 01 13 14 84 01", "9b 0f 1b 1c 9c 0f"];
      for (const payload of left) expect(fieldless.decode(hex(payload)).body).toEqual({});
      for (const payload of ["2b 1c", "1b 14", "13 1b 14 1c", "83 01 84 02", "0b", "02 00"])
        expect(() => fieldless.decode(hex(payload))).toThrow();
    },
  );

  it("refuses a message without a required field", () => {
    const error = failure(() => decode(new Uint8Array(0), { contentType: "application/protobuf; messageType=Strict" }));

    expect(error.code).toBe("DecodeFailed");
  });

  it("counts messages in each other", () => {
    const threeDeep = hex("12 02 12 00");

    expect(decode(threeDeep, { limits: { maxDepth: 3 } }).body).toEqual({ m: { m: { n: [] }, n: [] }, n: [] });
    expect(failure(() => decode(threeDeep, { limits: { maxDepth: 2 } })).code).toBe("LimitExceeded");
  });

  it("reads as many messages in each other as the limit says, also more than protobufjs does by itself", () => {
    expect(decode(nested(128)).typeName).toBe("M");
    expect(failure(() => decode(nested(129)))).toMatchObject({
      code: "LimitExceeded",
      message: "The payload exceeds limits.maxDepth, which is 128.",
    });
    expect(decode(nested(300), { limits: { maxDepth: 300 } }).typeName).toBe("M");
  });

  it("refuses what is nested too deep for the stack, whatever the limit", () => {
    const error = failure(() => decode(new Uint8Array(200_000).fill(0x7b), { limits: { maxDepth: 1_000_000 } }));

    expect(error.code).toBe("LimitExceeded");
  });

  it.each([
    ["15 01 00 00 00", 0],
    ["18 01 78 01 15 01 00 00 00", 4],
    ["12 05 15 01 00 00 00", 2],
  ])("refuses a field of the schema that was sent with another wire type, as %s", (payload, offset) => {
    const error = failure(() => decode(hex(payload)));

    expect([error.code, error.offset]).toEqual(["DecodeFailed", offset]);
    expect(error.message).toContain("Field 2 was sent as fixed32, and M has message there");
  });

  it("refuses it among more unknown fields than are listed, and in a part of a larger buffer", () => {
    const unknown = Array.from({ length: 60 }, (_, index) => [0x80 | ((index % 16) << 3), 1 + (index >> 4), 1]).flat();
    const payload = Uint8Array.of(0, 0, 0, ...unknown, 0x15, 1, 0, 0, 0).subarray(3);

    expect(failure(() => decode(payload))).toMatchObject({ code: "DecodeFailed", offset: unknown.length });
  });

  it("makes no element of a packed list that is too long, and few of unknown fields", () => {
    const packed = Uint8Array.of(0x1a, 0x80, 0x01, ...new Uint8Array(128).fill(1));
    const unknown = new Uint8Array(40_000).fill(0).map((_, index) => (index % 2 === 0 ? 0x78 : 1));

    expect(decode(packed, { limits: { maxItems: 128 } }).body).toEqual({ n: Array.from({ length: 128 }, () => 1) });
    expect(failure(() => decode(packed, { limits: { maxItems: 127 } })).code).toBe("LimitExceeded");
    expect(decode(unknown, { limits: { maxItems: 20_000 } }).warnings).toEqual([
      "M has no field of number 15; what was sent there is left out.",
    ]);
  });

  it("counts packed numbers and everything else that has a tag", () => {
    const packed = hex("1a 04 01 02 03 04");
    const tagged = hex("18 01 18 02 18 03 18 04");

    for (const payload of [packed, tagged]) {
      expect(decode(payload, { limits: { maxItems: 4 } }).body).toEqual({ n: [1, 2, 3, 4] });
      expect(failure(() => decode(payload, { limits: { maxItems: 3 } })).code).toBe("LimitExceeded");
    }
  });
});
