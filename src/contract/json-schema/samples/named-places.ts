import type { Keywords } from "../keyword-value.ts";
import { canonicalJson, isObject } from "../json-value.ts";
import { appliedTogether, itemNodes, memberNodes } from "./native-values.ts";
import type { SchemaNode } from "../schema-document.ts";

/** Whether a value satisfies one of several alternatives. */
export type Holds = (alternative: SchemaNode, value: unknown) => boolean;

/** A part of a value, the schemas that apply to it, and the value with another part in its place. */
interface ValuePart {
  readonly group: readonly Keywords[];
  readonly value: unknown;
  readonly replaced: (part: unknown) => unknown;
}

/** The parts of a value, the value itself first. */
function* partsOf(
  nodes: readonly SchemaNode[],
  value: unknown,
  holds: Holds,
  replaced: (part: unknown) => unknown = (part) => part,
): Generator<ValuePart> {
  const group = appliedTogether(nodes, (alternative) => holds(alternative, value));
  yield { group, value, replaced };
  if (Array.isArray(value))
    for (const [at, item] of value.entries()) {
      const inner = group.flatMap((one) => itemNodes(one, at));
      yield* partsOf(inner, item, holds, (part) => replaced(value.with(at, part)));
    }
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      const inner = group.flatMap((one) => memberNodes(one, name));
      yield* partsOf(inner, member, holds, (part) => replaced({ ...value, [name]: part }));
    }
}

/**
 * The places of a schema at which a value is: branches, listed values, types, bounds and optional members, by JSON Pointer,
 * e.g. `/properties/state/enum/1`. A member that is absent, and the branch of a condition that does not hold, end with `!`.
 */
export function placesOf(root: SchemaNode, value: unknown, holds: Holds): ReadonlySet<string> {
  const places = new Set<string>();
  for (const part of partsOf([root], value, holds))
    for (const keywords of part.group)
      for (const place of placesIn(keywords, part.value, holds)) places.add(`${keywords.node.pointer}/${place}`);
  return places;
}

function* placesIn(keywords: Keywords, value: unknown, holds: Holds): Generator<string> {
  const { node } = keywords;
  for (const name of ["anyOf", "oneOf"])
    for (const at of (keywords.list(name) ?? []).keys())
      if (holds(node.document.child(node, name, at), value)) yield `${name}/${at}`;
  if (keywords.has("if")) yield holds(node.document.child(node, "if"), value) ? "if" : "if!";
  for (const [at, listed] of (keywords.list("enum") ?? []).entries())
    if (canonicalJson(listed) === canonicalJson(value)) yield `enum/${at}`;
  const types = keywords.get("type");
  if (Array.isArray(types)) {
    const at = types.findIndex((type) => type === typeOf(value) || (type === "integer" && Number.isInteger(value)));
    if (at >= 0) yield `type/${at}`;
  }
  for (const [name, measure] of bounds) if (keywords.get(name) === measure(value)) yield name;
  if (isObject(value))
    for (const name of optionalNames(keywords)) yield `properties/${name}${Object.hasOwn(value, name) ? "" : "!"}`;
}

function optionalNames(keywords: Keywords): readonly string[] {
  const required = keywords.get("required");
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(keywords.map("properties") ?? {}).flatMap(([name, schema]) =>
    needed.includes(name) || schema === false ? [] : [name],
  );
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

const numberOf = (value: unknown): unknown => (typeof value === "number" ? value : undefined);
const lengthOf = (value: unknown): unknown => (typeof value === "string" ? Array.from(value).length : undefined);
const itemsOf = (value: unknown): unknown => (Array.isArray(value) ? value.length : undefined);
const membersOf = (value: unknown): unknown =>
  isObject(value) && !Array.isArray(value) ? Object.keys(value).length : undefined;

/** The keywords that name a boundary, with the size that they measure. An exclusive bound names no valid value. */
const bounds: readonly (readonly [string, (value: unknown) => unknown])[] = [
  ["minimum", numberOf],
  ["maximum", numberOf],
  ["minLength", lengthOf],
  ["maxLength", lengthOf],
  ["minItems", itemsOf],
  ["maxItems", itemsOf],
  ["minProperties", membersOf],
  ["maxProperties", membersOf],
];

/** The longest text or list that is recorded to show a bound. */
const maxRecordedLength = 1000;

/** Finds a few values for a schema, of the given type if any; may find none. */
export type ValuesOf = (node: SchemaNode, type?: string) => readonly unknown[];

/** Variants of a value that cover other places: another branch, a listed value, a bound, a member present or absent. */
export function* atOtherPlaces(
  root: SchemaNode,
  value: unknown,
  { holds, valuesOf }: { readonly holds: Holds; readonly valuesOf: ValuesOf },
): Generator {
  for (const { group, value: part, replaced } of partsOf([root], value, holds))
    for (const keywords of group) for (const other of others(keywords, part, valuesOf)) yield replaced(other);
}

function* others(keywords: Keywords, value: unknown, valuesOf: ValuesOf): Generator {
  const { node } = keywords;
  yield* keywords.list("enum") ?? [];
  const types = keywords.get("type");
  if (Array.isArray(types)) for (const type of types) yield* valuesOf(node, String(type));
  for (const name of ["anyOf", "oneOf"])
    for (const at of (keywords.list(name) ?? []).keys())
      for (const other of valuesOf(node.document.child(node, name, at))) {
        yield other;
        if (isObject(value) && isObject(other)) yield { ...value, ...other };
      }
  for (const [name, measure] of bounds) {
    const limit = keywords.get(name);
    if (typeof limit !== "number" || measure(value) === undefined || measure(value) === limit) continue;
    if (measure === numberOf) yield limit;
    else if (limit <= maxRecordedLength) yield* resized(value, limit);
  }
  if (!isObject(value) || Array.isArray(value)) return;
  for (const name of optionalNames(keywords))
    if (!Object.hasOwn(value, name))
      for (const member of valuesOf(node.document.child(node, "properties", name))) yield { ...value, [name]: member };
    else yield Object.fromEntries(Object.entries(value).filter(([own]) => own !== name));
}

function* resized(value: unknown, size: number): Generator {
  if (typeof value === "string") yield (value + "a".repeat(size)).slice(0, size);
  // The items must perhaps be unique.
  if (Array.isArray(value) && value.length > 0)
    for (const differ of [false, true])
      yield Array.from({ length: size }, (_, at): unknown => {
        const item: unknown = value[at % value.length];
        if (!differ || at < value.length) return item;
        return typeof item === "number" ? item + at : typeof item === "string" ? `${item}${at}` : item;
      });
}

/** Every place that a schema names, as {@link placesOf} gives them. */
export function namedPlaces(root: SchemaNode): ReadonlySet<string> {
  const places = new Set<string>();
  const seen = new Set<string>();
  const visit = (nodes: readonly SchemaNode[]): void => {
    for (const keywords of appliedTogether(nodes)) {
      const { node } = keywords;
      if (seen.has(node.pointer)) continue;
      seen.add(node.pointer);
      for (const place of declaredPlaces(keywords)) places.add(`${node.pointer}/${place}`);
      for (const name of Object.keys(keywords.map("properties") ?? {}))
        visit([node.document.child(node, "properties", name)]);
      for (const pattern of Object.keys(keywords.map("patternProperties") ?? {}))
        visit([node.document.child(node, "patternProperties", pattern)]);
      if (isObject(keywords.get("additionalProperties"))) visit([node.document.child(node, "additionalProperties")]);
      const prefix = keywords.get("prefixItems") ?? keywords.get("items");
      for (const at of Array.isArray(prefix) ? [...prefix.keys(), prefix.length] : [0]) visit(itemNodes(keywords, at));
    }
  };
  visit([root]);
  return places;
}

function* declaredPlaces(keywords: Keywords): Generator<string> {
  for (const name of ["anyOf", "oneOf", "enum"])
    for (const at of (keywords.list(name) ?? []).keys()) yield `${name}/${at}`;
  if (keywords.has("if")) yield* ["if", "if!"];
  const types = keywords.get("type");
  if (Array.isArray(types)) for (const at of types.keys()) yield `type/${at}`;
  for (const [name] of bounds) {
    const limit = keywords.get(name);
    if (typeof limit === "number" && (Math.abs(limit) <= maxRecordedLength || name.endsWith("imum"))) yield name;
  }
  for (const name of optionalNames(keywords)) yield* [`properties/${name}`, `properties/${name}!`];
}
