import type { Departure } from "./departure-texts.ts";
import { isForeignKeyword, namedDialect } from "../dialect.ts";
import type { Formula } from "./formula.ts";
import { canonicalJson, isObject } from "../json-value.ts";
import type { Keywords } from "../keyword-value.ts";
import type { SchemaReading } from "./reading.ts";

/** The names that every object inherits, so that ajv's `data.name` finds them. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

/** States that a member is present. */
export function presentMember(name: string, reading: SchemaReading): Formula {
  const { pool } = reading;
  return isDeparted(inherited.has(name), "inherited", reading)
    ? pool.always
    : pool.someProperty(pool.values([name]), pool.always);
}

/** States that a member is absent, or the value is not an object. */
export function absentMember(name: string, reading: SchemaReading): Formula {
  const { pool } = reading;
  return isDeparted(inherited.has(name), "inherited", reading)
    ? pool.not(pool.types(["object"]))
    : pool.everyProperty(pool.values([name]), pool.never);
}

/** The names under `properties` or `patternProperties` that count. */
export function countedNames(
  map: Readonly<Record<string, unknown>> | undefined,
  reading: SchemaReading,
): readonly string[] {
  const names = Object.keys(map ?? {});
  return isDeparted(names.includes("__proto__"), "prototype", reading)
    ? names.filter((name) => name !== "__proto__")
    : names;
}

/** The formula of one name under `properties`. */
export function memberFormula(name: string, keywords: Keywords, of: Formula, reading: SchemaReading): Formula {
  const { pool } = reading;
  const own = pool.everyProperty(pool.values([name]), of);
  if (!isDeparted(inherited.has(name) && of !== pool.always, "inherited", reading)) return own;
  const present = pool.someProperty(pool.values([name]), pool.always);
  return pool.all([own, pool.given("object", pool.any([present, unknown(["properties", name], keywords, reading)]))]);
}

/** The formula of a keyword, which by the specification is empty when the named dialect lacks the keyword. */
export function ownKeyword(keyword: string, of: () => Formula, keywords: Keywords, reading: SchemaReading): Formula {
  const dialect = namedDialect(keywords.node.document.root.schema);
  const isForeign = dialect !== undefined && isForeignKeyword(keyword, dialect);
  return !isForeign || isDeparted(isForeign, "foreign", reading) ? of() : reading.pool.always;
}

/** `type`, which `nullable` widens. */
export function typeFormula(types: Formula, keywords: Keywords, reading: SchemaReading): Formula {
  const { pool } = reading;
  return isDeparted(keywords.get("nullable") === true, "nullable", reading)
    ? pool.any([types, pool.types(["null"])])
    : types;
}

/** `contains` with its counts, next to a tuple of schemas. */
export function containsFormula(
  own: Formula,
  tuple: readonly unknown[],
  keywords: Keywords,
  reading: SchemaReading,
): Formula {
  const { pool } = reading;
  const names = ["contains", "minContains", "maxContains"];
  const isShort = isDeparted(tuple.length > 0, "tuple", reading);
  const isEmpty = isDeparted(isInLoop(keywords.node.pointer), "loop", reading);
  if (!isShort && !isEmpty) return own;
  const few = pool.size("array", 0, isShort ? tuple.length - 1 : 0);
  return pool.any([own, pool.all([few, unknown([...names, firstChecked(tuple)], keywords, reading)])]);
}

/** `uniqueItems` next to a tuple of schemas. */
export function uniqueFormula(tuple: readonly unknown[], keywords: Keywords, reading: SchemaReading): Formula {
  const { pool } = reading;
  // With fewer than two items nothing is skipped.
  if (!isDeparted(tuple.length > 2, "tuple", reading)) return pool.unique();
  const skipped = unknown(["uniqueItems", firstChecked(tuple)], keywords, reading);
  return pool.any([pool.unique(), pool.all([pool.size("array", 0, tuple.length - 1), skipped])]);
}

/** The ways in which ajv tracks evaluated members and items differently from the specification. */
export interface Miscounting {
  /** Whether `contains` takes part. */
  readonly containing: boolean;
  /** Whether anything is evaluated before a subschema that applies conditionally. */
  readonly forgetting: boolean;
}

/** `unevaluatedProperties` or `unevaluatedItems`. */
export function unevaluatedFormula(
  own: Formula,
  { containing, forgetting }: Miscounting,
  keywords: Keywords,
  reading: SchemaReading,
): Formula {
  const isMore = isDeparted(containing, "unevaluated", reading);
  const isOther = isDeparted(forgetting, "forgotten", reading);
  if (!isMore && !isOther) return own;
  const counted = unknown(Object.keys(keywords.schema).filter(isAsserting), keywords, reading);
  return isOther ? counted : reading.pool.any([own, counted]);
}

/** Records a departure; returns whether it is to be taken into account. */
function isDeparted(is: boolean, departure: Departure, { departed, departures }: SchemaReading): boolean {
  if (is) departed.add(departure);
  return is && departures;
}

/** An unknown about a value; equal keywords give the same unknown. */
function unknown(names: readonly string[], keywords: Keywords, { pool }: SchemaReading): Formula {
  const { node, schema } = keywords;
  const { properties } = schema;
  const [first, second = ""] = names;
  const said =
    first === "properties" && isObject(properties)
      ? [second, properties[second]]
      : names.map((name) => [name, schema[name] ?? null]);
  const text = canonicalJson(said);
  // The target of a reference depends on the document.
  return pool.opaque(/"\$\w*[rR]ef":/.test(text) ? `${node.document.name}${text}` : text);
}

/** The item from which ajv continues only if the item exists. */
function firstChecked(tuple: readonly unknown[]): string {
  return `from ${tuple.findIndex(isChecked)}`;
}

function isChecked(schema: unknown): boolean {
  return schema === false || (isObject(schema) && Object.keys(schema).some(isAsserting));
}

function isAsserting(keyword: string): boolean {
  return !annotations.has(keyword);
}

const annotations = new Set(["$comment", "$schema", "default", "deprecated", "description", "examples", "title"]);

/** Keywords for which ajv generates code per member or item, rather than a loop. */
const unrolled = {
  named: ["properties", "dependentSchemas", "allOf", "anyOf", "oneOf", "prefixItems"],
  plain: ["if", "then", "else", "not"],
};

/** Whether ajv's code may apply a schema to several values in one run, as it may for the target of a reference. */
function isInLoop(pointer: string): boolean {
  const tokens = pointer.split("/").slice(1);
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    if (unrolled.plain.includes(token)) continue;
    const isTuple = token === "items" && /^\d+$/.test(tokens[at + 1] ?? "");
    if (!isTuple && !unrolled.named.includes(token)) return true;
    at++;
  }
  return false;
}
