import { canonicalJson, isObject } from "../json-schema/json-value.ts";
import type { Keywords } from "../json-schema/keyword-value.ts";
import { meaningOf } from "../json-schema/meaning.ts";
import { appliedTogether, itemNodes, memberNodes } from "../json-schema/samples/native-values.ts";
import { escapeToken, SchemaDocument, type SchemaNode } from "../json-schema/schema-document.ts";
import type { SchemaChanges } from "./schema-changes.ts";

type Group = readonly Keywords[];

/** The members that two JSON Schemas declare differently, through references and alternatives; "/" is the message itself. */
export function jsonChanges(older: unknown, newer: unknown): SchemaChanges {
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const seen = new Set<string>();
  const visit = (before: readonly SchemaNode[], after: readonly SchemaNode[], path: string, isKept = true): void => {
    const [was, is] = [appliedTogether(before), appliedTogether(after)];
    if (!isKept || conditionsOf(was, before) !== conditionsOf(is, after)) changed.push(path || "/");
    const key = canonicalJson([was, is].map(holdersOf));
    if (seen.has(key)) return;
    seen.add(key);
    const [had, has] = [namesOf(was), namesOf(is)];
    for (const name of new Set([...had, ...has])) {
      const place = `${path}/${escapeToken(name)}`;
      if (!has.has(name)) removed.push(place);
      else if (!had.has(name)) added.push(place);
      else visit(membersOf(was, name), membersOf(is, name), place, requiredBy(was, name) === requiredBy(is, name));
    }
    const [items, nowItems] = [itemsOf(was), itemsOf(is)];
    if (items.length > 0 && nowItems.length > 0) visit(items, nowItems, `${path}/*`);
    const [others, nowOthers] = [othersOf(was), othersOf(is)];
    if (others.length > 0 && nowOthers.length > 0) visit(others, nowOthers, `${path}/*`);
  };
  visit([new SchemaDocument(older, "older").root], [new SchemaDocument(newer, "newer").root], "");
  return { added, changed: Array.from(new Set(changed)), removed };
}

/** Names the schemas of a group that describe members or items: following a reference changes nothing. */
function holdersOf(group: Group): readonly string[] {
  return group.flatMap((keywords) =>
    holding.some((name) => keywords.has(name)) ? [`${keywords.node.document.name}#${keywords.node.pointer}`] : [],
  );
}

const holding = ["properties", "patternProperties", "additionalProperties", "items", "prefixItems", "additionalItems"];

/** Keywords that do not constrain the value itself, or whose schemas are compared one by one. */
const followed = new Set(
  "$anchor $defs $id $ref $schema allOf default definitions deprecated else examples id if properties required then".split(
    " ",
  ),
);

/** The conditions on a value itself, apart from its members and items. */
function conditionsOf(group: Group, nodes: readonly SchemaNode[]): string {
  const own = group.flatMap(({ schema }) => {
    const kept = Object.entries(schema).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
      if (followed.has(name)) return [];
      if (name === "anyOf" || name === "oneOf") return [[name, Array.isArray(value) ? value.length : value]];
      if (name === "items" || name === "prefixItems" || name === "additionalProperties")
        return [[name, Array.isArray(value) ? value.length : isObject(value) ? "a schema" : value]];
      return [[name, value]];
    });
    const meaning = meaningOf(Object.fromEntries(kept));
    return meaning === "{}" ? [] : [meaning];
  });
  const always = nodes.flatMap(({ schema }) => (typeof schema === "boolean" ? [String(schema)] : []));
  return canonicalJson([...own, ...always].toSorted());
}

function namesOf(group: Group): ReadonlySet<string> {
  return new Set(group.flatMap((keywords) => Object.keys(keywords.map("properties") ?? {})));
}

function membersOf(group: Group, name: string): readonly SchemaNode[] {
  return group.flatMap((keywords) => memberNodes(keywords, name));
}

function requiredBy(group: Group, name: string): number {
  return group.filter((keywords) => keywords.list("required")?.includes(name)).length;
}

/** The schemas of all items: those of a list by place, and of the rest. */
function itemsOf(group: Group): readonly SchemaNode[] {
  return group.flatMap((keywords) => {
    const listed = [keywords.get("prefixItems"), keywords.get("items")].find(Array.isArray) ?? [];
    return [...listed.keys(), listed.length].flatMap((at) => itemNodes(keywords, at));
  });
}

function othersOf(group: Group): readonly SchemaNode[] {
  return group.flatMap(({ node, schema }) =>
    isObject(schema["additionalProperties"]) ? [node.document.child(node, "additionalProperties")] : [],
  );
}
