import { canonicalJson, isObject } from "./json-value.ts";
import { localTarget } from "./local-reference.ts";
import { typeOfValue } from "./prover/formula.ts";

/**
 * The alternative of a union that a value has the shape of, so that its own refusal says what has changed; `undefined`
 * where the value has the shape of none, e.g. since the alternative is gone.
 */
export function nearestAlternative(value: unknown, members: readonly unknown[], root: unknown): unknown {
  let best: { readonly member: unknown; readonly likeness: number } | undefined;
  for (const member of members) {
    const likeness = likenessTo(value, shapeOf(member, root));
    if (likeness > 0 && likeness > (best?.likeness ?? 0)) best = { member, likeness };
  }
  return best?.member;
}

/** The keywords of a schema, and of all that it combines, that say which values look like its own. */
interface SchemaShape {
  readonly types: Set<unknown>;
  readonly members: Map<string, readonly unknown[] | undefined>;
  readonly required: Set<string>;
  isClosed: boolean;
  listed: readonly unknown[] | undefined;
}

function shapeOf(schema: unknown, root: unknown): SchemaShape {
  const shape: SchemaShape = {
    types: new Set(),
    members: new Map(),
    required: new Set(),
    isClosed: false,
    listed: undefined,
  };
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (!isObject(part) || seen.has(part)) return;
    seen.add(part);
    const { type, properties, required, allOf, $ref: reference } = part;
    for (const name of Array.isArray(type) ? type : type === undefined ? [] : [type]) shape.types.add(name);
    for (const [name, member] of Object.entries(isObject(properties) ? properties : {}))
      shape.members.set(name, listedBy(localTarget(member, root)));
    for (const name of Array.isArray(required) ? required : []) if (typeof name === "string") shape.required.add(name);
    if (part["additionalProperties"] === false || part["unevaluatedProperties"] === false) shape.isClosed = true;
    shape.listed ??= listedBy(part);
    if (reference !== undefined) visit(localTarget(part, root));
    for (const inner of Array.isArray(allOf) ? allOf : []) visit(inner);
  };
  visit(schema);
  return shape;
}

function listedBy(schema: unknown): readonly unknown[] | undefined {
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

/** How much a value looks like those of a schema; 0 or less where it is of another kind. */
function likenessTo(value: unknown, { types, members, required, isClosed, listed }: SchemaShape): number {
  const type = typeOfValue(value);
  const isOfType = types.has(type) || (type === "number" && types.has("integer"));
  if (listed !== undefined || (types.size > 0 && !isOfType)) return 0;
  if (!isObject(value)) return isOfType ? 1 : 0;
  const names = Object.keys(value);
  const missing = Array.from(required).filter((name) => !Object.hasOwn(value, name)).length;
  let likeness = names.length === 0 && missing === 0 ? 1 : -missing;
  for (const name of names) {
    if (!members.has(name)) likeness -= isClosed ? 1 : 0;
    else if (isListed(value[name], members.get(name))) likeness += 1;
    // Another constant there means another variant.
    else return 0;
  }
  return likeness;
}

function isListed(value: unknown, list: readonly unknown[] | undefined): boolean {
  return list === undefined || list.some((one) => canonicalJson(one) === canonicalJson(value));
}
