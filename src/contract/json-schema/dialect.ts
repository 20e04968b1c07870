import { isObject } from "./json-value.ts";

/** The supported dialects of JSON Schema. */
export type Dialect = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

/** Whether a dialect is draft-07 or older. */
export function isOldDialect(dialect: Dialect): boolean {
  return dialect.startsWith("draft-");
}

/** The dialect that `$schema` names; `undefined` if there is none, or it is not supported. */
export function namedDialect(schema: unknown): Dialect | undefined {
  const uri = schemaUri(schema);
  const [, draft, version] =
    /^https?:\/\/json-schema\.org\/(?:(draft-0[467])\/schema|draft\/(2019-09|2020-12)\/schema)#?$/.exec(uri ?? "") ??
    [];
  return dialects.find((dialect) => dialect === (draft ?? version));
}

/** The URI of an unsupported dialect, e.g. draft-03 or a custom meta-schema. */
export function unknownDialect(schema: unknown): string | undefined {
  const uri = schemaUri(schema);
  return uri === undefined || namedDialect(schema) !== undefined ? undefined : uri;
}

function schemaUri(schema: unknown): string | undefined {
  return isObject(schema) && typeof schema["$schema"] === "string" ? schema["$schema"] : undefined;
}

/** The dialect that `$schema` names, or else the one that the keywords suggest; 2020-12 by default. */
export function dialectOf(schema: unknown): Dialect {
  const known = namedDialect(schema);
  if (known !== undefined) return known;
  const seen = keywordsIn(schema);
  if (seen.has("boolean exclusive")) return "draft-04";
  if (seen.has("prefixItems") || seen.has("$dynamicRef") || seen.has("$dynamicAnchor")) return "2020-12";
  if (seen.has("array items") || seen.has("additionalItems"))
    return newKeywords.some((name) => seen.has(name)) ? "2019-09" : "draft-07";
  return "2020-12";
}

const dialects: readonly Dialect[] = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"];

const newKeywords = [
  "unevaluatedProperties",
  "unevaluatedItems",
  "dependentRequired",
  "dependentSchemas",
  "minContains",
  "maxContains",
  "$defs",
  "$anchor",
  "$recursiveRef",
];

function keywordsIn(schema: unknown): ReadonlySet<string> {
  const seen = new Set<string>();
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) for (const item of next) open.push(item);
    if (!isObject(next)) continue;
    for (const [name, value] of Object.entries(next)) {
      seen.add(name === "items" && Array.isArray(value) ? "array items" : name);
      if (name.startsWith("exclusiveM") && typeof value === "boolean") seen.add("boolean exclusive");
      if (name !== "enum" && name !== "const" && name !== "default" && name !== "examples") open.push(value);
    }
  }
  return seen;
}

/** Whether a dialect lacks a keyword that validators of other dialects assert. */
export function isForeignKeyword(keyword: string, dialect: Dialect): boolean {
  if (keyword === "dependencies") return !isOldDialect(dialect);
  const [since] = newerKeywords.find(([, names]) => names.includes(keyword)) ?? [];
  return since !== undefined && since > dialect && isOldDialect(dialect);
}

const newerKeywords: readonly (readonly [Dialect, readonly string[]])[] = [
  ["draft-06", ["const", "contains", "propertyNames"]],
  ["draft-07", ["if"]],
];

/** Keywords whose value is a schema, a list of schemas, or a map of schemas. */
export const schemaKeywords: readonly string[] = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contentSchema",
  "allOf",
  "anyOf",
  "oneOf",
  "prefixItems",
];

/** Keywords whose value is a map of schemas. */
export const schemaMapKeywords: readonly string[] = [
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
];
