import type { Json } from "../../core/values/json.ts";

/** Replaces the values of certain names. */
export interface Redaction {
  /** Whether there is anything to redact. */
  readonly active: boolean;
  value(json: Json): Json;
  properties(properties: Readonly<Record<string, Json>>): Readonly<Record<string, Json>>;
}

const mark = "(redacted)";

/** Redacts the members and properties of these names, in any case and at any depth. */
export function createRedaction(names: readonly string[]): Redaction {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const members = (object: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, wanted.has(name.toLowerCase()) ? mark : inside(value)]),
    );
  const inside = (value: Json): Json => {
    if (isList(value)) return value.map(inside);
    return typeof value === "object" && value !== null ? members(value) : value;
  };
  if (wanted.size === 0) return { active: false, value: (json) => json, properties: (properties) => properties };
  return { active: true, value: inside, properties: members };
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
