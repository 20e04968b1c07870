import { unevaluatedFormula } from "./departures.ts";
import { isOldDialect } from "./dialect.ts";
import type { Formula } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import { isObject } from "./json-value.ts";
import { Keywords } from "./keyword-value.ts";
import { patternOf, restKeyword } from "./keywords.ts";
import type { SchemaNode } from "./schema-document.ts";
import type { Reading } from "./reading.ts";
import { referenceTargets } from "./reference-targets.ts";

/** The formulas of a schema. */
export interface FormulaSource {
  /** Applied to the same value. */
  inPlace(node: SchemaNode): Formula;
  /** Applied to a value inside. */
  location(node: SchemaNode): Formula;
}

/** What one outcome of the subschemas evaluates: members by name, items below an index, items by what they are. */
interface Case {
  /** When this case is so. */
  readonly when: Formula;
  /** A formula on names; `always` for all members. */
  readonly names: Formula;
  /** How many items from the start; `Infinity` for all. */
  readonly items: number;
  /** What items `contains` has evaluated, wherever they are. */
  readonly like: Formula;
}

const mostCases = 64;

/** `unevaluatedProperties` and `unevaluatedItems`, by the cases of which subschemas hold. */
export function unevaluated(keywords: Keywords, reading: Reading, source: FormulaSource): Formula[] {
  const { node } = keywords;
  if (isOldDialect(node.document.dialect)) return [];
  const { pool } = reading;
  const parts: Formula[] = [];
  for (const keyword of ["unevaluatedProperties", "unevaluatedItems"] as const) {
    if (!keywords.has(keyword) || keywords.get(keyword) === true) continue;
    const child = node.document.child(node, keyword);
    const of = source.location(child);
    const cases = new Cases(pool, source).of(keywords, keyword);
    if (cases === undefined) {
      parts.push(pool.opaque(`${node.document.name}#${node.pointer}/${keyword}`));
      continue;
    }
    const allowed = ({ names, items, like }: Case): Formula =>
      keyword === "unevaluatedProperties"
        ? pool.everyProperty(pool.not(names), of)
        : pool.everyItem(items, Infinity, pool.any([like, of]));
    const own = pool.all(cases.map((one) => pool.any([pool.not(one.when), allowed(one)])));
    const isContaining =
      keyword === "unevaluatedItems" && /"contains":/.test(JSON.stringify(node.document.root.schema));
    parts.push(unevaluatedFormula(own, isContaining, keywords, reading));
  }
  return parts;
}

class Cases {
  private readonly pool: FormulaPool;
  private readonly source: FormulaSource;
  private readonly open = new Set<string>();

  constructor(pool: FormulaPool, source: FormulaSource) {
    this.pool = pool;
    this.source = source;
  }

  /** The cases of a schema, without its keyword `except`; `undefined` when they are too many or not known. */
  of(keywords: Keywords, except?: string): readonly Case[] | undefined {
    const { node } = keywords;
    const key = `${node.document.name}#${node.pointer}`;
    if (this.open.has(key)) return undefined;
    this.open.add(key);
    let cases: readonly Case[] | undefined = [this.own(keywords, except)];
    for (const [at, condition] of this.applied(keywords)) {
      const inner = at === undefined ? undefined : this.ofNode(at);
      cases =
        cases === undefined || inner === undefined
          ? undefined
          : this.product(cases, this.conditional(inner, condition));
      if (cases !== undefined && cases.length > mostCases) cases = undefined;
      if (cases === undefined) break;
    }
    this.open.delete(key);
    return cases;
  }

  private ofNode(node: SchemaNode): readonly Case[] | undefined {
    if (isObject(node.schema)) return this.of(new Keywords(node, node.schema));
    return [this.nothing];
  }

  private get nothing(): Case {
    return { when: this.pool.always, names: this.pool.never, items: 0, like: this.pool.never };
  }

  /** What the schema's own keywords evaluate. */
  private own(keywords: Keywords, except: string | undefined): Case {
    const { pool } = this;
    const { node } = keywords;
    const isNewest = node.document.dialect === "2020-12";
    const allNames = ["additionalProperties", "unevaluatedProperties"].some(
      (name) => name !== except && keywords.has(name),
    );
    const names = allNames
      ? pool.always
      : pool.any([
          pool.values(Object.keys(keywords.map("properties") ?? {})),
          ...Object.keys(keywords.map("patternProperties") ?? {}).map((pattern) => patternOf(pattern, keywords, pool)),
        ]);
    const items = keywords.get("items");
    const prefix = isNewest ? keywords.list("prefixItems") : Array.isArray(items) ? items : undefined;
    const hasRest = restKeyword(keywords, isNewest && keywords.has("prefixItems")) !== undefined;
    const allItems = hasRest || (except !== "unevaluatedItems" && keywords.has("unevaluatedItems"));
    const like =
      isNewest && keywords.has("contains") ? this.source.location(node.document.child(node, "contains")) : pool.never;
    return { when: pool.always, names, items: allItems ? Infinity : (prefix?.length ?? 0), like };
  }

  /** The subschemas applied in place, each with the formula under which it counts. */
  private applied(keywords: Keywords): readonly (readonly [SchemaNode | undefined, Formula])[] {
    const { node } = keywords;
    const { pool } = this;
    const at = (...path: readonly (string | number)[]): SchemaNode => node.document.child(node, ...path);
    const list = (name: string): SchemaNode[] => (keywords.list(name) ?? []).map((_, index) => at(name, index));
    const result: (readonly [SchemaNode | undefined, Formula])[] = [];
    for (const target of referenceTargets(keywords))
      result.push([typeof target === "string" ? undefined : target, pool.always]);
    for (const one of list("allOf")) result.push([one, pool.always]);
    for (const one of [...list("anyOf"), ...list("oneOf")]) result.push([one, this.source.inPlace(one)]);
    if (keywords.has("if")) {
      const condition = this.source.inPlace(at("if"));
      result.push([at("if"), condition]);
      if (keywords.has("then")) result.push([at("then"), condition]);
      if (keywords.has("else")) result.push([at("else"), pool.not(condition)]);
    }
    for (const name of Object.keys(keywords.map("dependentSchemas") ?? {}))
      result.push([
        at("dependentSchemas", name),
        pool.all([pool.types(["object"]), pool.someProperty(pool.values([name]), pool.always)]),
      ]);
    return result;
  }

  /** Cases that count only where `condition` holds; a value that is no object has no members to evaluate anyway. */
  private conditional(inner: readonly Case[], condition: Formula): readonly Case[] {
    const evaluates = inner.some(
      ({ names, items, like }) => names !== this.pool.never || items > 0 || like !== this.pool.never,
    );
    if (!evaluates) return [this.nothing];
    if (condition === this.pool.always) return inner;
    return [
      ...inner.map((one) => ({ ...one, when: this.pool.all([condition, one.when]) })),
      { ...this.nothing, when: this.pool.not(condition) },
    ];
  }

  private product(left: readonly Case[], right: readonly Case[]): readonly Case[] {
    const { pool } = this;
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
