import { SobreError } from "../../../core/errors/sobre-error.ts";
import { linearPattern } from "../../../core/regex/linear-pattern.ts";
import {
  absentMember,
  containsFormula,
  countedNames,
  memberFormula,
  ownKeyword,
  presentMember,
  typeFormula,
  uniqueFormula,
} from "./departures.ts";
import { isOldDialect } from "../dialect.ts";
import { contentKeywords, numberFormats } from "../formats.ts";
import { type Formula, type TypeName, typeNames } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import { isObject } from "../json-value.ts";
import type { Keywords } from "../keyword-value.ts";
import { rational } from "./rational.ts";
import { escapeToken } from "../schema-document.ts";
import type { SchemaReading } from "./reading.ts";

/** The formula of the schema at a path of keywords. */
type Child = (path: readonly (string | number)[]) => Formula;

/** `type`, `enum` and `const`. */
export function typeKeyword(keywords: Keywords, reading: SchemaReading): Formula[] {
  const { pool } = reading;
  const parts: Formula[] = [];
  const type = keywords.get("type");
  if (type !== undefined) {
    const types = typesOf(Array.isArray(type) ? type : [type], keywords, pool);
    parts.push(typeFormula(types, keywords, reading));
  }
  const values = keywords.list("enum");
  if (values !== undefined) parts.push(pool.values(values.map((value) => keywords.json(value, "enum"))));
  const constant = (): Formula => pool.values([keywords.json(keywords.get("const"), "const")]);
  if (keywords.has("const")) parts.push(ownKeyword("const", constant, keywords, reading));
  return parts;
}

function typesOf(names: readonly unknown[], keywords: Keywords, pool: FormulaPool): Formula {
  const known = names.flatMap((name): readonly TypeName[] => typeNames.filter((type) => type === name));
  if (known.length + names.filter((name) => name === "integer").length < names.length) {
    throw keywords.broken("type", "one or several of null, boolean, number, integer, string, array and object");
  }
  if (!names.includes("integer") || known.includes("number")) return pool.types(known);
  return pool.all([pool.types([...known, "number"]), pool.multiple(rational(1))]);
}

/** The keywords of numbers; draft-04's boolean `exclusiveMinimum` is accepted everywhere. */
export function numberKeywords(keywords: Keywords, { pool, formats }: SchemaReading): Formula[] {
  const parts: Formula[] = [];
  for (const [name, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    const bound = (limit: number, strict: boolean): Formula =>
      name === "minimum" ? pool.lower(rational(limit), strict) : pool.upper(rational(limit), strict);
    const flag = keywords.get(exclusive);
    const limit = keywords.number(name);
    if (limit !== undefined) parts.push(bound(limit, flag === true));
    const strict = typeof flag === "boolean" ? undefined : keywords.number(exclusive);
    if (strict !== undefined) parts.push(bound(strict, true));
  }
  const factor = keywords.number("multipleOf");
  if (factor !== undefined && factor <= 0) throw keywords.broken("multipleOf", "a number above 0");
  if (factor !== undefined) parts.push(pool.multiple(rational(factor)));
  const format = keywords.get("format");
  if ((format !== "int32" && format !== "int64") || formats.policy === "annotation") return parts;
  const asserted = pool.all([pool.multiple(rational(1)), ...(format === "int32" ? int32Range(pool) : [])]);
  parts.push(formats.policy === "assertion" ? asserted : pool.any([asserted, pool.opaque(`asserts ${format}`)]));
  return parts;
}

function int32Range(pool: FormulaPool): readonly Formula[] {
  return [pool.lower(rational(-(2 ** 31)), false), pool.upper(rational(2 ** 31 - 1), false)];
}

/** The keywords of strings. */
export function stringKeywords(keywords: Keywords, reading: SchemaReading): Formula[] {
  const { pool, formats } = reading;
  const parts = sizes(keywords, pool, ["string", "minLength", "maxLength"]);
  const pattern = keywords.text("pattern");
  if (pattern !== undefined) parts.push(patternOf(pattern, "pattern", keywords, reading));
  const format = keywords.text("format");
  if (format !== undefined && !numberFormats.has(format) && formats.policy !== "annotation")
    parts.push(pool.format(format));
  if (keywords.node.document.dialect !== "draft-07" || formats.policy === "annotation") return parts;
  for (const name of contentKeywords) {
    const content = keywords.get(name);
    if (typeof content === "string") parts.push(pool.format(`${name} ${content.toLowerCase()}`));
  }
  return parts;
}

/** The keywords of objects that concern single members. */
export function propertyKeywords(keywords: Keywords, reading: SchemaReading, child: Child): Formula[] {
  const { pool } = reading;
  const parts = sizes(keywords, pool, ["object", "minProperties", "maxProperties"]);
  const present = (name: string): Formula => presentMember(name, reading);
  // Draft-03 had a boolean there; old schemas still contain it, without meaning.
  const required = typeof keywords.get("required") === "boolean" ? [] : keywords.get("required");
  for (const name of required === undefined ? [] : keywords.names(required, "required")) parts.push(present(name));
  const names = countedNames(keywords.map("properties"), reading);
  for (const name of names) parts.push(memberFormula(name, keywords, child(["properties", name]), reading));
  const patterns = countedNames(keywords.map("patternProperties"), reading);
  for (const pattern of patterns)
    parts.push(
      pool.everyProperty(
        patternOf(pattern, "patternProperties", keywords, reading),
        child(["patternProperties", pattern]),
      ),
    );
  if (keywords.has("additionalProperties")) {
    const others = pool.all([
      pool.values(names, true),
      ...patterns.map((pattern) => patternLiteral(pattern, keywords, pool, true)),
    ]);
    parts.push(pool.everyProperty(others, child(["additionalProperties"])));
  }
  const named = (): Formula => pool.everyProperty(pool.not(child(["propertyNames"])), pool.never);
  if (keywords.has("propertyNames")) parts.push(ownKeyword("propertyNames", named, keywords, reading));
  for (const keyword of ["dependencies", "dependentRequired"]) {
    if (keyword === "dependentRequired" && isOldDialect(keywords.node.document.dialect)) continue;
    for (const [name, list] of Object.entries(keywords.map(keyword) ?? {})) {
      // Draft-03 allowed one name.
      const wanted = typeof list === "string" ? [list] : list;
      if (keyword === "dependencies" && (isObject(wanted) || typeof wanted === "boolean")) continue;
      const all = keywords.names(wanted, keyword).map(present);
      const depending = (): Formula => pool.any([absentMember(name, reading), pool.all(all)]);
      parts.push(ownKeyword(keyword, depending, keywords, reading));
    }
  }
  return parts;
}

/** The keywords of arrays. */
export function itemKeywords(keywords: Keywords, reading: SchemaReading, child: Child): Formula[] {
  const { pool } = reading;
  const { dialect } = keywords.node.document;
  const parts = sizes(keywords, pool, ["array", "minItems", "maxItems"]);
  const items = keywords.get("items");
  const hasPrefix = dialect === "2020-12" && keywords.has("prefixItems");
  const prefixName = hasPrefix ? "prefixItems" : "items";
  const prefix = hasPrefix ? keywords.list("prefixItems") : Array.isArray(items) ? items : [];
  (prefix ?? []).forEach((_, index) => parts.push(pool.everyItem(index, index + 1, child([prefixName, index]))));
  const from = prefix?.length ?? 0;
  const rest = restKeyword(keywords, hasPrefix);
  if (rest !== undefined) parts.push(pool.everyItem(from, Infinity, child([rest])));
  if (keywords.has("contains")) {
    const counts = !isOldDialect(dialect);
    const of = child(["contains"]);
    const most = counts ? keywords.count("maxContains") : undefined;
    const least = pool.containsLeast((counts ? keywords.count("minContains") : undefined) ?? 1, of);
    const counted = most === undefined ? least : pool.all([least, pool.containsMost(most, of)]);
    const containing = (): Formula => containsFormula(counted, prefix ?? [], keywords, reading);
    parts.push(ownKeyword("contains", containing, keywords, reading));
  }
  if (keywords.get("uniqueItems") === true) parts.push(uniqueFormula(prefix ?? [], keywords, reading));
  return parts;
}

/** The keyword for the items after the prefix. */
export function restKeyword(keywords: Keywords, hasPrefix: boolean): "items" | "additionalItems" | undefined {
  if (Array.isArray(keywords.get("items")))
    return keywords.has("additionalItems") && !hasPrefix ? "additionalItems" : undefined;
  return keywords.has("items") ? "items" : undefined;
}

/**
 * The formula of a pattern; the reading notes one that `jsonSchema()` refuses.
 *
 * @throws SobreError `InvalidArgument` when its syntax is broken.
 */
function patternOf(
  source: string,
  keyword: "pattern" | "patternProperties",
  keywords: Keywords,
  { pool, refusedPatterns }: SchemaReading,
): Formula {
  const { pointer, document } = keywords.node;
  const { refusal } = linearPattern(source);
  const path = `#${pointer}/${keyword}${keyword === "pattern" ? "" : `/${escapeToken(source)}`}`;
  if (refusal?.kind === "broken")
    throw new SobreError("InvalidArgument", `The JSON Schema is invalid at ${path}: ${refusal.message}`, { path });
  if (refusal !== undefined)
    refusedPatterns.set(`${document.name} ${path}`, `${path} of the ${document.name}'s schema: ${refusal.message}`);
  return patternLiteral(source, keywords, pool);
}

/** A pattern as a literal. In a reader nothing is known about one that `jsonSchema()` refuses, so that nothing breaks there. */
export function patternLiteral(
  source: string,
  { node: { document } }: Keywords,
  pool: FormulaPool,
  negated = false,
): Formula {
  if (!document.origin.startsWith("reader") || linearPattern(source).refusal === undefined)
    return pool.pattern(source, negated);
  const unknown = pool.opaque(`pattern ${source}`, negated);
  return negated ? unknown : pool.given("string", unknown);
}

function sizes(
  keywords: Keywords,
  pool: FormulaPool,
  [type, least, most]: readonly ["string" | "array" | "object", string, string],
): Formula[] {
  const [min, max] = [keywords.count(least), keywords.count(most)];
  return [
    ...(min === undefined ? [] : [pool.size(type, min, Infinity)]),
    ...(max === undefined ? [] : [pool.size(type, 0, max)]),
  ];
}
