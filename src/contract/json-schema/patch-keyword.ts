import { unescapeToken } from "../../core/json-schema/json-form.ts";
import { type BreakFacts, keywordGroups } from "./break-facts.ts";
import type { RefusedWitness } from "./compared.ts";
import { isObject } from "./json-value.ts";
import { stepInto } from "./local-reference.ts";

/** A schema that was cloned to be changed. */
export type PatchableSchema = Record<string, unknown>;

/** Changes a schema so that it takes what it refused, and as little else as possible; false where that is not possible. */
export function patchKeyword(holder: PatchableSchema, refused: RefusedWitness, facts: BreakFacts): boolean {
  const { keyword, params, value, instancePath } = refused;
  const there = instancePath.split("/").slice(1).map(unescapeToken).reduce<unknown>(stepInto, value);
  switch (keyword) {
    case "required":
      return without(holder, "required", params["missingProperty"]);
    case "dependentRequired":
    case "dependencies": {
      const lists = holder[keyword];
      const name = params["property"];
      if (!isPatchable(lists) || typeof name !== "string") return removed(holder, keyword);
      return without(lists, name, params["missingProperty"]);
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = params[keyword === "additionalProperties" ? "additionalProperty" : "unevaluatedProperty"];
      if (typeof name !== "string" || !facts.isMentioned(name)) return removed(holder, keyword);
      const properties = isObject(holder["properties"]) ? holder["properties"] : {};
      holder["properties"] = Object.fromEntries([...Object.entries(properties), [name, true]]);
      return true;
    }
    case "type": {
      const own: readonly unknown[] = Array.isArray(holder["type"]) ? holder["type"] : [holder["type"]];
      holder["type"] = Array.from(new Set([...own, ...facts.typesAt(refused)]));
      return true;
    }
    case "enum":
    case "const": {
      if (!facts.isListed(there)) return removed(holder, keyword);
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
    default:
      return (keywordGroups[keyword] ?? [keyword]).map((name) => removed(holder, name)).includes(true);
  }
}

function without(holder: PatchableSchema, name: string, item: unknown): boolean {
  const list = holder[name];
  if (!Array.isArray(list) || !list.includes(item)) return false;
  holder[name] = list.filter((one) => one !== item);
  return true;
}

function removed(holder: PatchableSchema, keyword: string): boolean {
  return Object.hasOwn(holder, keyword) && Reflect.deleteProperty(holder, keyword);
}

function isPatchable(value: unknown): value is PatchableSchema {
  return isObject(value);
}
