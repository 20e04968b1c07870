import { unescapeToken } from "../../core/json-schema/json-form.ts";
import { isObject } from "./json-value.ts";
import { localPointer, valueAt } from "./local-reference.ts";
import { matcherOf } from "./pattern-matcher.ts";
import { escapeToken } from "./schema-document.ts";

/** How a schema comes to apply to a value at one place of a message. */
export interface SchemaRoute {
  /** JSON Pointer of the schema. */
  readonly pointer: string;
  /** JSON Pointers of the schemas whose `$ref` was followed, in order. */
  readonly references: readonly string[];
}

/** A schema on the way, and the part of the instance path that is left. */
interface RouteStep extends SchemaRoute {
  readonly schema: unknown;
  readonly left: readonly string[];
}

/** The maximum number of schemas that are looked at; recursive schemas have endless routes. */
const maxSteps = 5000;

/**
 * The routes to the schemas that `isTarget` says, for the value at an instance path; the ones with the fewest keywords first.
 * They begin at the root, or else at `start`.
 */
export function* routesTo(
  root: unknown,
  instancePath: string,
  isTarget: (schema: unknown, pointer: string) => boolean,
  start: unknown = root,
): Generator<SchemaRoute> {
  const left = instancePath.split("/").slice(1).map(unescapeToken);
  const open: RouteStep[] = [{ pointer: start === root ? "" : "?", references: [], schema: start, left }];
  const seen = new Set<string>();
  let steps = 0;
  // The loop also visits what is added meanwhile.
  for (const step of open) {
    if (++steps > maxSteps) return;
    if (step.left.length === 0 && isTarget(step.schema, step.pointer))
      yield { pointer: step.pointer, references: step.references };
    const key = `${step.pointer} ${step.left.length} ${step.references.join(" ")}`;
    if (seen.has(key) || !isObject(step.schema)) continue;
    seen.add(key);
    // A reference that was followed for the same value leads nowhere new.
    open.push(...inPlaceSteps(root, step.schema, step), ...innerSteps(step.schema, step));
  }
}

function inPlaceSteps(root: unknown, schema: Readonly<Record<string, unknown>>, step: RouteStep): readonly RouteStep[] {
  const at = (path: string, inner: unknown): RouteStep => ({
    ...step,
    pointer: `${step.pointer}/${path}`,
    schema: inner,
  });
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((name) =>
    listOf(schema[name]).map((inner, index) => at(`${name}/${index}`, inner)),
  );
  const single = ["if", "then", "else", "not"].flatMap((name) => (name in schema ? [at(name, schema[name])] : []));
  const named = ["dependentSchemas", "dependencies"].flatMap((keyword) =>
    Object.entries(isObject(schema[keyword]) ? schema[keyword] : {})
      .filter(([, inner]) => !Array.isArray(inner))
      .map(([name, inner]) => at(`${keyword}/${escapeToken(name)}`, inner)),
  );
  const target = localPointer(schema["$ref"]);
  const isLoop = step.references.filter((one) => one === step.pointer).length > 3;
  const referred =
    target === undefined || isLoop
      ? []
      : [{ ...step, pointer: target, references: [...step.references, step.pointer], schema: valueAt(root, target) }];
  return [...lists, ...single, ...named, ...referred];
}

function innerSteps(schema: Readonly<Record<string, unknown>>, step: RouteStep): readonly RouteStep[] {
  const [token, ...left] = step.left;
  if (token === undefined) return [];
  const at = (path: string, inner: unknown): RouteStep => ({
    ...step,
    pointer: `${step.pointer}/${path}`,
    schema: inner,
    left,
  });
  const { properties, patternProperties } = schema;
  const own =
    isObject(properties) && Object.hasOwn(properties, token)
      ? [at(`properties/${escapeToken(token)}`, properties[token])]
      : [];
  const matching = Object.entries(isObject(patternProperties) ? patternProperties : {})
    .filter(([pattern]) => matcherOf(pattern).test(token) !== false)
    .map(([pattern, inner]) => at(`patternProperties/${escapeToken(pattern)}`, inner));
  const listed = ["prefixItems", "items"].flatMap((name) =>
    Number(token) < listOf(schema[name]).length ? [at(`${name}/${token}`, listOf(schema[name])[Number(token)])] : [],
  );
  const others = [
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
  ].flatMap((name) => (name in schema && !Array.isArray(schema[name]) ? [at(name, schema[name])] : []));
  return [...own, ...matching, ...listed, ...others];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
