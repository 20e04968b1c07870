/** The result of validating a value with a Standard Schema. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A reason why a value does not match. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema of any library that follows Standard Schema 1 (https://standardschema.dev): zod, valibot, arktype and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The library name of the schemas that `jsonSchema` makes. */
export const jsonSchemaVendor = "sobre";

/** Whether a value implements Standard Schema; in some libraries schemas are functions. */
export function isStandardSchema(schema: unknown): schema is StandardSchema<unknown, unknown> {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  if (!("~standard" in schema)) return false;
  const standard: unknown = schema["~standard"];
  return (
    typeof standard === "object" &&
    standard !== null &&
    "validate" in standard &&
    typeof standard.validate === "function"
  );
}

/** The JSON Schema of a schema's input, by Standard JSON Schema 1; `undefined` if its library does not support that. */
export function standardJsonSchema({ "~standard": standard }: StandardSchema): unknown {
  const jsonSchema: unknown = "jsonSchema" in standard ? standard.jsonSchema : undefined;
  if (typeof jsonSchema !== "object" || jsonSchema === null || !("input" in jsonSchema)) return undefined;
  const { input } = jsonSchema;
  return typeof input === "function" ? Reflect.apply(input, jsonSchema, [{ target: "draft-2020-12" }]) : undefined;
}

/** A path in the form of {@link SobreError.path}, e.g. `$.lines[2].price`. */
export function issuePath({ path = [] }: StandardIssue): string {
  return `$${path.map((segment) => step(keyOf(segment))).join("")}`;
}

/** The name or index of a segment of a path. */
export function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof segment === "object" ? segment.key : segment;
}

function step(key: PropertyKey): string {
  return typeof key === "number" || /^\d+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`;
}
