import { describe, expect, it } from "vitest";
import { checkCompatibility, type CompatibilityOptions } from "../../src/contract/index.ts";

type Findings = readonly (readonly [severity: string, code: string, message: string])[];

async function findings(options: Omit<CompatibilityOptions, "format">): Promise<Findings> {
  const format = typeof options.older === "string" ? "protobuf" : "json-schema";
  const result = await checkCompatibility({ format, ...options });
  return result.findings.map(({ severity, code, message }) => [severity, code, message]);
}

const text = { type: "string" };
const order = (properties: object, more: object = {}): object => ({
  type: "object",
  properties: { id: text, ...properties },
  required: ["id"],
  ...more,
});
const wrapped = (line: object): object => ({
  type: "object",
  properties: { lines: { type: "array", items: { $ref: "#/$defs/line" } } },
  $defs: { line },
});

const proto = (fields: string): string => `syntax = "proto3"; package a; message M { ${fields} }`;

const renamed: Findings = [
  [
    "warning",
    "member-renamed",
    'The reader ignores the member "note", perhaps renamed to "remark", which has the same schema.',
  ],
];

const refused = (member: string, where: string, guess: string): Findings[number] => [
  "error",
  "member-refused",
  `The reader refuses the member ${member} of ${where}, which the writer may send, perhaps renamed ${guess}, which has the same schema.`,
];

describe("a finding says what happened", () => {
  it("to an optional member that another one has replaced: a warning, and the verdict stays safe", async () => {
    const versions = { older: order({ note: text }), newer: order({ remark: text }) };
    const result = await checkCompatibility({ format: "json-schema", ...versions });

    expect(result.verdict).toBe("safe");
    expect(result.findings).toMatchObject([
      { olderPointer: "#/properties/note", newerPointer: "#/properties/remark", writer: "older" },
    ]);
    expect(await findings(versions)).toEqual(renamed);
  });

  it.each<readonly [string, object, object]>([
    ["in a list behind a reference", order({ note: text }), order({ remark: text })],
    ["with another description", order({ note: text }), order({ remark: { ...text, description: "A remark." } })],
  ])("%s too", async (_, before, after) => {
    expect(await findings({ older: wrapped(before), newer: wrapped(after) })).toEqual(renamed);
  });

  it("once, where both directions are compared", async () => {
    const versions = { older: order({ note: text }), newer: order({ remark: text }) };

    expect(await findings({ ...versions, direction: "full" })).toEqual(renamed);
    expect(await findings({ ...versions, direction: "forward" })).toHaveLength(1);
  });

  it.each<readonly [string, object, object]>([
    ["of another schema", order({ note: text }), order({ remark: { type: "integer" } })],
    ["that is one of several", order({ note: text }), order({ remark: text, comment: text })],
    ["beside another that is gone", order({ note: text, hint: text }), order({ remark: text })],
    ["that nothing has replaced", order({ note: text }), order({})],
  ])("and guesses at no member %s", async (_, older, newer) => {
    expect(await findings({ older, newer })).toEqual([]);
  });

  it("to a member that a closed reader refuses, in either direction and behind a reference", async () => {
    const closed = { additionalProperties: false };
    const [older, newer] = [order({ note: text }, closed), order({ remark: text }, closed)];

    expect(await findings({ older, newer })).toEqual([refused('"note"', "the message itself", 'to "remark"')]);
    expect(await findings({ older, newer, direction: "forward" })).toEqual([
      refused('"remark"', "the message itself", 'from "note"'),
    ]);
    expect(await findings({ older: wrapped(older), newer: wrapped(newer) })).toEqual([
      refused('"note"', "/lines/0", 'to "remark"'),
    ]);
  });

  it("to a required member that was renamed, next to the missing one", async () => {
    const [older, newer] = ["note", "remark"].map((name) => ({
      type: "object",
      properties: { [name]: text },
      required: [name],
      unevaluatedProperties: false,
    }));

    expect((await findings({ older, newer })).map(([, code, message]) => [code, message.includes("perhaps")])).toEqual([
      ["member-required", false],
      ["member-refused", true],
    ]);
  });

  it.each<readonly [string, object, object]>([
    ["of another schema", order({ note: text }), order({ remark: { type: "integer" } })],
    ["that is one of several", order({ note: text }), order({ remark: text, comment: text })],
    ["that nothing has replaced", order({ note: text }), order({})],
  ])("and guesses at no refused member %s", async (_, older, newer) => {
    const found = await findings({ older, newer: { ...newer, additionalProperties: false } });

    expect(found.map(([, code, message]) => [code, message.includes("perhaps")])).toEqual([["member-refused", false]]);
  });

  it("to a field that has left its oneof", async () => {
    const older = proto("oneof choice { int32 a = 1; string b = 2; }");

    expect(await findings({ older, newer: proto("int32 a = 1; oneof choice { string b = 2; }") })).toEqual([
      [
        "error",
        "oneof-left",
        "a.M.a (1) was in the oneof choice and has left it: its zero looks to the reader as if it was not set.",
      ],
    ]);
    expect(await findings({ older, newer: proto("optional int32 a = 1; oneof choice { string b = 2; }") })).toEqual([]);
  });
});
