import { describe, expect, it } from "vitest";
import { checkCompatibility, type ProtobufPolicy } from "../../src/contract/index.ts";

const message = (fields: string) => `syntax = "proto3"; package a; message M { ${fields} }`;
const message2 = (fields: string) => `syntax = "proto2"; package a; message M { ${fields} }`;
const imported = (name: string, fields: string) =>
  `syntax = "proto3"; package a; import "google/protobuf/${name}.proto"; message M { ${fields} }`;
const compare = (older: string, newer: string, policy: ProtobufPolicy = "json") =>
  checkCompatibility({ format: "protobuf", older, newer, policy });

const timestamp = imported("timestamp", "google.protobuf.Timestamp t = 1;");
const duration = imported("duration", "google.protobuf.Duration t = 1;");
const wrapper = imported("wrappers", "google.protobuf.StringValue t = 1;");
const file = (option: string) =>
  `edition = "2023"; package a; ${option} message N { int32 x = 1; } message M { map<string, N> m = 1; }`;
const own = (fields: string) => `${message("Own t = 1;")} message Own { ${fields} }`;

describe("the JSON form of Protobuf schemas", () => {
  it.each([
    ["a Timestamp becomes a message of the same fields", timestamp, own("int64 seconds = 1; int32 nanos = 2;")],
    ["a message becomes a Timestamp of the same fields", own("int64 seconds = 1; int32 nanos = 2;"), timestamp],
    ["a Duration becomes a Timestamp", duration, timestamp],
    ["a wrapper becomes a message", wrapper, own("string value = 1;")],
    ["a message becomes a wrapper", own("string value = 1;"), wrapper],
    [
      "keys of a map go from booleans to numbers",
      message("map<bool, int32> m = 1;"),
      message("map<int32, int32> m = 1;"),
    ],
    [
      "two fields swap their JSON names",
      message("string a = 1; string b = 2;"),
      message('string a = 1 [json_name = "b"]; string b = 2 [json_name = "a"];'),
    ],
  ])("breaks with a witness when %s, though the bytes are safe", async (_, older, newer) => {
    const { verdict, findings, rows } = await compare(older, newer);

    expect(verdict).toBe("breaking");
    expect(findings.every(({ witness }) => witness?.encodings[0]?.codec === "json")).toBe(true);
    expect(rows.map((row) => row.verdict)).toEqual(["safe", "breaking"]);
  });

  it("takes one wrapper for another as it takes their values", async () => {
    const wider = imported("wrappers", "google.protobuf.BytesValue t = 1;");

    expect((await compare(wrapper, wider)).verdict).toBe("breaking");
    expect((await compare(wrapper, wider, "wire")).verdict).toBe("safe");
  });

  it("compares what an import brings along only where fields lead to it", async () => {
    const { verdict, findings } = await compare(wrapper, message('reserved 1; reserved "t";'), "source");

    expect([verdict, findings]).toEqual(["safe", []]);
  });
});

describe("numbers beyond 2^53 in Protobuf schemas", () => {
  it.each([
    ["int64", "9223372036854775807", "9223372036854775806"],
    ["uint64", "18446744073709551615", "0xfffffffffffffffe"],
    ["sint64", "-9223372036854775808", "-9223372036854775807"],
  ])("distinguishes defaults of %s that are one double", async (kind, meant, read) => {
    const field = (value: string) => message2(`optional ${kind} n = 1 [default = ${value}, deprecated = true];`);

    const same = await compare(field(meant), field(meant));
    const { findings } = await compare(field(meant), field(read));

    expect(same.verdict).toBe("safe");
    expect(findings.map(({ code }) => code)).toEqual(["field-default-changed"]);
    expect(findings[0]?.witness?.outcome).toContain(`instead of ${meant}`);
  });

  it("reads one default however its digits are written", async () => {
    const [decimal, hexadecimal] = ["18446744073709551615", "0xFFFFFFFFFFFFFFFF"].map((value) =>
      message2(`optional uint64 n = 1 [default = ${value}];`),
    );

    expect((await compare(decimal ?? "", hexadecimal ?? "")).verdict).toBe("safe");
  });

  it("shows the key of a map that has no place in the reader's kind", async () => {
    const { verdict, findings } = await compare(
      message("map<uint64, string> m = 1;"),
      message("map<int64, string> m = 1;"),
    );

    expect(verdict).toBe("breaking");
    expect(JSON.stringify(findings[0]?.witness?.value)).toContain("18446744073709551615");
  });

  it("distinguishes negative zero from zero", async () => {
    const { verdict } = await compare(
      message2("optional double n = 1 [default = -0.0];"),
      message2("optional double n = 1;"),
    );

    expect(verdict).toBe("breaking");
  });
});

describe("the JSON name of a field that the reader lacks", () => {
  it.each([
    ["a later field is declared to have it", 'reserved 3; reserved "total"; int32 sum = 5 [json_name = "total"];'],
    [
      "a later field of another kind is declared to have it",
      'reserved 3; reserved "total"; bytes b = 5 [json_name = "total"];',
    ],
    ["the field moved to another number", "reserved 3; int32 total = 5;"],
  ])("breaks JSON where %s, though the bytes are safe", async (_, fields) => {
    const { verdict, findings, rows } = await compare(message("int32 total = 3;"), message(fields));

    expect(verdict).toBe("breaking");
    expect(findings.map(({ code }) => code)).toEqual(["json-name-taken"]);
    expect(findings[0]?.witness?.value).toEqual({ total: 1 });
    expect(rows.map((row) => row.verdict)).toEqual(["safe", "breaking"]);
  });

  it("breaks JSON where it is made of another name by the rules of camel case", async () => {
    const { findings } = await compare(
      message("int32 net_total = 3;"),
      message('reserved 3; reserved "net_total"; int32 netTotal = 5;'),
    );

    expect(findings.map(({ code }) => code)).toEqual(["json-name-taken"]);
  });

  it("breaks JSON for an older reader, which mistakes the new field for its own", async () => {
    const [older, newer] = [message("int32 total = 3;"), message("reserved 3; int32 total = 5;")];

    const forward = await checkCompatibility({ format: "protobuf", older, newer, direction: "forward" });
    const onWire = await compare(older, newer, "wire");

    expect(forward.findings.map(({ code, writer }) => [code, writer])).toEqual([["json-name-taken", "newer"]]);
    expect(onWire.verdict).toBe("safe");
  });

  it("is found besides the number that is not reserved", async () => {
    const { findings } = await compare(message("int32 total = 3;"), message("int32 total = 5;"));

    expect(findings.map(({ code, repair }) => [code, repair])).toEqual([
      ["json-name-taken", "Give a.M.total a JSON name that no other field has had."],
      ["field-removed-number-free", "Add to a.M: reserved 3;"],
    ]);
  });
});

describe("the sentence of a changed type", () => {
  it.each([
    [
      "names the keys of a map",
      message("map<bool, int32> m = 1;"),
      message("map<string, int32> m = 1;"),
      "a.M.m (1) is written as map<bool, int32> and read as map<string, int32>.",
    ],
    [
      "says that an enum of one name has other values",
      `${message("E e = 1;")} enum E { A = 0; B = 1; }`,
      `${message("E e = 1;")} enum E { A = 0; C = 1; }`,
      "a.M.e (1) may have a value of a.E that the reader lacks or names differently.",
    ],
  ])("%s", async (_, older, newer, told) => {
    const { findings } = await compare(older, newer);

    expect(findings.map((finding) => finding.message)).toContain(told);
  });
});

it("proves a map safe in a file that delimits messages, since its entries never are", async () => {
  expect((await compare(file(""), file("option features.message_encoding = DELIMITED;"))).verdict).toBe("safe");
});
