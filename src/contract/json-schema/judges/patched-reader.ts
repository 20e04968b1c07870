import { unescapeToken } from "../../../core/json-schema/json-form.ts";
import { stepInto } from "./refusal.ts";
import type { Refused } from "../compared.ts";
import { canonicalJson, isObject } from "../json-value.ts";

type Draft = Record<string, unknown>;

/** A part of a schema that may be changed: a schema that was cloned for that. */
interface Place {
  readonly holder: Draft;
  readonly keyword: string;
}

/**
 * A copy of the reader's schema that no longer refuses what `refused` shows, with as little changed as possible:
 * a member is no longer required, a listed value is added, or a condition is dropped. `undefined` when there is no such
 * place in the schema, e.g. in one that it refers to elsewhere.
 */
export function patchedReader(reader: unknown, writer: unknown, refused: Refused): unknown {
  const copy: unknown = structuredClone(reader);
  const tokens = refused.schemaPath.slice(1).split("/").slice(1).map(unescapeToken);
  if (refused.keyword === "false schema")
    return withTrueAt(copy, tokens.at(-1) === "false schema" ? tokens.slice(0, -1) : tokens);
  const holder = tokens.slice(0, -1).reduce<unknown>(stepInto, copy);
  if (!isDraft(holder)) return undefined;
  return patch({ holder, keyword: refused.keyword }, writer, refused) ? copy : undefined;
}

/** A copy without the whole union that contains the refusal. */
export function readerWithoutUnion(reader: unknown, { union }: Refused): unknown {
  if (union === undefined) return undefined;
  const copy: unknown = structuredClone(reader);
  const tokens = union.slice(1).split("/").slice(1).map(unescapeToken);
  const holder = tokens.slice(0, -1).reduce<unknown>(stepInto, copy);
  return isDraft(holder) && removed(holder, tokens.at(-1) ?? "") ? copy : undefined;
}

function patch({ holder, keyword }: Place, writer: unknown, { params, value, instancePath }: Refused): boolean {
  const there = instancePath.split("/").slice(1).map(unescapeToken).reduce<unknown>(stepInto, value);
  switch (keyword) {
    case "required":
      return without(holder, "required", params["missingProperty"]);
    case "dependentRequired":
    case "dependencies": {
      const lists = holder[keyword];
      const name = params["property"];
      if (!isDraft(lists) || typeof name !== "string") return removed(holder, keyword);
      return without(lists, name, params["missingProperty"]);
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = params[keyword === "additionalProperties" ? "additionalProperty" : "unevaluatedProperty"];
      if (typeof name !== "string" || !mentions(writer, name)) return removed(holder, keyword);
      const properties = isObject(holder["properties"]) ? holder["properties"] : {};
      holder["properties"] = Object.fromEntries([...Object.entries(properties), [name, true]]);
      return true;
    }
    case "enum":
    case "const": {
      if (!isListed(writer, there)) return removed(holder, keyword);
      const known = keyword === "const" ? [holder["const"]] : holder["enum"];
      delete holder["const"];
      holder["enum"] = [...(Array.isArray(known) ? known : []), there];
      return true;
    }
    case "oneOf":
    case "anyOf": {
      const members = holder[keyword];
      const variant = params["variant"];
      if (typeof variant !== "string" || !Array.isArray(members)) return removed(holder, keyword);
      const name = variant.slice(0, variant.indexOf(" "));
      const own = isObject(there) ? there[name] : undefined;
      holder[keyword] = [...members, { type: "object", properties: { [name]: { const: own } }, required: [name] }];
      return true;
    }
    case "if":
      return [removed(holder, "if"), removed(holder, "then"), removed(holder, "else")].includes(true);
    case "minimum":
    case "maximum": {
      const exclusive = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
      if (typeof holder[exclusive] === "boolean") delete holder[exclusive];
      return removed(holder, keyword);
    }
    case "exclusiveMinimum":
    case "exclusiveMaximum": {
      const inclusive = keyword === "exclusiveMinimum" ? "minimum" : "maximum";
      if (typeof holder[keyword] === "boolean") delete holder[inclusive];
      return removed(holder, keyword);
    }
    case "contains":
      return [removed(holder, "contains"), removed(holder, "minContains"), removed(holder, "maxContains")].includes(
        true,
      );
    default:
      return removed(holder, keyword);
  }
}

function withTrueAt(copy: unknown, tokens: readonly string[]): unknown {
  const name = tokens.at(-1);
  const holder = tokens.slice(0, -1).reduce<unknown>(stepInto, copy);
  if (name === undefined || typeof holder !== "object" || holder === null) return undefined;
  return Reflect.set(holder, name, true) ? copy : undefined;
}

function without(holder: Draft, name: string, item: unknown): boolean {
  const list = holder[name];
  if (!Array.isArray(list) || !list.includes(item)) return false;
  holder[name] = list.filter((one) => one !== item);
  return true;
}

function removed(holder: Draft, keyword: string): boolean {
  return Object.hasOwn(holder, keyword) && Reflect.deleteProperty(holder, keyword);
}

/** Whether a schema names a member anywhere. */
function mentions(schema: unknown, name: string): boolean {
  if (Array.isArray(schema)) return schema.some((item) => item === name || mentions(item, name));
  if (!isObject(schema)) return false;
  return Object.hasOwn(schema, name) || Object.values(schema).some((inner) => mentions(inner, name));
}

/** Whether a schema lists a value anywhere. */
function isListed(schema: unknown, value: unknown): boolean {
  const key = canonicalJson(value);
  const visit = (part: unknown): boolean => {
    if (Array.isArray(part)) return part.some(visit);
    if (!isObject(part)) return false;
    const { enum: list, const: one } = part;
    const values = [...(Array.isArray(list) ? list : []), ...(Object.hasOwn(part, "const") ? [one] : [])];
    return values.some((known) => canonicalJson(known) === key) || Object.values(part).some(visit);
  };
  return visit(schema);
}

function isDraft(value: unknown): value is Draft {
  return isObject(value);
}
