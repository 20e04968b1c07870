import { isOldDialect } from "./dialect.ts";
import { canonicalJson, isObject } from "./json-value.ts";
import type { SchemaNode } from "./schema-document.ts";

/** Whether all alternatives require one member and list values of it that no other alternative has. */
export function isDiscriminatedUnion(alternatives: readonly SchemaNode[]): boolean {
  const lists = alternatives.map((node) => requiredConstants(withoutReference(node)));
  const [first] = lists;
  return Array.from(first?.keys() ?? []).some((name) => {
    const values = lists.map((list) => list.get(name) ?? []);
    const all = values.flat();
    return values.every((own) => own.length > 0) && new Set(all).size === all.length;
  });
}

/** The values that a schema lists for members that it requires. */
function requiredConstants(node: SchemaNode | undefined): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  if (node === undefined || !isObject(node.schema)) return found;
  const { type, required, properties } = node.schema;
  if (type !== "object" || !Array.isArray(required) || !isObject(properties)) return found;
  for (const name of required) {
    if (typeof name !== "string" || !Object.hasOwn(properties, name)) continue;
    const inner = withoutReference(node.document.child(node, "properties", name))?.schema;
    if (!isObject(inner)) continue;
    const listed = Object.hasOwn(inner, "const") ? [inner["const"]] : inner["enum"];
    if (Array.isArray(listed)) found.set(name, Array.from(new Set(listed.map(canonicalJson))));
  }
  return found;
}

/** Keywords that assert nothing next to `$ref`. */
const silent = new Set([
  "$comment",
  "$defs",
  "$ref",
  "$schema",
  "default",
  "definitions",
  "description",
  "examples",
  "title",
]);

/** The schema that one with nothing but a reference stands for; `undefined` for an endless chain. */
export function withoutReference(node: SchemaNode): SchemaNode | undefined {
  let at = node;
  for (let hops = 0; hops < 20; hops++) {
    const { schema, document } = at;
    if (!isObject(schema) || typeof schema["$ref"] !== "string") return at;
    if (!isOldDialect(document.dialect) && !Object.keys(schema).every((name) => silent.has(name))) return at;
    at = document.resolve(at, schema["$ref"]);
  }
  return undefined;
}
