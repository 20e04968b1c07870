import { isObject } from "./json-value.ts";
import { localPointer, valueAt } from "./local-reference.ts";

/** The definitions that are recursive together with one, including that one; `undefined` if they cannot be copied. */
export function recursionOf(root: unknown, pointer: string): readonly string[] | undefined {
  const reached = reachedFrom(root, pointer);
  // A definition that leads to what contains it cannot be copied on its own.
  if (Array.from(reached).some((other) => other !== pointer && isWithin(pointer, other))) return undefined;
  const others = Array.from(reached).filter(
    (other) =>
      !isWithin(other, pointer) && Array.from(reachedFrom(root, other)).some((target) => isWithin(target, pointer)),
  );
  return [pointer, ...others];
}

/** Whether a pointer is another one or leads to a place inside it. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`);
}

/** The targets of local references that a schema leads to. */
export function reachedFrom(root: unknown, pointer: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    for (const target of referencesIn(part)) {
      if (found.has(target)) continue;
      found.add(target);
      visit(valueAt(root, target));
    }
  };
  visit(valueAt(root, pointer));
  return found;
}

function referencesIn(part: unknown): readonly string[] {
  if (Array.isArray(part)) return part.flatMap(referencesIn);
  if (!isObject(part)) return [];
  const own = localPointer(part["$ref"]);
  const inner = Object.values(part).flatMap(referencesIn);
  return own === undefined ? inner : [own, ...inner];
}

/** Whether a schema contains anchors, identifiers or dialects, so that a part of it cannot be read on its own. */
export function hasNames(schema: unknown, isRoot = true): boolean {
  if (Array.isArray(schema)) return schema.some((item) => hasNames(item, false));
  if (!isObject(schema)) return false;
  const names = ["$anchor", "$dynamicAnchor", "$recursiveAnchor", "$dynamicRef", "$recursiveRef"];
  if (names.some((name) => name in schema)) return true;
  if (!isRoot && ["$id", "$schema", "id"].some((name) => typeof schema[name] === "string")) return true;
  return Object.values(schema).some((inner) => hasNames(inner, false));
}

/** A copy of a schema whose local references lead elsewhere. */
export function rewired(schema: unknown, targetOf: (pointer: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((item: unknown) => rewired(item, targetOf));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([name, inner]): readonly [string, unknown] => {
    const target = name === "$ref" ? localPointer(inner) : undefined;
    return [name, target === undefined ? rewired(inner, targetOf) : `#${encoded(targetOf(target))}`];
  });
  return Object.fromEntries(entries);
}

function encoded(pointer: string): string {
  return pointer.split("/").map(encodeURIComponent).join("/");
}
