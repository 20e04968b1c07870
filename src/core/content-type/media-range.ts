import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { ContentType } from "./content-type.ts";
import { parameter } from "./parameter.ts";
import type { Parameter } from "./parameters.ts";

/** A set of content types: one type, all with a suffix, all subtypes of a type, or all; with parameters or without. */
export interface MediaRange {
  /** The type in lower case, or `*`. */
  readonly type: string;
  /** The subtype in lower case, `*`, or `*+suffix`. */
  readonly subtype: string;
  /** All must be present with these values; `charset` is case-insensitive. */
  readonly parameters: readonly Parameter[];
}

/**
 * Creates a media range from valid parts, e.g. `mediaRange("application", "*+json")`.
 *
 * It checks nothing and adds no parser to a bundle.
 */
export function mediaRange(type: string, subtype: string, parameters: readonly Parameter[] = []): MediaRange {
  return { type, subtype, parameters };
}

// Bundles without them leave calls out that are marked so.
const aParameter = /* @__PURE__ */ is.having("a parameter", { name: is.text, value: is.text });
const parameters = /* @__PURE__ */ is.listOf("parameters with a name and a value", aParameter);
const aRange = /* @__PURE__ */ is.having("a media range", { type: is.text, subtype: is.text, parameters });
const aContentType = /* @__PURE__ */ is.having("a content type", { type: is.text, parameters });

const specificities = { any: 0, type: 100, suffix: 200, exact: 300 } as const;

/** Greater is more specific: exact (300 and up), then suffix, then all of a type, then all; each parameter adds a little. */
export function specificityOf(range: MediaRange): number {
  checkOption("range", range, aRange);
  const { type, subtype } = range;
  const kind = subtype === "*" ? (type === "*" ? "any" : "type") : subtype.startsWith("*+") ? "suffix" : "exact";
  return specificities[kind] + Math.min(range.parameters.length, 99);
}

/** Whether `range` includes `contentType`. */
export function matchesRange(range: MediaRange, contentType: ContentType): boolean {
  checkOption("range", range, aRange);
  checkOption("contentType", contentType, aContentType);
  const slash = contentType.type.indexOf("/");
  if (range.type !== "*" && range.type !== contentType.type.slice(0, slash)) return false;
  return (
    subtypeMatches(range.subtype, contentType.type.slice(slash + 1)) && parametersMatch(range.parameters, contentType)
  );
}

function subtypeMatches(wanted: string, subtype: string): boolean {
  if (wanted === "*") return true;
  if (!wanted.startsWith("*+")) return wanted === subtype;
  // The suffix is what follows the last "+": "application/json-seq" and "application/json" have none.
  return subtype.lastIndexOf("+") > 0 && subtype.slice(subtype.lastIndexOf("+")) === wanted.slice(1);
}

function parametersMatch(wanted: readonly Parameter[], contentType: ContentType): boolean {
  return wanted.every(({ name, value }) => {
    const found = parameter(contentType, name);
    return found === value || (name.toLowerCase() === "charset" && found?.toLowerCase() === value.toLowerCase());
  });
}

/** Whether both ranges include some content type. */
export function rangesOverlap(one: MediaRange, other: MediaRange): boolean {
  checkOption("one", one, aRange);
  checkOption("other", other, aRange);
  const types = one.type === "*" || other.type === "*" || one.type === other.type;
  return types && subtypesOverlap(one.subtype, other.subtype) && parametersAgree(one.parameters, other.parameters);
}

function subtypesOverlap(one: string, other: string): boolean {
  return one === other || subtypeMatches(one, other) || subtypeMatches(other, one);
}

function parametersAgree(some: readonly Parameter[], others: readonly Parameter[]): boolean {
  return some.every(({ name, value }) => {
    const same = others.find((other) => other.name.toLowerCase() === name.toLowerCase());
    return same === undefined || same.value.toLowerCase() === value.toLowerCase();
  });
}
