import { describe, expect, it } from "vitest";
import { checkCompatibility, type ProtobufPolicy } from "../../src/contract/index.ts";

const message = (fields: string, name = "M") => `syntax = "proto3"; package a; message ${name} { ${fields} }`;
const message2 = (fields: string) => `syntax = "proto2"; package a; enum E { A = 1; B = 2; } message M { ${fields} }`;
const service = (option: string) => `${message("int32 n = 1;")} service S { rpc Get(M) returns (M) { ${option} } }`;
const compare = (older: string, newer: string, policy: ProtobufPolicy = "wire") =>
  checkCompatibility({ format: "protobuf", older, newer, policy });

describe("checkCompatibility of Protobuf schemas", () => {
  it.each([
    ["widens a number", "int32 n = 1;", "int64 n = 1;", "safe"],
    ["narrows a number", "int64 n = 1;", "int32 n = 1;", "breaking"],
    ["reads text as bytes", "string s = 1;", "bytes s = 1;", "safe"],
    ["reads bytes as text", "bytes s = 1;", "string s = 1;", "breaking"],
    ["makes a list of a single text", "string s = 1;", "repeated string s = 1;", "safe"],
    ["makes a single text of a list", "repeated string s = 1;", "string s = 1;", "breaking"],
    [
      "moves one field into a new oneof",
      "string s = 1; int32 n = 2;",
      "oneof o { string s = 1; } int32 n = 2;",
      "safe",
    ],
    ["joins two fields in a oneof", "string s = 1; int32 n = 2;", "oneof o { string s = 1; int32 n = 2; }", "breaking"],
    ["drops a field and keeps its number free", "string s = 1; int32 n = 2;", "int32 n = 2;", "breaking"],
    ["drops a field and reserves its number", "string s = 1; int32 n = 2;", "reserved 1; int32 n = 2;", "safe"],
  ])("on the wire, when the reader %s", async (_, older, newer, verdict) => {
    const result = await compare(message(older), message(newer));

    expect(result.verdict).toBe(verdict);
    if (verdict === "breaking")
      expect(result.findings[0]?.witness?.encodings[0]?.payload.byteLength).toBeGreaterThan(0);
  });

  it.each([
    ["optional int32 n = 1 [default = 5];", "optional int32 n = 1 [default = 6];", "reads 6", "instead of 5"],
    ['optional string n = 1 [default = "a"];', "optional string n = 1;", 'reads ""', 'instead of "a"'],
    ["optional bool n = 1;", "optional bool n = 1 [default = true];", "reads true", "instead of false"],
    ["optional E n = 1;", "optional E n = 1 [default = B];", "reads B", "instead of A"],
    ["optional double n = 1 [default = inf];", "optional double n = 1 [default = -inf];", "-Infinity", "Infinity"],
    ["optional int32 n = 1 [default = 5];", "repeated int32 n = 1;", "reads nothing", "instead of 5"],
    ["oneof o { int32 n = 1 [default = 3]; }", "oneof o { int32 n = 1; }", "reads 0", "instead of 3"],
  ])("breaks on the wire when what is left out means something else: %s %s", async (older, newer, read, meant) => {
    const { verdict, findings } = await compare(message2(older), message2(newer));

    expect([verdict, findings.map(({ code }) => code)]).toEqual(["breaking", ["field-default-changed"]]);
    expect(findings[0]?.witness?.outcome).toContain(read);
    expect(findings[0]?.witness?.outcome).toContain(meant);
    expect(findings[0]?.witness?.encodings[0]?.payload.byteLength).toBe(0);
  });

  it.each([
    ["optional int32 n = 1 [default = 0x10];", "optional int64 n = 1 [default = 16];"],
    ["optional int32 n = 1 [default = 0];", "optional int32 n = 1;"],
    ['optional string n = 1 [default = "a"];', 'optional bytes n = 1 [default = "a"];'],
    ["required int32 n = 1 [default = 5];", "required int32 n = 1 [default = 6];"],
    ["optional float n = 1 [default = nan];", "optional float n = 1 [default = nan];"],
    ["optional E n = 1;", "optional E n = 1 [default = A];"],
  ])("is safe on the wire when what is left out means the same: %s %s", async (older, newer) => {
    const { verdict } = await compare(message2(older), message2(newer));

    expect(verdict).toBe("safe");
  });

  it("breaks when a procedure may be called in another way", async () => {
    const { findings } = await compare(service(""), service("option idempotency_level = NO_SIDE_EFFECTS;"));

    expect(findings.map(({ code, message: what }) => [code, what])).toEqual([
      [
        "rule-procedure-changed",
        "The procedure a.S.Get went from IDEMPOTENCY_UNKNOWN to NO_SIDE_EFFECTS, so it may be called differently.",
      ],
    ]);
  });

  it("proves nothing of a message that becomes a message set", async () => {
    const older = message2("extensions 4 to 100;");
    const newer = message2("option message_set_wire_format = true; extensions 4 to 100;");

    expect((await compare(older, newer)).verdict).toBe("unproven");
  });

  it("breaks when a zero that proto3 leaves out meets a default", async () => {
    const { findings } = await compare(message("int32 n = 1;"), message2("optional int32 n = 1 [default = 5];"));

    expect(findings.map(({ code, witness }) => [code, witness?.outcome])).toEqual([
      ["field-default-changed", "reads 5 for field 1, which was left out, instead of 0"],
    ]);
  });

  it("is safe on the wire and breaking in JSON when a field is renamed, in one row each", async () => {
    const result = await compare(message("string old_name = 1;"), message("string new_name = 1;"), "json");

    expect(result.rows.map(({ codec, verdict }) => [codec, verdict])).toEqual([
      ["protobuf", "safe"],
      ["json", "breaking"],
    ]);
    expect(result.findings[0]?.witness?.outcome).toContain("refuses $.oldName");
  });

  it("says all that a removed field must leave behind", async () => {
    const result = await compare(message("int32 n = 1; string note = 2;"), message("int32 n = 1;"), "json");

    expect(result.findings.map(({ repair }) => repair)).toEqual(['Add to a.M: reserved 2; reserved "note";']);
  });

  it.each([
    ["a type that is gone", message("int32 n = 1;"), message("string other = 7;", "Other")],
    [
      "types with nothing in common",
      message("int32 n = 1;"),
      'syntax = "proto3"; package a; message Other { string s = 2; }',
    ],
    ["nothing at all", 'syntax = "proto3"; package a;', 'syntax = "proto3"; package a;'],
  ])("proves nothing of %s", async (_, older, newer) => {
    const { verdict, rows, tried } = await compare(older, newer);

    expect([verdict, ...rows.map((row) => row.verdict)]).toEqual(["unproven", "unproven", "unproven"]);
    expect(tried).toHaveLength(1);
  });

  it("lets an older reader skip a field that was added", async () => {
    const [older, newer] = [message("int32 n = 1;"), message("int32 n = 1; string s = 2;")];

    const result = await checkCompatibility({ format: "protobuf", older, newer, direction: "full", policy: "wire" });

    expect(result.verdict).toBe("safe");
  });

  it("compares a renamed message by its structure", async () => {
    const same = await compare(message("string s = 1;", "Before"), message("string s = 1;", "After"));

    expect(same.verdict).toBe("safe");
    expect(same.trace?.[0]).toBe("a.Before is read as a.After:");
  });

  it("compares messages that contain themselves", async () => {
    const result = await compare(message("M next = 1; int32 n = 2;"), message("M next = 1; string n = 2;"));

    expect(result.verdict).toBe("breaking");
  });

  it("refuses a schema that lacks an import", async () => {
    const older = 'syntax = "proto3"; import "other.proto"; message M { Other o = 1; }';

    await expect(compare(older, older)).rejects.toMatchObject({
      code: "InvalidArgument",
      message: expect.stringContaining("other.proto"),
    });
  });
});
