import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toMessage } from "../../../codecs/protobuf/check.ts";
import { quickCheck } from "../../../codecs/protobuf/quick-check.ts";
import { openSchema } from "../../../codecs/protobuf/reflection.ts";
import { failure, toHex } from "../msgpack/calls.support.ts";
import { calls } from "./calls.support.ts";

const protos = readFileSync(join(import.meta.dirname, "../../../fixtures/codecs/every.proto"), "utf8");
const { encode, decode } = calls({ protos, type: "golden.Every" });

describe("writing Protobuf", () => {
  it.each([
    ["a safe integer for 64 bits", { aInt64: -5 }, { aInt64: -5n }],
    ["a number of an enum", { status: 1, statuses: [99] }, { status: "PLACED", statuses: [99] }],
    ["an integer for a double", { aDouble: 3 }, { aDouble: 3 }],
    ["a number that a float holds roughly", { aFloat: 0.1 }, { aFloat: Math.fround(0.1) }],
    ["a member that is undefined", { aString: undefined, inner: undefined, textByText: undefined }, { aString: "" }],
    ["an object without prototype", Object.assign(Object.create(null), { aInt32: 1 }), { aInt32: 1 }],
    ["largest keys", { longByLong: { "9223372036854775807": 1n } }, { longByLong: { "9223372036854775807": 1n } }],
  ])("takes %s", (_, body, expected) => {
    expect(decode(encode(body)).body).toMatchObject(expected);
  });

  it("knows the types that schema registries have without being given them", () => {
    const amount = 'import "confluent/type/decimal.proto"; message Price { confluent.type.Decimal amount = 1; }';
    const price = calls({ protos: `syntax = "proto3"; ${amount}`, type: "Price" });
    const body = { amount: { value: Uint8Array.of(5), precision: 8, scale: 3 } };

    expect(price.decode(price.encode(body)).body).toEqual(body);
  });

  it("leaves defaults out, and keeps them where presence counts", () => {
    expect(toHex(encode({ aString: "", aInt64: 0n, status: "UNKNOWN", manyInt32: [], textByText: {} }))).toBe("");
    expect(decode(encode({ maybe: 0, byMail: "" })).body).toMatchObject({ maybe: 0, byMail: "" });
  });

  it.each([
    ["a text for a number", { aInt32: "abc" }, "$.aInt32"],
    ["a number for a text", { aString: 5 }, "$.aString"],
    ["a text for bytes", { aBytes: "AAAA" }, "$.aBytes"],
    ["a number for a boolean", { aBool: 1 }, "$.aBool"],
    ["a fraction", { aInt32: 1.5 }, "$.aInt32"],
    ["a negative zero for an integer", { aInt64: -0 }, "$.aInt64"],
    ["a bigint for 32 bits", { aInt32: 1n }, "$.aInt32"],
    ["more than 32 bits", { aInt32: 2 ** 31 }, "$.aInt32"],
    ["a negative number without a sign", { aUint32: -1 }, "$.aUint32"],
    ["more than 64 bits", { aInt64: 2n ** 63n }, "$.aInt64"],
    ["a negative bigint without a sign", { manyUint64: [1n, -1n] }, "$.manyUint64[1]"],
    ["an integer that is not safe", { aInt64: 2 ** 53 }, "$.aInt64"],
    ["a number beyond a float", { aFloat: 1e300 }, "$.aFloat"],
    ["a name that the enum lacks", { status: "NOBODY" }, "$.status"],
    ["a name of Object.prototype for an enum", { status: "constructor" }, "$.status"],
    ["a fraction for an enum", { status: 0.5 }, "$.status"],
    ["null", { inner: { aString: null } }, "$.inner.aString"],
    ["undefined in a list", { manyString: ["a", undefined] }, "$.manyString[1]"],
    ["a value for a list", { manyInt32: 1 }, "$.manyInt32"],
    ["a Map for a map", { textByText: new Map() }, "$.textByText"],
    ["a key that is no number", { everyByNumber: { a: {} } }, "$.everyByNumber.a"],
    ["a key out of range", { everyByNumber: { "4294967296": {} } }, '$.everyByNumber["4294967296"]'],
    ["a key with a leading zero", { longByLong: { "01": 1n } }, '$.longByLong["01"]'],
    ["a key that is no boolean", { bytesByBool: { yes: Uint8Array.of() } }, "$.bytesByBool.yes"],
    ["half a surrogate pair", { inner: { aString: "\ud800" } }, "$.inner.aString"],
    ["a field that is none", { inner: { total: 1 } }, "$.inner.total"],
    ["a field in another case", { a_int32: 1 }, "$.a_int32"],
    ["two members of a oneof", { byMail: "a", byPhone: 1n }, "$.byPhone"],
    ["a date", { inner: new Date(0) }, "$.inner"],
    ["a list for a message", { inner: [] }, "$.inner"],
    ["a function", () => 1, "$"],
    ["a text", "text", "$"],
  ])("refuses %s with its path", (_, body, path) => {
    const error = failure(() => encode(body));

    expect([error.code, error.path]).toEqual(["UnsupportedValue", path]);
  });

  it("refuses a message without a required field", () => {
    const strict = calls({ protos: 'syntax = "proto2"; message Strict { required string id = 1; }', type: "Strict" });

    const error = failure(() => strict.encode({ id: undefined }));

    expect([error.code, error.path]).toEqual(["UnsupportedValue", "$.id"]);
  });

  it("refuses numbers that a closed enum lacks", () => {
    const closed = calls({ protos: 'syntax = "proto2"; enum E { A = 1; } message M { optional E e = 1; }', type: "M" });

    expect(failure(() => closed.encode({ e: 2 })).path).toBe("$.e");
  });

  it("refuses a body that contains itself", () => {
    const body: Record<string, unknown> = {};
    body["inner"] = body;

    expect(failure(() => encode(body)).code).toBe("UnsupportedValue");
  });

  it("leaves the body as it is", () => {
    const body = { status: "PLACED", aInt64: 1n, manyInt64: [1n, 2n], inner: { statuses: ["LOST"] } };

    encode(body);

    expect(body).toEqual({ status: "PLACED", aInt64: 1n, manyInt64: [1n, 2n], inner: { statuses: ["LOST"] } });
  });
});

describe("the quick check", () => {
  const simple = `syntax = "proto3"; enum E { NONE = 0; ONE = 1; } message M { string s = 1; int32 i = 2; uint32 u = 3; int64 l = 4; uint64 ul = 5;
    double d = 6; float f = 7; bool b = 8; bytes bin = 9; E e = 10; M m = 11; repeated M ms = 12; repeated int64 ls = 13; repeated E es = 14; map<string, string> map = 15; }`;
  const shape = openSchema({ protos: simple }).get("M")?.shape;
  if (shape === undefined) throw new Error("The schema has no message M.");

  const values = [
    "text",
    "\ud800",
    "ONE",
    0,
    -0,
    1,
    -1,
    1.5,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    1e300,
    Number.NaN,
    5n,
    -5n,
    2n ** 63n,
    2n ** 64n,
    true,
    null,
    undefined,
    {},
    [],
    [{}],
    [1n],
    [2n ** 60n],
    ["ONE"],
    [undefined],
    Uint8Array.of(1),
    { s: "x" },
    { no: 1 },
    Symbol("s"),
  ];

  it("passes nothing that the thorough one refuses, and gives what it gives", () => {
    const quick = quickCheck(shape);
    let passed = 0;
    for (const name of [...shape.fields.map((field) => field.name), "unknown"]) {
      for (const value of values) {
        const body = { s: "x", [name]: value };

        const message = quick(body, 0);

        if (message === undefined) continue;
        passed++;
        expect(message).toEqual(toMessage(body, shape));
      }
    }
    expect(passed).toBeGreaterThan(60);
  });
});
