import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/core/json-schema/ajv.ts";
import { jsonSchema } from "../../../src/core/json-schema/index.ts";
import { refusal } from "../../refusal.support.ts";

const isValid = (schema: object, value: unknown): boolean => compileJsonSchema(schema)(value).length === 0;

describe("a pattern of a schema", () => {
  it.each([
    ["^\\s$", ["\u00a0", "\u000b", "\ufeff", "\u2028", "\r"], ["a"]],
    ["^[\\s]$", ["\u00a0", "\u000b", "\ufeff"], ["a"]],
    ["^\\S$", ["a", "🚀"], ["\u00a0", "\u000b", "\ufeff"]],
    ["^.$", ["a", "🚀", "\u0085"], ["\u2028", "\u2029", "\r", "\n"]],
    ["^[\\w-.]+$", ["a-b.c"], ["a b"]],
    ["^\\p{Lu}\\p{Ll}+$", ["Éa"], ["éa"]],
  ])("%s means what it means in ECMA-262, for texts and for names", (pattern, matching, others) => {
    const named = { propertyNames: { pattern }, patternProperties: { [pattern]: true } };
    for (const text of matching)
      expect([text, isValid({ pattern }, text), isValid(named, { [text]: 1 })]).toEqual([text, true, true]);
    for (const text of others)
      expect([text, isValid({ pattern }, text), isValid(named, { [text]: 1 })]).toEqual([text, false, false]);
  });

  it.each([
    [{ properties: { a: { pattern: "^(?=a)b" } } }, "#/properties/a/pattern", "a look-ahead at character 2"],
    [{ patternProperties: { "(a/b)\\1": {} } }, "#/patternProperties/(a~1b)\\1", "a back-reference at character 6"],
    [{ allOf: [{ const: { pattern: "(" } }, { pattern: "(" }] }, "#/allOf/1/pattern", "a group is not closed"],
    [{ $defs: { id: { pattern: "(?<!x)y" } }, $ref: "#/$defs/id" }, "#/$defs/id/pattern", "a look-behind"],
    [{ items: { pattern: "a\\Z" } }, "#/items/pattern", "Write $ for the end of the text."],
  ])("that cannot be run is refused with its place and what to write: %j", (schema, path, what) => {
    for (const formats of ["annotation", "assertion"] as const) {
      const error = refusal(() => jsonSchema(schema, { formats }));

      expect(error).toMatchObject({ code: "InvalidArgument", path });
      expect(error.message).toContain(`The JSON Schema cannot be used at ${path}: The pattern "`);
      expect(error.message).toContain(what);
    }
  });

  it("that takes too many states is refused as beyond a limit", () => {
    expect(refusal(() => jsonSchema({ properties: { a: { pattern: "^(?:a{500}){500}$" } } }))).toMatchObject({
      code: "LimitExceeded",
      path: "#/properties/a/pattern",
    });
  });
});
