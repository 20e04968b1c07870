import { describe, expect, it } from "vitest";
import { check, contractFolders } from "../cli/contract-folders.support.ts";
import { folderFiles } from "../../src/contract/subjects/subject-files.ts";
import { readSubjects, type Subject } from "../../src/contract/subjects/subject.ts";

const { folderOf } = contractFolders();
const subjectsOf = (files: Readonly<Record<string, unknown>>): readonly Subject[] =>
  readSubjects(folderFiles(folderOf(files)));
const schemaOf = (text: string): unknown => subjectsOf({ "order/1.0.schema.yaml": text })[0]?.versions[0]?.schema;
const money = { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] };

describe("YAML schemas", () => {
  const yaml = `type: object
required: [total]
properties:
  total: &money
    type: object
    properties: { cents: { type: integer } }
    required: [cents]
  tip: *money
`;

  it("are versions, with anchors", () => {
    expect(schemaOf(yaml)).toEqual({ type: "object", required: ["total"], properties: { total: money, tip: money } });
  });

  it("show the line and column of a change", async () => {
    const { code, terminal } = await check(
      folderOf({
        "order/1.0.schema.json": { type: "object", properties: { total: money } },
        "order/1.1.schema.yml": yaml,
      }),
    );

    expect(code).toBe(1);
    expect(terminal.text()).toContain("order/1.1.schema.yml:2:11 member-required");
  });

  it("are read by the core schema of YAML 1.2, where `no` is a text and 0o17 a number", () => {
    const schema = schemaOf("enum: [no, 0o17, ~, 1e2, '1']\n__proto__: {}\n");

    expect(schema).toHaveProperty("enum", ["no", 15, null, 100, "1"]);
    expect(Object.keys(Object(schema))).toEqual(["enum", "__proto__"]);
  });

  const bomb = Array.from(
    { length: 9 },
    (_, at) =>
      `a${at}: &a${at} [${Array(9)
        .fill(at === 0 ? "x" : `*a${at - 1}`)
        .join(", ")}]`,
  );

  it.each<[what: string, text: string, message: string]>([
    ["aliases that multiply", bomb.join("\n"), "with its aliases written out"],
    [
      "aliases that are looked for too long",
      Array.from({ length: 2000 }, (_, at) => `- &a${at} x\n- *a${at}`).join("\n"),
      "too many aliases",
    ],
    ["an alias inside its own anchor", "a: &a [*a]", ""],
    ["deep nesting", `a: ${"[".repeat(5000)}`, ""],
    ["two documents", "a: 1\n---\nb: 2", "not YAML"],
    ["a duplicate member", "a: 1\na: 2", "not YAML"],
    ["a tag of YAML", "a: !!binary aGk=", "has a tag"],
    ["a tag of its own", "a: !secret b", "not YAML"],
    ["a number that is none in JSON", "a: .nan", "a number that JSON does not have"],
    ["an integer that a double cannot hold", "maximum: 9007199254740993", "a double cannot hold"],
  ])("with %s are refused", (_, text, message) => {
    expect(() => schemaOf(text)).toThrow(
      expect.objectContaining({ name: "SobreError", message: expect.stringContaining(message) }),
    );
  });

  it("are refused as a second file of one version", () => {
    expect(() => subjectsOf({ "order/1.0.schema.json": money, "order/1.0.schema.yaml": yaml })).toThrow(
      "are the same version",
    );
  });
});
