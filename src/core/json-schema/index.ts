export { jsonSchema, type JsonSchemaOptions } from "./json-schema.ts";
export type { FromJsonSchema, JsonSchema } from "./json-schema-type.ts";
