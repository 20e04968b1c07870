import type { SchemaObject } from "./random-schema.ts";

/**
 * Whether every object in a value has members only that the schema declares where the object is. It asks for no less than the
 * content model `declared-writer` does: a child of several schemas must be declared by one of them.
 */
export function isDeclared(root: SchemaObject, value: unknown): boolean {
  return holds(root, [root], value, 0);
}

function holds(root: SchemaObject, schemas: readonly unknown[], value: unknown, depth: number): boolean {
  if (depth > 12) return false;
  const group = together(root, schemas);
  if (Array.isArray(value))
    return value.every((item: unknown) => holds(root, group.flatMap(itemSchemas), item, depth + 1));
  if (!isObject(value)) return true;
  const isOpen = group.some((schema) => openers.some((name) => name in schema && schema[name] !== false));
  const names = new Set(
    group.flatMap((schema) => [...Object.keys(objectOf(schema["properties"])), ...listOf(schema["required"])]),
  );
  const patterns = group.flatMap((schema) => Object.keys(objectOf(schema["patternProperties"])));
  const declares = group.some((schema) => "properties" in schema || "patternProperties" in schema);
  return Object.entries(value).every(([name, member]) => {
    const isKnown =
      isOpen || !declares || names.has(name) || patterns.some((pattern) => new RegExp(pattern, "u").test(name));
    const children = group.flatMap((schema) => memberSchemas(schema, name));
    return isKnown && holds(root, children, member, depth + 1);
  });
}

const openers = ["additionalProperties", "unevaluatedProperties"];

/** Every schema that may apply to the same value. */
function together(root: SchemaObject, schemas: readonly unknown[]): readonly SchemaObject[] {
  const found = new Set<SchemaObject>();
  const open = [...schemas];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (!isObject(next) || found.has(next)) continue;
    found.add(next);
    const reference = next["$ref"];
    if (typeof reference === "string")
      open.push(
        reference
          .split("/")
          .slice(1)
          .reduce<unknown>((at, token) => objectOf(at)[token], root),
      );
    open.push(
      ...["allOf", "anyOf", "oneOf"].flatMap((name) => listOf(next[name])),
      next["if"],
      next["then"],
      next["else"],
    );
    for (const name of ["dependentSchemas", "dependencies"]) open.push(...Object.values(objectOf(next[name])));
  }
  return [...found];
}

function itemSchemas(schema: SchemaObject): readonly unknown[] {
  const { items, prefixItems, additionalItems, contains, unevaluatedItems } = schema;
  return [...listOf(items), items, ...listOf(prefixItems), additionalItems, contains, unevaluatedItems];
}

function memberSchemas(schema: SchemaObject, name: string): readonly unknown[] {
  const own = objectOf(schema["properties"]);
  const matching = Object.entries(objectOf(schema["patternProperties"])).filter(([pattern]) =>
    new RegExp(pattern, "u").test(name),
  );
  return [
    ...(Object.hasOwn(own, name) ? [own[name]] : []),
    ...matching.map(([, inner]) => inner),
    schema["additionalProperties"],
    schema["unevaluatedProperties"],
  ];
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): SchemaObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
