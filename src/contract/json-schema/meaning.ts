import { schemaKeywords, schemaMapKeywords } from "./dialect.ts";
import { canonicalJson, isObject } from "./json-value.ts";

/** One text for schemas that differ in titles, descriptions and comments at most. */
export function meaningOf(schema: unknown): string {
  return canonicalJson(plain(schema));
}

/** Keywords whose value, a text, asserts nothing; no reference leads to a text. */
const texts = new Set(["$comment", "description", "title"]);

function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
      if (texts.has(name) && typeof value === "string") return [];
      if (schemaMapKeywords.includes(name) && isObject(value))
        return [[name, Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))]];
      return [[name, schemaKeywords.includes(name) ? plain(value) : value]];
    }),
  );
}
