import { checkOptions, type OptionChecks } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { jsonSchemaVendor, type StandardSchema } from "../message/standard-schema.ts";
import { compileBodySchema } from "./ajv.ts";
import type { FromJsonSchema, JsonSchema } from "./json-schema-type.ts";

/** Options of {@link jsonSchema}. */
export interface JsonSchemaOptions {
  /**
   * The meaning of `format`: it says what a text is and refuses none (`annotation`), or a text that is of another form is
   * refused (`assertion`), whereupon a format without a test here is refused with the schema. Default: `annotation`, as
   * JSON Schema (2020-12, Validation, 7.2) has it.
   */
  readonly formats?: "annotation" | "assertion" | undefined;
}

const jsonSchemaChecks: OptionChecks<JsonSchemaOptions> = { formats: is.oneOf("annotation", "assertion") };

/**
 * Makes a Standard Schema of a JSON Schema, for `defineMessage`; TypeBox's schemas are such ones, too.
 *
 * The dialect is the one of `$schema` (draft-07, 2019-09 or 2020-12), or else 2020-12. Unknown keywords and formats are
 * errors of the schema, so that a misspelt one cannot pass everything; names with `x-` are anybody's. Patterns mean what they
 * mean in ECMA-262 with the flag `u`, and are matched in linear time; look-around and back-references are errors of the schema.
 *
 * @throws SobreError `InvalidArgument` when the schema is broken or refers to what it does not contain, `LimitExceeded` for a
 *   pattern of more than 20,000 states, both with the `path` of the pattern; `InvalidOperation` where code may not be made
 *   of text, as under a Content-Security-Policy without `unsafe-eval`.
 * @example
 * ```ts
 * import { defineMessage } from "sobre";
 * import { jsonSchema } from "sobre/json-schema";
 *
 * const Order = defineMessage("acme.order", {
 *   1: jsonSchema({ type: "object", properties: { id: { type: "integer" } }, required: ["id"] }),
 * });
 * console.log(await Order.read({ id: 7 }, 1)); // { id: 7 }
 * ```
 */
export function jsonSchema<const S extends JsonSchema>(
  schema: S,
  options?: JsonSchemaOptions,
): StandardSchema<FromJsonSchema<S>>;
/** For an imported file, whose literals TypeScript does not keep: `Body` is the type that `sobre contract types` writes. */
export function jsonSchema<Body>(schema: JsonSchema, options?: JsonSchemaOptions): StandardSchema<Body>;
export function jsonSchema(schema: JsonSchema, options: JsonSchemaOptions = {}): StandardSchema {
  checkOptions(options, jsonSchemaChecks);
  const check = compileBodySchema(schema, { formats: options.formats ?? "annotation" });
  return Object.freeze({
    "~standard": Object.freeze({
      version: 1,
      vendor: jsonSchemaVendor,
      validate(body: unknown) {
        const { value, problems } = check(body);
        if (problems.length > 0) return { issues: problems.map(({ steps, message }) => ({ path: steps, message })) };
        return { value };
      },
      // Standard JSON Schema 1.
      jsonSchema: Object.freeze({ input: () => schema, output: () => schema }),
    }),
  });
}
