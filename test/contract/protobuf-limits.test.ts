import { describe, expect, it } from "vitest";
import { checkCompatibility, type CompatibilityOptions } from "../../src/contract/index.ts";

const compare = (older: string, newer: string, options: Partial<CompatibilityOptions> = {}) =>
  checkCompatibility({ format: "protobuf", older, newer, ...options });

const proto3 = (text: string): string => `syntax = "proto3"; package a; ${text}`;
const proto2 = (text: string): string => `syntax = "proto2"; package a; ${text}`;
const list = (length: number, make: (at: number) => string): string =>
  Array.from({ length }, (_, at) => make(at)).join(" ");

const ring = (kind: string): string =>
  proto3(list(2000, (at) => `message M${at} { M${(at + 1) % 2000} next = 1; ${at === 7 ? kind : "int32"} n = 2; }`));

const large = (last: string): string =>
  proto3(
    `message M { ${list(1250, (at) => `reserved ${20_000 + at * 3} to ${20_001 + at * 3};`)} ${list(999, (at) => `int32 f${at} = ${at + 1};`)} ${last} f = 1000; }`,
  );

/** Steps: a thousandth of the default, and some for each field. */
const fewSteps = 10_000;

const self = (type: string): string => proto2(`message M { required M m = 1; optional ${type} n = 2; }`);

const codesOf = async (older: string, newer: string, options?: Partial<CompatibilityOptions>) =>
  (await compare(older, newer, options)).findings.map(({ code }) => code);

describe("Protobuf schemas of any shape end in a verdict", () => {
  it("a ring of 2,000 messages that stays the same is safe", async () => {
    expect((await compare(ring("int32"), `${ring("int32")} // the same`)).verdict).toBe("safe");
  });

  it("a ring of 2,000 messages of which one changes is breaking", async () => {
    expect(await codesOf(ring("int32"), ring("string"))).toContain("field-type-changed");
  });

  it("a message that requires itself, which nobody can send, is not an error", async () => {
    expect((await compare(self("int32"), self("string"))).verdict).toBe("unproven");
    expect((await compare(self("int32"), `${self("int32")} // same`)).verdict).toBe("safe");
  });

  it("a message of 1,000 fields and 1,250 reserved ranges is decided in few steps", async () => {
    const [older, budget] = [large("int32"), { budget: fewSteps }];

    expect((await compare(older, large("uint32"), budget)).verdict).toBe("breaking");
    expect((await compare(older, `${older} // same`, budget)).verdict).toBe("safe");
  });

  it.each(["0", "19000", "19999", "536870912"])("the field number %s is refused", async (number) => {
    const text = proto3(`message M { int32 n = ${number}; }`);

    await expect(compare(text, text)).rejects.toMatchObject({
      code: "InvalidArgument",
      message: expect.stringContaining(`a.M.n has the number ${number}`),
    });
  });
});

describe("the source policy", () => {
  const source = { policy: "source" } as const;

  it.each([
    ["a field of another type in generated code", "int32 n = 1;", "int64 n = 1;", "rule-field-type-changed"],
    ["a number that is no longer reserved", "reserved 5; int32 n = 1;", "int32 n = 1;", "rule-reserved-removed"],
    ["a oneof with another name", "oneof one { int32 n = 1; }", "oneof other { int32 n = 1; }", "rule-oneof-renamed"],
    ["a field that loses its presence", "optional int32 n = 1;", "int32 n = 1;", "rule-presence-changed"],
  ])("finds %s", async (_, before, after, code) => {
    const [older, newer] = [proto3(`message M { ${before} }`), proto3(`message M { ${after} }`)];

    expect(await codesOf(older, newer, source)).toContain(code);
  });

  it("leaves these to other policies where messages are read all the same", async () => {
    const [older, newer] = [proto3("message M { int32 n = 1; }"), proto3("message M { int64 n = 1; }")];

    expect((await compare(older, newer, { policy: "wire" })).verdict).toBe("safe");
  });
});

describe("a message that is gone", () => {
  const [older, newer] = [
    proto3("message M { int32 n = 1; } message Unused { string s = 1; }"),
    proto3("message M { int32 n = 1; }"),
  ];

  it("is unread where its name travels, with its bytes", async () => {
    const { findings } = await compare(older, newer, { typeName: "travels" });

    expect(findings.map(({ code, witness }) => [code, witness?.outcome])).toEqual([
      ["type-removed", "has no message type a.Unused"],
    ]);
  });

  it("is safe where no field leads to it and its name does not travel, which the verdict assumes", async () => {
    const { verdict, assumptions } = await compare(older, newer);

    expect(verdict).toBe("safe");
    expect(assumptions).toContain("a.Unused is gone, and nobody sends it: no field leads to it");
  });
});
