import type { Formula } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import type { Keywords } from "./keyword-value.ts";

/** One of the schemas that are applied to one value together. */
export type InPlace = Keywords;

/**
 * The names that a writer may give to members of an object: what `properties`, `patternProperties`, `required` and
 * `dependentRequired` name in any schema applied to it. `undefined` when every name is allowed: nothing is declared, or
 * `additionalProperties` or `unevaluatedProperties` says so.
 */
export function declaredNames(group: readonly InPlace[], pool: FormulaPool): Formula | undefined {
  const names = new Set<string>();
  const patterns = new Set<string>();
  for (const keywords of group) {
    for (const name of ["additionalProperties", "unevaluatedProperties"])
      if (keywords.has(name) && keywords.get(name) !== false) return undefined;
    for (const name of Object.keys(keywords.map("properties") ?? {})) names.add(name);
    for (const pattern of Object.keys(keywords.map("patternProperties") ?? {})) patterns.add(pattern);
  }
  if (names.size === 0 && patterns.size === 0) return undefined;
  for (const keywords of group) {
    for (const name of keywords.list("required") ?? []) if (typeof name === "string") names.add(name);
    for (const keyword of ["dependentRequired", "dependencies"])
      for (const list of Object.values(keywords.map(keyword) ?? {}))
        if (Array.isArray(list)) for (const name of list) if (typeof name === "string") names.add(name);
  }
  return pool.any([pool.values(Array.from(names)), ...Array.from(patterns, (pattern) => pool.pattern(pattern))]);
}

/**
 * The places of children that more than one schema of the group describes: what one of them declares there is not all,
 * so such children are read as they are written.
 */
export function overlapsOf(group: readonly InPlace[]): ReadonlySet<string> {
  const places = group.flatMap((keywords) => [
    ...Object.keys(keywords.map("properties") ?? {}).map((name) => `.${name}`),
    ...(itemPlaces.some((name) => keywords.has(name)) ? itemPlaces : []),
    ...(memberPlaces.some((name) => keywords.has(name)) ? memberPlaces.slice(1) : []),
  ]);
  return new Set(places.filter((place, index) => places.indexOf(place) !== index));
}

const itemPlaces = ["items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"];
const memberPlaces = ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"];
