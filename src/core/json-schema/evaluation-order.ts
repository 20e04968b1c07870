import { unescapeToken } from "./json-form.ts";
import { isObject } from "../values/plain-object.ts";

/** Keywords whose subschemas count only where they apply. */
const conditional = ["anyOf", "oneOf", "if", "dependentSchemas"] as const;

/** Keywords that hold schemas of other values, or definitions. */
const apart = {
  one: [
    "additionalProperties",
    "contains",
    "items",
    "not",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
  ],
  many: ["allOf", "anyOf", "items", "oneOf", "prefixItems"],
  named: ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"],
};

/**
 * An equivalent schema in which conditional subschemas come before everything else that is evaluated.
 *
 * ajv (8.20) forgets which members were evaluated before the first subschema that does not always apply, and counts those of
 * `if` where it does not hold, so that `unevaluatedProperties` and `unevaluatedItems` would refuse valid values.
 */
export function withConditionsFirst(schema: unknown): unknown {
  if (!/"unevaluated(?:Properties|Items)":/.test(textOfSchema(schema))) return schema;
  return new Reordering(schema).schema(schema);
}

/** A schema that refers to itself as an object has no text; ajv refuses it. */
function textOfSchema(schema: unknown): string {
  try {
    return JSON.stringify(schema) ?? "";
  } catch {
    return "";
  }
}

class Reordering {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  schema(given: unknown): unknown {
    if (!isObject(given)) return given;
    const inner = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, this.#keyword(name, value)]));
    if (!this.#isConditional(given)) return inner;
    const {
      anyOf,
      oneOf,
      if: condition,
      then: yes = true,
      else: no = true,
      dependentSchemas,
      $ref,
      allOf,
      ...base
    } = inner;
    const members = [
      ...(anyOf === undefined ? [] : [{ anyOf }]),
      ...(oneOf === undefined ? [] : [{ oneOf }]),
      ...(condition === undefined
        ? []
        : [{ anyOf: [{ allOf: [condition, yes] }, { allOf: [{ not: condition }, no] }] }]),
      ...(dependentSchemas === undefined ? [] : [{ dependentSchemas }]),
      ...($ref === undefined ? [] : [{ $ref }]),
      ...(Array.isArray(allOf) ? allOf : []),
    ];
    const [first, then] = [true, false].map((wanted) =>
      members.filter((member) => this.#isConditional(member) === wanted),
    );
    return { ...base, allOf: [...(first ?? []), ...(then ?? [])] };
  }

  #keyword(name: string, value: unknown): unknown {
    if (apart.many.includes(name) && Array.isArray(value)) return value.map((item) => this.schema(item));
    if (apart.named.includes(name) && isObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.schema(item)]));
    return apart.one.includes(name) || ["if", "then", "else"].includes(name) ? this.schema(value) : value;
  }

  /** Whether a schema has a conditional subschema for the same value, at any depth. */
  #isConditional(schema: unknown, seen: ReadonlySet<unknown> = new Set()): boolean {
    if (!isObject(schema) || seen.has(schema)) return false;
    if (conditional.some((name) => Object.hasOwn(schema, name))) return true;
    const { allOf, $ref } = schema;
    const deeper = new Set(seen).add(schema);
    const target = typeof $ref === "string" && $ref.startsWith("#/") ? pointed(this.#root, $ref) : undefined;
    return [...(Array.isArray(allOf) ? allOf : []), target].some((inner: unknown) =>
      this.#isConditional(inner, deeper),
    );
  }
}

function pointed(root: unknown, reference: string): unknown {
  let at = root;
  for (const token of reference.split("/").slice(1)) {
    const name = unescapeToken(token);
    at = Array.isArray(at) ? at[Number(name)] : isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}
