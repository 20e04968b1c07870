import { unescapeToken } from "../../core/json-schema/json-form.ts";
import { isObject } from "./json-value.ts";

/** The JSON Pointer of a reference within a document; `undefined` for any other reference. */
export function localPointer(reference: unknown): string | undefined {
  if (typeof reference !== "string" || !(reference === "#" || reference.startsWith("#/"))) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}

/** The member or item of a name. */
export function stepInto(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value at a JSON Pointer. */
export function valueAt(root: unknown, pointer: string): unknown {
  return pointer.split("/").slice(1).map(unescapeToken).reduce<unknown>(stepInto, root);
}

/** The schema that local references lead to from a schema, or the schema itself. */
export function localTarget(schema: unknown, root: unknown): unknown {
  let at = schema;
  for (let hops = 0; hops < 20 && isObject(at); hops++) {
    const pointer = localPointer(at["$ref"]);
    if (pointer === undefined) return at;
    at = valueAt(root, pointer);
  }
  return at;
}
