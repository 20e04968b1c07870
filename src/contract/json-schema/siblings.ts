import { metaSchema } from "../../json-schema/ajv.ts";
import { isOldDialect } from "./dialect.ts";
import { isObject } from "./json-value.ts";
import { SchemaDocument } from "./schema-document.ts";

/** Whether a schema has keywords beside `$ref` that validators read differently. */
export function hasSiblings(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const named = typeof schema["$schema"] === "string";
  const isOld = isOldDialect(new SchemaDocument(schema, "any", metaSchema).dialect);
  // A schema that names no dialect may be read by either rule.
  return (isOld || !named) && containsSiblings(schema);
}

const harmless = new Set([
  "$ref",
  "$id",
  "id",
  "$schema",
  "$comment",
  "$defs",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
]);

function containsSiblings(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(containsSiblings);
  if (!isObject(schema)) return false;
  if (typeof schema["$ref"] === "string" && Object.keys(schema).some((name) => !harmless.has(name))) return true;
  return Object.values(schema).some(containsSiblings);
}
