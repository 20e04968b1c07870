import * as fc from "fast-check";
import { compileJsonSchema } from "../../../src/core/json-schema/ajv.ts";
import { isValid } from "../../proof/contract/plain-validator.ts";

/** A schema of objects whose members of these names are texts. */
export const texts = (...names: readonly string[]): object => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
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

/** Holds `unevaluatedProperties` to the specification, in schemas that combine properties and conditions in every way. */
export function refusesNothingValid(parameters: { readonly numRuns: number; readonly seed: number }): void {
  fc.assert(
    fc.property(schema, leaf, fc.array(body, { minLength: 1, maxLength: 6 }), (combined, one, values) => {
      const root = { $defs: { one }, ...combined, unevaluatedProperties: false };
      const check = compileJsonSchema(root);
      for (const valid of values.filter((value) => isValid(root, value)))
        if (check(valid).length > 0) throw new Error(`Refuses ${JSON.stringify(valid)}.`);
    }),
    parameters,
  );
}
