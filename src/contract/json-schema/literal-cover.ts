import { canonicalJson, isObject } from "./json-value.ts";

type SchemaObject = Readonly<Record<string, unknown>>;

/** Whether a reader's keywords without schemas accept all values that the writer's accept; with `isSame`, no others. */
export function isLiteralCovered(sent: SchemaObject, taken: SchemaObject, isSame: boolean): boolean {
  // Both together are rare, and must be equal.
  if (
    [sent, taken].some((one) => "const" in one && "enum" in one) &&
    !isEqual([sent["const"], sent["enum"]], [taken["const"], taken["enum"]])
  )
    return false;
  return (
    areTypesCovered(sent["type"], taken["type"], isSame) &&
    areValuesCovered(listedIn(sent), listedIn(taken), isSame) &&
    areBoundsCovered(sent, taken, isSame) &&
    areNamesCovered(sent["required"], taken["required"], isSame) &&
    plainKeywords.every((name) => isEqual(sent[name], taken[name]) || (!isSame && !asserts(name, taken[name])))
  );
}

/** Keywords that are compared as they are written. */
const plainKeywords = [
  "multipleOf",
  "pattern",
  "format",
  "uniqueItems",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "dependentRequired",
];

function asserts(name: string, value: unknown): boolean {
  return value !== undefined && !(name === "uniqueItems" && value === false);
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === undefined || other === undefined ? one === other : canonicalJson(one) === canonicalJson(other);
}

function areTypesCovered(sent: unknown, taken: unknown, isSame: boolean): boolean {
  if (isEqual(sent, taken) || (taken === undefined && !isSame)) return true;
  if (sent === undefined || taken === undefined) return false;
  const [own, other] = [listOf(sent), listOf(taken)];
  return own.every((type) => isIn(other, type)) && (!isSame || other.every((type) => isIn(own, type)));
}

function isIn(list: readonly unknown[], type: unknown): boolean {
  return list.includes(type) || (type === "integer" && list.includes("number"));
}

function listedIn(schema: SchemaObject): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

function areValuesCovered(
  sent: readonly unknown[] | undefined,
  taken: readonly unknown[] | undefined,
  isSame: boolean,
): boolean {
  if (taken === undefined) return !isSame || sent === undefined;
  if (sent === undefined) return false;
  const [own, other] = [new Set(sent.map(canonicalJson)), new Set(taken.map(canonicalJson))];
  return Array.from(own).every((value) => other.has(value)) && (!isSame || own.size === other.size);
}

const lower = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const upper = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

function areBoundsCovered(sent: SchemaObject, taken: SchemaObject, isSame: boolean): boolean {
  return [...lower, ...upper].every((name) => {
    const [own, other] = [sent[name], taken[name]];
    if (isEqual(own, other)) return true;
    if (isSame) return false;
    // A bound of draft-04 means nothing without the other keyword.
    if ([...lower, ...upper].some((one) => typeof taken[one] === "boolean" || typeof sent[one] === "boolean"))
      return false;
    if (other === undefined) return true;
    if (typeof own !== "number" || typeof other !== "number") return false;
    return lower.includes(name) ? own >= other : own <= other;
  });
}

function areNamesCovered(sent: unknown, taken: unknown, isSame: boolean): boolean {
  if (isEqual(sent, taken)) return true;
  // Draft-03 had a boolean there.
  const [own, other] = [listOf(sent ?? []), listOf(taken ?? [])];
  return other.every((name) => own.includes(name)) && (!isSame || own.every((name) => other.includes(name)));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isObject(value) ? [] : [value];
}
