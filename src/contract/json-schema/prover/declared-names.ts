import { matcherOf } from "../pattern-matcher.ts";
import type { Formula } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import { isObject } from "../json-value.ts";
import { Keywords } from "../keyword-value.ts";
import { referenceTargets } from "../reference-targets.ts";
import type { SchemaNode } from "../schema-document.ts";

/** One of the schemas that apply to the same value. */
export type InPlaceSchema = Keywords;

/** The schemas that apply to the value of a schema, through references, combinators and conditions. */
export function inPlaceGroup(node: SchemaNode): readonly InPlaceSchema[] {
  const group: InPlaceSchema[] = [];
  const visit = (at: SchemaNode): void => {
    if (
      !isObject(at.schema) ||
      group.some(({ node: { pointer, document } }) => pointer === at.pointer && document === at.document)
    )
      return;
    const keywords = new Keywords(at, at.schema);
    group.push(keywords);
    for (const target of referenceTargets(keywords)) if (typeof target !== "string") visit(target);
    for (const name of ["allOf", "anyOf", "oneOf"])
      (keywords.list(name) ?? []).forEach((_, index) => visit(at.document.child(at, name, index)));
    for (const name of ["if", "then", "else"]) if (keywords.has(name)) visit(at.document.child(at, name));
    for (const name of ["dependencies", "dependentSchemas"])
      for (const key of Object.keys(keywords.map(name) ?? {})) visit(at.document.child(at, name, key));
  };
  visit(node);
  return group;
}

/** The declared members of an object, by name and by pattern. */
export interface DeclaredMembers {
  readonly names: ReadonlySet<string>;
  readonly patterns: ReadonlySet<string>;
}

/**
 * The names that a writer may give to members of an object: what `properties`, `patternProperties`, `required`,
 * `dependentRequired`, and listed values and names have in any schema applied to it. `undefined` when every name is
 * allowed: nothing is declared, `additionalProperties` or `unevaluatedProperties` says so, or more members are required
 * than are declared.
 */
export function declaredNames(group: readonly InPlaceSchema[], pool: FormulaPool): Formula | undefined {
  const members = declaredMembers(group);
  if (members === undefined) return undefined;
  return pool.any([
    pool.values(Array.from(members.names)),
    ...Array.from(members.patterns, (pattern) => pool.pattern(pattern)),
  ]);
}

/** The same names as they are written. */
export function declaredMembers(group: readonly InPlaceSchema[]): DeclaredMembers | undefined {
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
    for (const name of listedNames(keywords)) names.add(name);
  }
  const least = Math.max(0, ...group.map((keywords) => keywords.count("minProperties") ?? 0));
  if (patterns.size === 0 && least > names.size) return undefined;
  return { names, patterns };
}

/** The members of listed objects, and the names that `propertyNames` lists. */
function listedNames(keywords: Keywords): readonly string[] {
  const { propertyNames } = keywords.schema;
  const named = isObject(propertyNames) ? valuesOf(propertyNames) : [];
  return [...valuesOf(keywords.schema).filter(isObject).flatMap(Object.keys), ...named].filter(
    (name) => typeof name === "string",
  );
}

function valuesOf({ enum: list, const: one }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [...(Array.isArray(list) ? list : []), one];
}

/**
 * The places of children that more than one schema describes: no single one declares everything there, so such children
 * are read as they are written. `contains` describes items that others describe, too.
 */
export function overlapsOf(group: readonly InPlaceSchema[]): ReadonlySet<string> {
  const places = group.flatMap((keywords) => [
    ...Object.keys(keywords.map("properties") ?? {}).map((name) => `.${name}`),
    ...(itemPlaces.some((name) => keywords.has(name)) ? itemPlaces : []),
    ...(memberPlaces.some((name) => keywords.has(name)) ? memberPlaces.slice(1) : []),
  ]);
  return new Set([
    ...places.filter((place, index) => places.indexOf(place) !== index),
    ...group.flatMap(overlapsWithin),
  ]);
}

/** The same places for a single schema. */
function overlapsWithin(keywords: Keywords): readonly string[] {
  const patterns = Object.keys(keywords.map("patternProperties") ?? {});
  const names = Object.keys(keywords.map("properties") ?? {}).filter((name) =>
    patterns.some((pattern) => matcherOf(pattern).test(name) !== false),
  );
  return [
    ...names.map((name) => `.${name}`),
    ...(names.length > 0 || patterns.length > 1 ? ["patternProperties"] : []),
    ...(keywords.has("contains") ? itemPlaces : []),
  ];
}

const itemPlaces = ["items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"];
const memberPlaces = ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"];
