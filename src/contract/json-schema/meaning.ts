import { schemaKeywords, schemaMapKeywords } from "./dialect.ts";
import { canonicalJson, isObject } from "./json-value.ts";

/** One text for schemas that differ in titles, descriptions and comments at most. */
export function meaningOf(schema: unknown): string {
  return canonicalJson(plain(schema));
}

/** Whether two schemas differ in titles, descriptions and comments at most. */
export function isSameMeaning(one: unknown, other: unknown): boolean {
  // Most pairs differ in what their roots list, which takes no time to see.
  if (isObject(one) && isObject(other))
    for (const name of ["properties", "required"]) if (sizeOf(one[name]) !== sizeOf(other[name])) return false;
  return meaningOf(one) === meaningOf(other);
}

function sizeOf(listed: unknown): number {
  return typeof listed === "object" && listed !== null ? Object.keys(listed).length : 0;
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
