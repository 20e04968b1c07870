import { jsonFormOf, type NativeKind, nativeKindOf, nativeOf } from "../../../core/json-schema/native-form.ts";
import { toBase64 } from "../../../core/values/base64.ts";
import { Keywords } from "../keyword-value.ts";
import { isObject, objectOf } from "../json-value.ts";
import { matcherOf } from "../pattern-matcher.ts";
import { referenceTargets } from "../reference-targets.ts";
import type { SchemaDocument, SchemaNode } from "../schema-document.ts";

/**
 * A JSON value as MessagePack and AMQP carry it: texts that a schema marks as Base64 are bytes, as 64-bit integers are
 * bigints, and as date-time are dates. A text that would not be restored exactly stays a text.
 */
export function toNative({ root }: SchemaDocument, value: unknown): unknown {
  return converted([root], value, (kind, text) => {
    const made = typeof text === "string" ? nativeOf(kind, text) : undefined;
    return made !== undefined && jsonFormOf(kind, made) === text ? made : text;
  });
}

/** The JSON value of what MessagePack or AMQP has carried; the inverse of {@link toNative}. */
export function fromNative({ root }: SchemaDocument, value: unknown): unknown {
  return converted([root], value, jsonFormOf);
}

/** The value with texts of the marked kind in place of other texts, as samples are only guaranteed to be valid. */
export function withPlausibleTexts({ root }: SchemaDocument, value: unknown): unknown {
  return converted([root], value, (kind, text) => {
    if (typeof text !== "string" || nativeOf(kind, text) !== undefined) return text;
    if (kind === "bytes") return toBase64(new TextEncoder().encode(text));
    return kind === "int64" ? "7" : "2026-01-31T12:00:00Z";
  });
}

type NativeConversion = (kind: NativeKind, value: unknown) => unknown;

function converted(nodes: readonly SchemaNode[], value: unknown, convert: NativeConversion): unknown {
  const group = appliedTogether(nodes);
  const [kind] = group.flatMap((keywords) => nativeKindOf((name) => keywords.get(name)) ?? []);
  if (kind !== undefined && !isStructured(value)) return convert(kind, value);
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) =>
      converted(
        group.flatMap((one) => itemNodes(one, at)),
        item,
        convert,
      ),
    );
  }
  if (!isStructured(value) || !isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): readonly [string, unknown] => {
    const inner = group.flatMap((one) => memberNodes(one, name));
    return [name, converted(inner, member, convert)];
  });
  return objectOf(members);
}

function isStructured(value: unknown): boolean {
  return Array.isArray(value) || (isObject(value) && !(value instanceof Uint8Array) && !(value instanceof Date));
}

/** The schemas that apply to one value, through references and combinators; of alternatives, those that `holds` accepts. */
export function appliedTogether(
  nodes: readonly SchemaNode[],
  holds: (alternative: SchemaNode) => boolean = () => true,
): readonly Keywords[] {
  const group: Keywords[] = [];
  const seen = new Set<string>();
  const visit = (node: SchemaNode): void => {
    const key = `${node.document.name}#${node.pointer}`;
    if (!isObject(node.schema) || seen.has(key)) return;
    seen.add(key);
    const keywords = new Keywords(node, node.schema);
    group.push(keywords);
    for (const target of referenceTargets(keywords)) if (typeof target !== "string") visit(target);
    for (const name of ["allOf", "anyOf", "oneOf"])
      for (const at of (keywords.list(name) ?? []).keys()) {
        const inner = node.document.child(node, name, at);
        if (name === "allOf" || holds(inner)) visit(inner);
      }
    for (const name of ["if", "then", "else"]) if (keywords.has(name)) visit(node.document.child(node, name));
  };
  for (const node of nodes) visit(node);
  return group;
}

/** The schemas of the item `at`. */
export function itemNodes({ node, schema }: Keywords, at: number): readonly SchemaNode[] {
  const { document } = node;
  const { items, prefixItems } = schema;
  for (const [name, list] of [
    ["prefixItems", prefixItems],
    ["items", items],
  ] as const)
    if (Array.isArray(list) && at < list.length) return [document.child(node, name, at)];
  if (Array.isArray(items)) return "additionalItems" in schema ? [document.child(node, "additionalItems")] : [];
  return items === undefined ? [] : [document.child(node, "items")];
}

/** The schemas of the member `name`. */
export function memberNodes(keywords: Keywords, name: string): readonly SchemaNode[] {
  const { node } = keywords;
  const { document } = node;
  const own = Object.hasOwn(keywords.map("properties") ?? {}, name) ? [document.child(node, "properties", name)] : [];
  const matching = Object.keys(keywords.map("patternProperties") ?? {})
    .filter((pattern) => matcherOf(pattern).test(name) === true)
    .map((pattern) => document.child(node, "patternProperties", pattern));
  const found = [...own, ...matching];
  if (found.length > 0 || !keywords.has("additionalProperties")) return found;
  return [document.child(node, "additionalProperties")];
}
