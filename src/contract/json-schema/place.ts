import { unescapeToken } from "../../core/json-schema/json-form.ts";
import { isObject } from "./json-value.ts";
import { escapeToken } from "./schema-document.ts";

/**
 * The JSON Pointer of the schema that describes the value at `instancePath`, as far as `properties`, `items` and local
 * references lead.
 */
export function schemaPlace(schema: unknown, instancePath: string): string {
  let at: unknown = schema;
  let pointer = "";
  for (const token of instancePath.split("/").slice(1)) {
    const name = unescapeToken(token);
    [at, pointer] = dereferenced(schema, at, pointer);
    const next = stepInto(at, name);
    if (next === undefined) break;
    [at, pointer] = [next.schema, `${pointer}${next.path}`];
  }
  return `#${pointer}`;
}

function stepInto(schema: unknown, name: string): { readonly schema: unknown; readonly path: string } | undefined {
  if (!isObject(schema)) return undefined;
  const { properties, items, prefixItems, additionalProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, name))
    return { schema: properties[name], path: `/properties/${escapeToken(name)}` };
  const tuple = Array.isArray(prefixItems)
    ? { list: prefixItems, keyword: "prefixItems" }
    : { list: Array.isArray(items) ? items : [], keyword: "items" };
  if (/^\d+$/.test(name) && Number(name) < tuple.list.length)
    return { schema: tuple.list[Number(name)], path: `/${tuple.keyword}/${name}` };
  if (/^\d+$/.test(name) && isObject(items)) return { schema: items, path: "/items" };
  if (isObject(additionalProperties)) return { schema: additionalProperties, path: "/additionalProperties" };
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const list = schema[keyword];
    for (const [at, part] of (Array.isArray(list) ? list : []).entries()) {
      const inner = stepInto(part, name);
      if (inner !== undefined) return { schema: inner.schema, path: `/${keyword}/${at}${inner.path}` };
    }
  }
  return undefined;
}

function dereferenced(root: unknown, schema: unknown, pointer: string): readonly [unknown, string] {
  let [at, path] = [schema, pointer];
  for (let hops = 0; hops < 20 && isObject(at); hops++) {
    const reference = at["$ref"];
    if (typeof reference !== "string" || !reference.startsWith("#")) break;
    let target: unknown = root;
    for (const token of reference.slice(1).split("/").slice(1)) {
      const name = unescapeToken(token);
      target = isObject(target) || Array.isArray(target) ? Reflect.get(target, name) : undefined;
    }
    if (target === undefined) break;
    [at, path] = [target, reference.slice(1)];
  }
  return [at, path];
}
