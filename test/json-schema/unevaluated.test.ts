import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../src/json-schema/ajv.ts";
import { isValid } from "../proof/contract/plain-validator.ts";

const texts = (...names: readonly string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});

describe("unevaluatedProperties", () => {
  it("counts a property next to a dependent schema that does not apply", () => {
    const check = compileJsonSchema({
      ...texts("a", "b"),
      dependentSchemas: { b: texts("c") },
      unevaluatedProperties: false,
    });

    expect(check({ a: "x" })).toEqual([]);
    expect(check({ b: "x", c: "y" })).toEqual([]);
    expect(check({ a: "x", c: "y" })).toHaveLength(1);
  });

  it.each(["anyOf", "oneOf"])("counts a property by its pattern when no branch of %s evaluates any", (union) => {
    const branches = [{ required: ["a"], ...texts("a") }, { required: ["b"] }];
    const check = compileJsonSchema({
      [union]: branches,
      patternProperties: { "^x-": true },
      unevaluatedProperties: false,
    });

    expect(check({ b: 1, "x-1": 1 })).toMatchObject([{ path: "$.b" }]);
    expect(check({ a: "x", "x-1": 1 })).toEqual([]);
  });

  it.each(["anyOf", "oneOf"])("counts a property by its pattern when a branch of %s evaluates all", (union) => {
    const branches = [{ required: ["a"], additionalProperties: true }, { required: ["b"] }];
    const check = compileJsonSchema({
      [union]: branches,
      patternProperties: { "^x-": true },
      unevaluatedProperties: false,
    });

    expect(check({ a: 1, "x-1": 1, other: 1 })).toEqual([]);
    expect(check({ b: 1, "x-1": 1 })).toMatchObject([{ path: "$.b" }]);
  });

  const name = fc.constantFrom("a", "b", "c", "d");
  const leaf = fc.oneof(
    fc.array(name, { maxLength: 2 }).map((names) => texts(...names)),
    name.map((one) => ({ required: [one] })),
    name.map((one) => ({ patternProperties: { [`^${one}`]: { type: "string" } } })),
    fc.constant({ additionalProperties: { type: "string" } }),
  );
  const { schema } = fc.letrec<{ schema: object; inner: object }>((tie) => ({
    inner: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, tie("schema")),
    schema: fc
      .array(
        fc.oneof(
          leaf,
          fc.array(tie("inner"), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
          fc.array(tie("inner"), { minLength: 1, maxLength: 2 }).map((oneOf) => ({ oneOf })),
          fc.array(tie("inner"), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
          fc.tuple(name, tie("inner")).map(([key, one]) => ({ dependentSchemas: { [key]: one } })),
          fc
            .tuple(tie("inner"), tie("inner"), tie("inner"))
            .map((branches) => Object.fromEntries(["if", "then", "else"].map((key, at) => [key, branches[at]]))),
          fc.constant({ $ref: "#/$defs/one" }),
        ),
        { minLength: 1, maxLength: 3 },
      )
      .map((parts) => Object.assign({}, ...parts)),
  }));
  const body = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), fc.constant("x"), { maxKeys: 3 });

  it("refuses nothing that the specification accepts, however properties and conditions are combined", () => {
    fc.assert(
      fc.property(schema, leaf, fc.array(body, { minLength: 1, maxLength: 6 }), (combined, one, values) => {
        const root = { $defs: { one }, ...combined, unevaluatedProperties: false };
        const check = compileJsonSchema(root);
        for (const valid of values.filter((value) => isValid(root, value))) expect(check(valid)).toEqual([]);
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});
