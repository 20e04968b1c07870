import type { RuleProperties } from "../../core/engine/rules.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { valueFromJson } from "../../core/values/value-json-reading.ts";

/** A rule as JSON, for a store. */
export const writeRule = (rule: RuleProperties): string => JSON.stringify(valueToJson(rule));

/** Reads {@link writeRule}. @throws SobreError `DecodeFailed` if the text is not a rule. */
export function readRule(text: string): RuleProperties {
  const rule = valueFromJson(JSON.parse(text));
  if (isRule(rule)) return rule;
  throw new SobreError("DecodeFailed", "A stored rule has no name or no filter.");
}

function isRule(value: unknown): value is RuleProperties {
  return typeof value === "object" && value !== null && "name" in value && "filter" in value;
}
