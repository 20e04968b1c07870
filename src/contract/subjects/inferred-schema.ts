import { isObject } from "../json-schema/json-value.ts";

/** The types and members observed at one place in several values. */
interface Observations {
  count: number;
  readonly types: Set<string>;
  readonly members: Map<string, Observations>;
  /** How many of the values were objects. */
  objects: number;
  items: Observations | undefined;
}

/**
 * The JSON Schema (2020-12) of what values have in common: their types, their members, and the members that all of them have.
 * Bytes, bigints and dates become texts that the schema marks. It says nothing that only more values could prove.
 */
export function inferredSchema(values: readonly unknown[]): Readonly<Record<string, unknown>> {
  const seen = noObservations();
  for (const value of values) observe(value, seen);
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schemaOf(seen) };
}

function noObservations(): Observations {
  return { count: 0, types: new Set(), members: new Map(), objects: 0, items: undefined };
}

function observe(value: unknown, seen: Observations): void {
  const type = typeOf(value);
  seen.count++;
  seen.types.add(type);
  if (Array.isArray(value)) {
    seen.items ??= noObservations();
    for (const item of value) observe(item, seen.items);
  } else if (type === "object" && isObject(value)) {
    seen.objects++;
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      const inner = seen.members.get(name) ?? noObservations();
      seen.members.set(name, inner);
      observe(member, inner);
    }
  }
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Date) return "instant";
  switch (typeof value) {
    case "number":
      return Number.isInteger(value) ? "integer" : "number";
    case "bigint":
      return "int64";
    case "string":
      return isDateTime(value) ? "instant" : "string";
    default:
      return typeof value === "boolean" ? "boolean" : "object";
  }
}

function isDateTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The keywords that mark strings as values that JSON lacks. */
const markKeywords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bytes: { contentEncoding: "base64" },
  int64: { pattern: "^-?[0-9]{1,19}$" },
  instant: { format: "date-time" },
};

function schemaOf({ types, members, objects, items }: Observations): Readonly<Record<string, unknown>> {
  const marked = Array.from(types).filter((type) => Object.hasOwn(markKeywords, type));
  const plain = new Set(Array.from(types, (type) => (Object.hasOwn(markKeywords, type) ? "string" : type)));
  if (plain.has("number")) plain.delete("integer");
  const names = Array.from(plain).toSorted();
  const [only] = marked;
  const required = Array.from(members).flatMap(([name, { count }]) => (count === objects ? [name] : []));
  return {
    ...(names.length === 0 ? {} : { type: names.length === 1 ? names[0] : names }),
    // A string that is not always of one kind has no mark.
    ...(marked.length === 1 && !types.has("string") && only !== undefined ? markKeywords[only] : {}),
    ...(members.size === 0
      ? {}
      : { properties: Object.fromEntries(Array.from(members, ([name, seen]) => [name, schemaOf(seen)])) }),
    ...(required.length === 0 ? {} : { required }),
    ...(items === undefined || items.count === 0 ? {} : { items: schemaOf(items) }),
  };
}
