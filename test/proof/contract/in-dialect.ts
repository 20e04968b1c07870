import type { SchemaObject } from "./random-schema.ts";

/** The dialects that schemas are made in, oldest first. */
export const dialects = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const;

/** One of them. */
export type DialectName = (typeof dialects)[number];

const uris: Readonly<Record<DialectName, string>> = {
  "draft-04": "http://json-schema.org/draft-04/schema#",
  "draft-06": "http://json-schema.org/draft-06/schema#",
  "draft-07": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

/** The keywords that came with a dialect. */
const since: readonly (readonly [DialectName, readonly string[]])[] = [
  ["draft-06", ["const", "contains", "propertyNames"]],
  ["draft-07", ["if", "then", "else"]],
  ["2019-09", ["minContains", "maxContains", "unevaluatedProperties", "unevaluatedItems"]],
];

const one = new Set([
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
]);
const many = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const named = new Set(["$defs", "dependentSchemas", "patternProperties", "properties"]);

/** A document of 2020-12 in the words of another dialect, without what that one cannot say. */
export function inDialect(document: SchemaObject, dialect: DialectName): SchemaObject {
  const made = converted(document, dialect);
  return { ...(isObject(made) ? made : {}), $schema: uris[dialect] };
}

function converted(schema: unknown, dialect: DialectName): unknown {
  if (typeof schema === "boolean" && dialect === "draft-04") return schema ? {} : { not: {} };
  if (!isObject(schema) || dialect === "2020-12") return schema;
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    const [first] = since.find(([, names]) => names.includes(name)) ?? [];
    if (first !== undefined && dialects.indexOf(dialect) < dialects.indexOf(first)) continue;
    add(result, [name, inner(name, value, dialect)], { schema, dialect });
  }
  return result;
}

function inner(name: string, value: unknown, dialect: DialectName): unknown {
  if (one.has(name)) return converted(value, dialect);
  if (many.has(name) && Array.isArray(value)) return value.map((part) => converted(part, dialect));
  if (!named.has(name) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, converted(part, dialect)]));
}

function add(
  result: Record<string, unknown>,
  [name, value]: readonly [string, unknown],
  { schema, dialect }: { readonly schema: SchemaObject; readonly dialect: DialectName },
): void {
  const isOld = dialect.startsWith("draft-");
  switch (name) {
    case "$defs":
      result[isOld ? "definitions" : name] = value;
      return;
    case "$ref":
      result[name] = isOld ? String(value).replace("/$defs/", "/definitions/") : value;
      return;
    case "prefixItems":
      result["items"] = value;
      return;
    case "items":
      result["prefixItems" in schema ? "additionalItems" : name] = value;
      return;
    case "dependentRequired":
    case "dependentSchemas":
      if (!isOld) result[name] = value;
      // A name that both have keeps its schema.
      else result["dependencies"] = { ...objectOf(result["dependencies"]), ...objectOf(value) };
      return;
    case "exclusiveMinimum":
    case "exclusiveMaximum": {
      const limit = name === "exclusiveMinimum" ? "minimum" : "maximum";
      if (dialect !== "draft-04") result[name] = value;
      else if (!(limit in schema)) {
        result[limit] = value;
        result[name] = true;
      }
      return;
    }
    default:
      result[name] = value;
  }
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): SchemaObject {
  return isObject(value) ? value : {};
}
