import { isOldDialect } from "../json-schema/dialect.ts";
import { type TypeName, typeNames } from "../json-schema/prover/formula.ts";
import { isObject } from "../json-schema/json-value.ts";
import { Keywords } from "../json-schema/keyword-value.ts";
import { restKeyword } from "../json-schema/prover/keywords.ts";
import { referenceTargets } from "../json-schema/reference-targets.ts";
import type { SchemaNode } from "../json-schema/schema-document.ts";
import { and, type Expression, literal, type TypeMember, named, never, or, text, unknown } from "./type-expression.ts";

/** The types of a schema's values by their JSON type; one that is not there is refused. */
type Kinds = ReadonlyMap<TypeName, Expression>;

/** The name under which the type of a schema is declared. */
export type TypeNameOf = (node: SchemaNode) => string;

/**
 * The TypeScript types of the values that writers of schemas send: each of them has the type, while what the type admits may
 * still be refused by a bound, a pattern or another keyword that types cannot express. Undeclared members are left out.
 */
export class JsonSchemaTypes {
  readonly #nameOf: TypeNameOf;
  readonly #known = new Map<string, Kinds>();

  constructor(nameOf: TypeNameOf) {
    this.#nameOf = nameOf;
  }

  typeOf(node: SchemaNode): Expression {
    const kinds = this.#kindsOf(node);
    const isAnything = typeNames.every((kind) => kinds.get(kind) === tops[kind]);
    if (isAnything) return unknown;
    const last = kinds.get("null");
    const others = Array.from(kinds).flatMap(([kind, type]) => (kind === "null" ? [] : [type]));
    return or(...others, ...(last === undefined ? [] : [last]));
  }

  #kindsOf(node: SchemaNode): Kinds {
    if (node.schema === false) return new Map();
    if (!isObject(node.schema)) return anything;
    const key = keyOf(node);
    const made = this.#known.get(key) ?? this.#read(new Keywords(node, node.schema));
    this.#known.set(key, made);
    return made;
  }

  #read(keywords: Keywords): Kinds {
    const { node } = keywords;
    const { document } = node;
    const references = referenceTargets(keywords).map((target) =>
      typeof target === "string" ? anything : this.#referred(target),
    );
    const isAlone = keywords.text("$ref") !== undefined && isOldDialect(document.dialect);
    if (isAlone) return intersectionOf(references);
    const at = (...path: readonly (string | number)[]): Kinds => this.#kindsOf(document.child(node, ...path));
    const each = (name: string): readonly Kinds[] => (keywords.list(name) ?? []).map((_, index) => at(name, index));
    const parts = [this.#own(keywords), ...references, ...each("allOf")];
    for (const name of ["anyOf", "oneOf"]) if (keywords.has(name)) parts.push(unionOf(each(name)));
    if (keywords.has("if")) parts.push(unionOf([intersectionOf([at("if"), at("then")]), at("else")]));
    for (const keyword of ["dependencies", "dependentSchemas"])
      for (const [name, value] of Object.entries(keywords.map(keyword) ?? {}))
        if (!Array.isArray(value)) parts.push(unionOf([at(keyword, name), without(name)]));
    return intersectionOf(parts);
  }

  /** A schema that is referred to, by its name. */
  #referred(target: SchemaNode): Kinds {
    if (typeof target.schema === "boolean") return this.#kindsOf(target);
    // A schema that applies itself to the same value says nothing more.
    if (leadsTo(target, keyOf(target), new Set())) return anything;
    const name = named(this.#nameOf(target));
    return new Map(Array.from(this.#kindsOf(target).keys(), (kind) => [kind, name]));
  }

  /** `type`, `enum`, `const` and what is said of members, items and numbers. */
  #own(keywords: Keywords): Kinds {
    const wide = new Map(anything);
    if (keywords.get("format") === "int64") wide.set("number", or(text("number"), text("bigint")));
    wide.set("object", this.#object(keywords));
    wide.set("array", this.#array(keywords));
    const type = keywords.get("type");
    const names = Array.isArray(type) ? type : [type];
    const isNullable = keywords.get("nullable") === true;
    const kept = typeNames.filter(
      (kind) =>
        type === undefined ||
        names.includes(kind) ||
        (kind === "number" && names.includes("integer")) ||
        (kind === "null" && isNullable),
    );
    const parts: Kinds[] = [new Map(kept.map((kind) => [kind, wide.get(kind) ?? unknown]))];
    const values = keywords.list("enum");
    if (values !== undefined) parts.push(ofValues(values));
    if (keywords.has("const")) parts.push(ofValues([keywords.get("const")]));
    return intersectionOf(parts);
  }

  #child(node: SchemaNode, ...path: readonly (string | number)[]): () => Expression {
    const child = node.document.child(node, ...path);
    return () => this.typeOf(child);
  }

  #object(keywords: Keywords): Expression {
    const { node } = keywords;
    const required = keywords.get("required");
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const properties = keywords.map("properties") ?? {};
    const declared = Object.keys(properties).map((name): TypeMember => {
      const isOptional = !needed.includes(name);
      return { name, isOptional, of: this.#child(node, "properties", name), comment: commentOf(properties[name]) };
    });
    const others = needed.flatMap((name): readonly TypeMember[] =>
      typeof name === "string" && !Object.hasOwn(properties, name)
        ? [{ name, isOptional: false, of: this.#othersOf(keywords) ?? ((): Expression => unknown) }]
        : [],
    );
    const members = [...declared, ...others];
    const rest = this.#othersOf(keywords);
    if (members.length === 0 && rest === undefined && !isClosed(keywords)) return tops.object;
    return { kind: "object", members, others: rest };
  }

  /** The type of undeclared members, where the schema allows them. */
  #othersOf(keywords: Keywords): (() => Expression) | undefined {
    const { node } = keywords;
    const patterns = Object.keys(keywords.map("patternProperties") ?? {});
    const rest = keywords.get("additionalProperties");
    // Another schema may declare names that match none of the patterns.
    if (rest === undefined)
      return patterns.length > 0 || (keywords.get("unevaluatedProperties") ?? false) !== false
        ? () => unknown
        : undefined;
    const types = patterns.map((pattern) => this.#child(node, "patternProperties", pattern));
    if (rest !== false) types.push(this.#child(node, "additionalProperties"));
    return types.length === 0 ? undefined : () => or(...types.map((of) => of()));
  }

  #array(keywords: Keywords): Expression {
    const { node } = keywords;
    const hasPrefix = node.document.dialect === "2020-12" && keywords.has("prefixItems");
    const prefixName = hasPrefix ? "prefixItems" : "items";
    const given = keywords.get(prefixName);
    const prefix: readonly unknown[] = Array.isArray(given) ? given : [];
    const restName = restKeyword(keywords, hasPrefix);
    const rest = restName === undefined ? (): Expression => unknown : this.#child(node, restName);
    if (prefix.length === 0) return restName === undefined ? tops.array : { kind: "list", of: rest };
    const isEnded =
      (restName !== undefined && keywords.get(restName) === false) ||
      (keywords.count("maxItems") ?? Infinity) <= prefix.length;
    return {
      kind: "tuple",
      items: prefix.map((_, index) => this.#child(node, prefixName, index)),
      least: Math.min(prefix.length, keywords.count("minItems") ?? 0),
      rest: isEnded ? undefined : rest,
    };
  }
}

function isClosed(keywords: Keywords): boolean {
  return keywords.get("additionalProperties") === false;
}

const tops: Readonly<Record<TypeName, Expression>> = {
  null: text("null"),
  boolean: text("boolean"),
  number: text("number"),
  string: text("string"),
  array: { kind: "list", of: () => unknown },
  object: text("{ readonly [name: string]: unknown }"),
};

const anything: Kinds = new Map(typeNames.map((kind) => [kind, tops[kind]]));

/** The values that all of several types admit. */
function intersectionOf(parts: readonly Kinds[]): Kinds {
  const kept = typeNames.filter((kind) => parts.every((part) => part.has(kind)));
  return new Map(
    kept.map((kind) => {
      const own = parts.map((part) => part.get(kind) ?? unknown).filter((type) => type !== tops[kind]);
      return [kind, own.length === 0 ? tops[kind] : and(...own)];
    }),
  );
}

/** The values that at least one of several types admits. */
function unionOf(parts: readonly Kinds[]): Kinds {
  const kept = typeNames.filter((kind) => parts.some((part) => part.has(kind)));
  return new Map(
    kept.map((kind) => {
      const own = parts.flatMap((part) => part.get(kind) ?? []);
      return [kind, own.includes(tops[kind]) ? tops[kind] : or(...own)];
    }),
  );
}

function ofValues(values: readonly unknown[]): Kinds {
  const groups = Map.groupBy(values, kindOf);
  return new Map(Array.from(groups, ([kind, own]) => [kind, or(...own.map(literal))]));
}

function kindOf(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : "object";
}

/** The type of all values except objects with a member. */
function without(name: string): Kinds {
  const members = [{ name, isOptional: true, of: (): Expression => never }];
  return new Map([...anything, ["object", { kind: "object", members }]]);
}

function commentOf(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const lines = [schema["title"], schema["description"]].filter((line) => typeof line === "string");
  return [...lines, ...(schema["deprecated"] === true ? ["@deprecated"] : [])].join("\n");
}

/** Whether a schema leads to another one that applies to the same value. */
function leadsTo(node: SchemaNode, key: string, seen: Set<string>): boolean {
  if (!isObject(node.schema) || seen.has(keyOf(node))) return false;
  seen.add(keyOf(node));
  const keywords = new Keywords(node, node.schema);
  const inner = [
    ...referenceTargets(keywords).filter((target) => typeof target !== "string"),
    ...applied.flatMap((name): readonly SchemaNode[] => {
      const value = keywords.get(name);
      if (Array.isArray(value)) return value.map((_, at) => node.document.child(node, name, at));
      if (name.startsWith("depend"))
        return Object.keys(isObject(value) ? value : {}).map((own) => node.document.child(node, name, own));
      return [node.document.child(node, name)];
    }),
  ];
  return inner.some((one) => keyOf(one) === key || leadsTo(one, key, seen));
}

const applied = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependencies", "dependentSchemas"];

/** Tells schemas apart. */
export function keyOf({ document, pointer }: SchemaNode): string {
  return `${document.name}#${pointer}`;
}
