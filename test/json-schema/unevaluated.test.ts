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

  const name = fc.constantFrom("a", "b", "c", "d");
  const leaf = fc.oneof(
    fc.array(name, { maxLength: 2 }).map((names) => texts(...names)),
    name.map((one) => ({ required: [one] })),
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
