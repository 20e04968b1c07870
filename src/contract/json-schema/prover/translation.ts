import { SobreError } from "../../../core/errors/sobre-error.ts";
import { declaredNames, inPlaceGroup, overlapsOf } from "./declared-names.ts";
import { absentMember, ownKeyword } from "./departures.ts";
import type { Formula } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import { isOldDialect, namedDialect, unknownDialect } from "../dialect.ts";
import { isObject } from "../json-value.ts";
import { areDisjoint } from "./known-members.ts";
import { Keywords } from "../keyword-value.ts";
import { itemKeywords, numberKeywords, propertyKeywords, stringKeywords, typeKeyword } from "./keywords.ts";
import type { SchemaReading } from "./reading.ts";
import { referenceTargets } from "../reference-targets.ts";
import type { SchemaNode } from "../schema-document.ts";
import { unevaluated } from "./unevaluated.ts";

/** Turns schemas into formulas. `writer` adds that objects have declared members only. */
export class Translation {
  readonly reading: SchemaReading;
  readonly #writer: boolean;
  readonly #done = new Map<string, Formula>();
  readonly #open = new Set<string>();

  constructor(reading: SchemaReading, writer = false) {
    this.reading = reading;
    this.#writer = writer;
  }

  /** The formula of a schema that applies to a separate value. */
  location(node: SchemaNode): Formula {
    const { pool } = this.reading;
    const key = `${this.#writer ? "writer " : ""}${node.document.name}#${node.pointer}`;
    const known = this.#done.get(key);
    if (known !== undefined) return known;
    if (this.#open.has(key)) return pool.reference(key);
    if (this.#open.size > maxDepth)
      throw new SobreError("LimitExceeded", "A JSON Schema is nested too deeply to compare.");
    this.#open.add(key);
    const made = this.#writer ? this.#writerLocation(node) : this.inPlace(node, new InPlaceScope(new Set(), []));
    this.#open.delete(key);
    this.#done.set(key, made);
    pool.define(key, made);
    return made;
  }

  /** The formula of a schema that is applied together with another one to the same value. */
  inPlace(node: SchemaNode, scope: InPlaceScope): Formula {
    const { pool } = this.reading;
    const { schema } = node;
    if (schema === true) return pool.always;
    if (schema === false) return pool.never;
    if (!isObject(schema)) {
      throw new SobreError("InvalidArgument", "The JSON Schema is invalid: expected an object or a boolean here.", {
        path: `#${node.pointer}`,
      });
    }
    if (++this.reading.steps.count > maxSteps)
      throw new SobreError(
        "LimitExceeded",
        "The references of a JSON Schema multiply until it is too large to compare.",
      );
    pool.meter.spend(stepsOfSchema + scope.nodes.length);
    const inner = scope.entered(node);
    // The value is already being checked against this schema; repeating it adds nothing.
    if (inner === undefined) {
      this.reading.circular.add(scope.nodes.at(-1)?.pointer ?? "");
      return pool.always;
    }
    const keywords = new Keywords(node, schema);
    if (isReadApart(keywords)) return pool.opaque(`${node.document.name}#${node.pointer}`);
    const reference = keywords.text("$ref");
    if (reference !== undefined && isOldDialect(node.document.dialect) && !this.reading.siblings)
      return this.inPlace(node.document.resolve(node, reference), inner);
    return pool.all([
      ...this.#references(keywords, inner),
      ...typeKeyword(keywords, this.reading),
      ...numberKeywords(keywords, this.reading),
      ...stringKeywords(keywords, this.reading),
      ...propertyKeywords(keywords, this.reading, (path) => this.#member(node, path, inner)),
      ...itemKeywords(keywords, this.reading, (path) => this.#member(node, path, inner)),
      ...this.#combinators(keywords, inner),
      ...unevaluated(keywords, this.reading, {
        inPlace: (at) => this.#plain().inPlace(at, new InPlaceScope(new Set(), [])),
        location: (at) => this.#plain().location(at),
      }),
    ]);
  }

  #references(keywords: Keywords, scope: InPlaceScope): Formula[] {
    return referenceTargets(keywords).map((target) =>
      typeof target === "string" ? this.reading.pool.opaque(target) : this.inPlace(target, scope),
    );
  }

  #combinators(keywords: Keywords, scope: InPlaceScope): Formula[] {
    const { pool } = this.reading;
    const { node } = keywords;
    const at = (...path: readonly (string | number)[]): Formula =>
      this.inPlace(node.document.child(node, ...path), scope);
    const plain = (name: string): Formula =>
      this.#plain().inPlace(
        node.document.child(node, name),
        new InPlaceScope(new Set(), scope.nodes, scope.nodes.length),
      );
    const parts: Formula[] = [];
    const listed = (name: string): Formula[] => (keywords.list(name) ?? []).map((_, index) => at(name, index));
    parts.push(...listed("allOf"));
    if (keywords.has("anyOf")) parts.push(pool.any(listed("anyOf")));
    if (keywords.has("oneOf")) parts.push(exactlyOne(listed("oneOf"), pool));
    if (keywords.has("not")) parts.push(pool.not(plain("not")));
    if (keywords.has("if")) {
      const condition = plain("if");
      const branch = (name: string, unless: Formula): Formula =>
        ownKeyword("if", () => pool.any([unless, at(name)]), keywords, this.reading);
      if (keywords.has("then")) parts.push(branch("then", pool.not(condition)));
      if (keywords.has("else")) parts.push(branch("else", condition));
    }
    for (const keyword of ["dependencies", "dependentSchemas"]) {
      if (keyword === "dependentSchemas" && isOldDialect(node.document.dialect)) continue;
      for (const [name, value] of Object.entries(keywords.map(keyword) ?? {})) {
        if (Array.isArray(value)) continue;
        const depending = (): Formula => pool.any([absentMember(name, this.reading), at(keyword, name)]);
        parts.push(ownKeyword(keyword, depending, keywords, this.reading));
      }
    }
    return parts;
  }

  #member(node: SchemaNode, path: readonly (string | number)[], scope: InPlaceScope): Formula {
    const child = node.document.child(node, ...path);
    return this.#writer && scope.isShared(path) ? this.#plain().location(child) : this.location(child);
  }

  #writerLocation(node: SchemaNode): Formula {
    const { pool } = this.reading;
    const group = inPlaceGroup(node);
    const formula = this.inPlace(node, new InPlaceScope(overlapsOf(group), []));
    const names = declaredNames(group, pool);
    return names === undefined ? formula : pool.all([formula, pool.everyProperty(pool.not(names), pool.never)]);
  }

  #plainTranslation: Translation | undefined;

  #plain(): Translation {
    if (!this.#writer) return this;
    return (this.#plainTranslation ??= new Translation(this.reading));
  }
}

const maxDepth = 400;

/** The steps that the translation of one schema counts for. */
const stepsOfSchema = 20;
const maxSteps = 200_000;

/** Whether validators read an embedded schema differently: it names another dialect, or has `$id` next to `$ref` in an old one. */
function isReadApart({ node, schema }: Keywords): boolean {
  if (node.pointer === "") return false;
  const { dialect } = node.document;
  if (unknownDialect(schema) !== undefined) return true;
  const named = namedDialect(schema);
  const isSwitched = named !== undefined && named !== dialect;
  if (isSwitched && namedDialect(node.document.root.schema) !== undefined) return true;
  const { $ref: reference, $id: id } = schema;
  return isOldDialect(dialect) && typeof reference === "string" && typeof id === "string" && !id.startsWith("#");
}

/** The schemas that are applied to one value together. */
class InPlaceScope {
  readonly #shared: ReadonlySet<string>;
  readonly nodes: readonly SchemaNode[];
  /** The number of nodes outside the innermost negation. */
  readonly #outside: number;

  constructor(shared: ReadonlySet<string>, nodes: readonly SchemaNode[], outside = 0) {
    this.#shared = shared;
    this.nodes = nodes;
    this.#outside = outside;
  }

  /** `undefined` when the node is among those entered already. */
  entered(node: SchemaNode): InPlaceScope | undefined {
    const at = this.nodes.findIndex(({ pointer, document }) => pointer === node.pointer && document === node.document);
    if (at < 0) return new InPlaceScope(this.#shared, [...this.nodes, node], this.#outside);
    if (at >= this.#outside) return undefined;
    throw new SobreError("InvalidArgument", "The JSON Schema contradicts itself: it depends on its own negation.", {
      path: `#${node.pointer}`,
    });
  }

  isShared([keyword, name]: readonly (string | number)[]): boolean {
    return this.#shared.has(keyword === "properties" ? `.${name ?? ""}` : `${keyword ?? ""}`);
  }
}

function exactlyOne(parts: readonly Formula[], pool: FormulaPool): Formula {
  return pool.all([
    pool.any(parts),
    ...parts.flatMap((part, index) =>
      parts
        .slice(index + 1)
        .filter((other) => !areDisjoint(part, other))
        .map((other) => pool.any([pool.not(part), pool.not(other)])),
    ),
  ]);
}
