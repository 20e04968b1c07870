import { unevaluatedFormula } from "./departures.ts";
import { isOldDialect } from "../dialect.ts";
import type { Formula } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import { isObject } from "../json-value.ts";
import { Keywords } from "../keyword-value.ts";
import { patternLiteral, restKeyword } from "./keywords.ts";
import type { SchemaNode } from "../schema-document.ts";
import type { SchemaReading } from "./reading.ts";
import { referenceTargets } from "../reference-targets.ts";

/** The formulas of a schema. */
export interface FormulaSource {
  /** Applied to the same value. */
  inPlace(node: SchemaNode): Formula;
  /** Applied to a value inside. */
  location(node: SchemaNode): Formula;
}

/** The parts that are evaluated in one case of the subschemas: members by name, items below an index, items by value. */
interface Case {
  /** The condition of this case. */
  readonly when: Formula;
  /** A formula on names; `always` for all members. */
  readonly names: Formula;
  /** The number of items from the start; `Infinity` for all. */
  readonly items: number;
  /** The items that `contains` has evaluated, at any position. */
  readonly like: Formula;
}

const maxCases = 64;

/** `unevaluatedProperties` and `unevaluatedItems`, by cases of which subschemas hold. */
export function unevaluated(keywords: Keywords, reading: SchemaReading, source: FormulaSource): Formula[] {
  const { node } = keywords;
  if (isOldDialect(node.document.dialect)) return [];
  const { pool } = reading;
  const parts: Formula[] = [];
  for (const keyword of ["unevaluatedProperties", "unevaluatedItems"] as const) {
    if (!keywords.has(keyword) || keywords.get(keyword) === true) continue;
    const child = node.document.child(node, keyword);
    const of = source.location(child);
    const evaluated = new Cases(pool, source, keyword);
    const cases = evaluated.of(keywords, keyword);
    if (cases === undefined) {
      reading.departed.add("forgotten");
      const type = keyword === "unevaluatedProperties" ? "object" : "array";
      parts.push(pool.given(type, pool.opaque(`${node.document.name}#${node.pointer}/${keyword}`)));
      continue;
    }
    const allowed = ({ names, items, like }: Case): Formula =>
      keyword === "unevaluatedProperties"
        ? pool.everyProperty(pool.not(names), of)
        : pool.everyItem(items, Infinity, pool.any([like, of]));
    const own = pool.all(cases.map((one) => pool.any([pool.not(one.when), allowed(one)])));
    const miscounting = {
      containing: keyword === "unevaluatedItems" && /"contains":/.test(JSON.stringify(node.document.root.schema)),
      forgetting: evaluated.isForgotten,
    };
    parts.push(unevaluatedFormula(own, miscounting, keywords, reading));
  }
  return parts;
}

type Unevaluated = "unevaluatedProperties" | "unevaluatedItems";

class Cases {
  readonly #pool: FormulaPool;
  readonly #source: FormulaSource;
  readonly #keyword: Unevaluated;
  readonly #open = new Set<string>();
  /** Whether ajv loses track of what was evaluated. */
  isForgotten = false;

  constructor(pool: FormulaPool, source: FormulaSource, keyword: Unevaluated) {
    this.#pool = pool;
    this.#source = source;
    this.#keyword = keyword;
  }

  /** The cases of a schema, without its keyword `except`; `undefined` if they are too many or unknown. */
  of(keywords: Keywords, except?: string): readonly Case[] | undefined {
    const { node } = keywords;
    const key = `${node.document.name}#${node.pointer}`;
    if (this.#open.has(key)) return undefined;
    this.#open.add(key);
    let cases: readonly Case[] | undefined = [this.#own(keywords, except)];
    const evaluating = new Set<string>();
    for (const [at, condition, kind] of this.#applied(keywords)) {
      const inner = at === undefined ? undefined : this.#ofNode(at);
      if (inner === undefined || this.#doesEvaluate(inner, kind === "if" ? keywords : undefined)) evaluating.add(kind);
      cases =
        cases === undefined || inner === undefined
          ? undefined
          : this.#product(cases, this.#conditional(inner, condition));
      if (cases !== undefined && cases.length > maxCases) cases = undefined;
      if (cases === undefined) break;
    }
    if (isCountLost(this.#keyword, keywords, evaluating)) this.isForgotten = true;
    this.#open.delete(key);
    return cases;
  }

  /** Whether members or items are evaluated, beyond the properties of `other`. */
  #doesEvaluate(cases: readonly Case[], other: Keywords | undefined): boolean {
    const pool = this.#pool;
    if (this.#keyword === "unevaluatedItems") return cases.some(({ items, like }) => items > 0 || like !== pool.never);
    const known = new Set<unknown>(Object.keys(other?.map("properties") ?? {}));
    const isKnown = (names: Formula): boolean =>
      names.kind === "values" && !names.negated && names.values.every((name) => known.has(name));
    return cases.some(({ names }) => names !== pool.never && !isKnown(names));
  }

  #ofNode(node: SchemaNode): readonly Case[] | undefined {
    if (isObject(node.schema)) return this.of(new Keywords(node, node.schema));
    return [this.#nothing];
  }

  get #nothing(): Case {
    return { when: this.#pool.always, names: this.#pool.never, items: 0, like: this.#pool.never };
  }

  /** The parts that the schema's own keywords evaluate. */
  #own(keywords: Keywords, except: string | undefined): Case {
    const pool = this.#pool;
    const { node } = keywords;
    const isNewest = node.document.dialect === "2020-12";
    const allNames = ["additionalProperties", "unevaluatedProperties"].some(
      (name) => name !== except && keywords.has(name),
    );
    const names = allNames
      ? pool.always
      : pool.any([
          pool.values(Object.keys(keywords.map("properties") ?? {})),
          ...Object.keys(keywords.map("patternProperties") ?? {}).map((pattern) =>
            patternLiteral(pattern, keywords, pool),
          ),
        ]);
    const items = keywords.get("items");
    const prefix = isNewest ? keywords.list("prefixItems") : Array.isArray(items) ? items : undefined;
    const hasRest = restKeyword(keywords, isNewest && keywords.has("prefixItems")) !== undefined;
    const allItems = hasRest || (except !== "unevaluatedItems" && keywords.has("unevaluatedItems"));
    const like =
      isNewest && keywords.has("contains") ? this.#source.location(node.document.child(node, "contains")) : pool.never;
    return { when: pool.always, names, items: allItems ? Infinity : (prefix?.length ?? 0), like };
  }

  /** The subschemas applied in place, each with the formula under which it counts. */
  #applied(keywords: Keywords): readonly (readonly [SchemaNode | undefined, Formula, string])[] {
    const { node } = keywords;
    const pool = this.#pool;
    const at = (...path: readonly (string | number)[]): SchemaNode => node.document.child(node, ...path);
    const list = (name: string): SchemaNode[] => (keywords.list(name) ?? []).map((_, index) => at(name, index));
    const result: (readonly [SchemaNode | undefined, Formula, string])[] = [];
    for (const target of referenceTargets(keywords))
      result.push([typeof target === "string" ? undefined : target, pool.always, "$ref"]);
    for (const one of list("allOf")) result.push([one, pool.always, "allOf"]);
    for (const one of [...list("anyOf"), ...list("oneOf")]) result.push([one, this.#source.inPlace(one), "anyOf"]);
    if (keywords.has("if")) {
      const condition = this.#source.inPlace(at("if"));
      result.push([at("if"), condition, "if"]);
      if (keywords.has("then")) result.push([at("then"), condition, "then"]);
      if (keywords.has("else")) result.push([at("else"), pool.not(condition), "then"]);
    }
    for (const name of Object.keys(keywords.map("dependentSchemas") ?? {}))
      result.push([
        at("dependentSchemas", name),
        pool.all([pool.types(["object"]), pool.someProperty(pool.values([name]), pool.always)]),
        "dependentSchemas",
      ]);
    return result;
  }

  /** Cases that count only where `condition` holds; only objects have members to evaluate. */
  #conditional(inner: readonly Case[], condition: Formula): readonly Case[] {
    const evaluates = inner.some(
      ({ names, items, like }) => names !== this.#pool.never || items > 0 || like !== this.#pool.never,
    );
    if (!evaluates) return [this.#nothing];
    if (condition === this.#pool.always) return inner;
    return [
      ...inner.map((one) => ({ ...one, when: this.#pool.all([condition, one.when]) })),
      { ...this.#nothing, when: this.#pool.not(condition) },
    ];
  }

  #product(left: readonly Case[], right: readonly Case[]): readonly Case[] {
    const pool = this.#pool;
    return left.flatMap((a) =>
      right.map((b) => ({
        when: pool.all([a.when, b.when]),
        names: pool.any([a.names, b.names]),
        items: Math.max(a.items, b.items),
        like: pool.any([a.like, b.like]),
      })),
    );
  }
}

/**
 * Whether ajv (8.20) loses track: it starts over in the first subschema that applies conditionally, and what
 * came before is forgotten if that one does not apply. Its order: references, anyOf, oneOf, allOf, if, then, else,
 * properties, patternProperties, dependentSchemas.
 */
function isCountLost(keyword: Unevaluated, keywords: Keywords, evaluating: ReadonlySet<string>): boolean {
  const sometimes = ["anyOf", "then", "dependentSchemas"].filter((kind) => evaluating.has(kind));
  if (evaluating.has("if")) return true;
  if (keyword === "unevaluatedItems") return sometimes.length > 0;
  const hasPatterns = keywords.has("patternProperties");
  if (sometimes.length === 0) return false;
  if (evaluating.has("$ref") || (evaluating.has("allOf") && !evaluating.has("anyOf"))) return true;
  return sometimes[0] === "dependentSchemas" ? keywords.has("properties") && !hasPatterns : hasPatterns;
}
