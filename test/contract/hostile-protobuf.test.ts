import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";
import { maxFieldsOf } from "../../src/contract/protobuf/proto-root.ts";

/** A budget that a busy machine keeps to; those that no budget ends have the default. */
const ample = 25_000;
const compare = (older: unknown, newer: unknown, budget = 2000) =>
  checkCompatibility({ format: "protobuf", older, newer, budget });

const proto2 = (text: string) => `syntax = "proto2"; package a; ${text}`;
const blanks = (length: number) => " ".repeat(length);
const list = <T>(length: number, make: (at: number) => T): readonly T[] => Array.from({ length }, (_, at) => make(at));
const fields = (count: number, type: string) => list(count, (at) => `optional ${type} f${at} = ${at + 1};`).join(" ");

/** Messages each of which requires the next one twice. */
function bomb(first: string): string {
  const messages = list(
    26,
    (at) => `message M${at} { ${at === 0 ? first : ""} required M${at + 1} a = 1; required M${at + 1} b = 2; }`,
  );
  return proto2(`${messages.join(" ")} message M26 { required int64 z = 1; }`);
}

describe("hostile Protobuf schemas", () => {
  it.each([
    [
      "a message that requires itself",
      proto2("message M { required M m = 1; optional int64 n = 2; }"),
      proto2("message M { required M m = 1; optional int32 n = 2; }"),
      "unproven",
    ],
    ["required messages that multiply", bomb(""), bomb("required int32 n = 9;"), "unproven"],
    [
      "lines without anything",
      `${"\n".repeat(200_000)}${proto2("message M { optional int32 n = 1; }")}`,
      proto2("message M { optional int64 n = 1; }"),
      "safe",
    ],
    [
      "blanks before a default",
      proto2(`message M { optional int64 n = 1 [default = ${blanks(200_000)}1]; }`),
      proto2("message M { optional int64 n = 1 [default = 1]; }"),
      "safe",
    ],
    [
      "many fields",
      proto2(`message M { ${fields(1500, "int32")} }`),
      proto2(`message M { ${fields(1500, "int64")} }`),
      "safe",
    ],
    [
      "many renamed messages",
      proto2(list(1500, (at) => `message A${at} { optional int32 n = ${at + 1}; }`).join(" ")),
      proto2(list(1500, (at) => `message B${at} { optional int32 n = ${at + 1}; }`).join(" ")),
      "safe",
    ],
  ])("end in a verdict: %s", async (_, older, newer, verdict) => {
    const { verdict: found } = await compare(older, newer, verdict === "safe" ? ample : undefined);

    expect(found).toBe(verdict);
  });

  it("are refused where a message has more fields than can be read in time", async () => {
    const many = proto2(`message M { ${fields(4001, "int32")} }`);

    await expect(compare(many, many)).rejects.toMatchObject({ code: "LimitExceeded" });
  });

  it("are refused where a file is not a text", async () => {
    await expect(compare({ "a.proto": 5 }, { "a.proto": 5 })).rejects.toMatchObject({ code: "InvalidArgument" });
  });

  it("leave the pair unproven once the budget is used up", async () => {
    const [older, newer] = [
      proto2(`message M { ${fields(9, "int64")} }`),
      proto2(`message M { ${fields(9, "int64")} }`),
    ];

    const { verdict, tried } = await checkCompatibility({ format: "protobuf", older, newer, budget: 0 });

    expect(verdict).toBe("unproven");
    expect(tried?.join()).toContain("budget");
  });

  it.each([
    ["message M { int32 a = 1; oneof o { int32 b = 2; int32 c = 0x3; } message N { int32 d = 1 [default = 7]; } }", 3],
    ["enum E { A = 0; B = 1; C = 2; D = 3; } message M { E e = 1; }", 1],
    ['message M { /* a = 1; b = 2; */ // c = 3;\n string s = 1; } option x = "d = 1; e = 2;";', 1],
  ])("count the fields of %s", (text, count) => {
    expect(maxFieldsOf(text)).toBe(count);
  });
});

it("finds fields that have joined a oneof among many that already belonged to it", async () => {
  const many = list(60, (at) => `int32 f${at} = ${at + 1};`).join(" ");
  const older = proto2(`message M { oneof o { ${many} } optional int32 apart = 99; }`);
  const newer = proto2(`message M { oneof o { ${many} int32 apart = 99; } }`);

  const { verdict, findings } = await compare(older, newer);

  expect(verdict).toBe("breaking");
  expect(findings.some(({ code }) => code === "oneof-joined")).toBe(true);
});
