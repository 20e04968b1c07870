import { schemaKeywords, schemaMapKeywords } from "./dialect.ts";
import { canonicalJson, isObject } from "./json-value.ts";

/** A text that is equal for schemas that differ at most in titles, descriptions and comments. */
export function meaningOf(schema: unknown): string {
  return canonicalJson(plainSchema(schema));
}

/** Whether two schemas differ at most in titles, descriptions and comments. */
export function isSameMeaning(one: unknown, other: unknown): boolean {
  // Most pairs differ in the keywords of their roots, which is quick to see.
  if (isObject(one) && isObject(other))
    for (const name of ["properties", "required"]) if (sizeOf(one[name]) !== sizeOf(other[name])) return false;
  return meaningOf(one) === meaningOf(other);
}

function sizeOf(listed: unknown): number {
  return typeof listed === "object" && listed !== null ? Object.keys(listed).length : 0;
}

/** Keywords whose value is a text that asserts nothing; no reference can lead to it. */
const texts = new Set(["$comment", "description", "title"]);

function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
      if (texts.has(name) && typeof value === "string") return [];
      if (schemaMapKeywords.includes(name) && isObject(value))
        return [[name, Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainSchema(inner)]))]];
      return [[name, schemaKeywords.includes(name) ? plainSchema(value) : value]];
    }),
  );
}
