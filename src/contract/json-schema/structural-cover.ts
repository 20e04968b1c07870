import { isDiscriminatedUnion, withoutReference } from "./discriminated-union.ts";
import { type DeclaredMembers, declaredMembers, inPlaceGroup, overlapsOf } from "./prover/declared-names.ts";
import { canonicalJson, isObject } from "./json-value.ts";
import { Keywords } from "./keyword-value.ts";
import { hasNames } from "./own-definitions.ts";
import { matcherOf } from "./pattern-matcher.ts";
import type { SchemaDocument, SchemaNode } from "./schema-document.ts";
import { isLiteralCovered } from "./literal-cover.ts";

/** How a pair of schemas is compared: the reader takes all that the writer sends, or takes and refuses the same of it. */
type CoverMode = "covers" | "same";

/** The writer's value that a pair of schemas applies to. */
interface CoverScope {
  /** Distinguishes the places of values. */
  readonly key: string;
  /** Whether the values inside have declared members only, where one schema describes them. */
  readonly isDeclared: boolean;
  /** The members that the value may have; any if `undefined`. */
  readonly members: DeclaredMembers | undefined;
  readonly shared: ReadonlySet<string>;
}

/** The keywords that lead from a schema to one inside. */
type SchemaPath = readonly string[];

type Pair = readonly [writer: SchemaNode, reader: SchemaNode];

/** The maximum number of pairs of schemas. */
const maxPairs = 20_000;

/** The deepest nesting of pairs. */
const maxDepth = 300;

/**
 * Compares schemas part by part, where the versions of a schema are mostly the same: each part of the reader's takes what its
 * counterpart sends. Two parts that lead back to themselves are taken to fit until something inside them does not.
 *
 * It proves and never refutes: parts that it does not know make no proof.
 */
export class StructuralCover {
  /** The pairs that fit so far, in the order in which they were begun. */
  readonly #assumed = new Map<string, true>();
  readonly #refuted = new Set<string>();
  #steps = 0;
  #depth = 0;

  /** The number of pairs of schemas that fit. */
  get size(): number {
    return this.#assumed.size;
  }

  /** Whether the reader takes all that the writer sends; `declared` says that it sends declared members only. */
  isCovered(writer: SchemaDocument, reader: SchemaDocument, declared: boolean): boolean {
    if (writer.dialect !== reader.dialect || [writer, reader].some(({ root }) => hasNames(root.schema))) return false;
    return this.#pair([writer.root, reader.root], scopeOf(writer.root, declared), "covers");
  }

  #pair(pair: Pair, scope: CoverScope, mode: CoverMode): boolean {
    const [writer, reader] = pair.map(withoutReference);
    if (writer === undefined || reader === undefined || ++this.#steps > maxPairs || this.#depth > maxDepth)
      return false;
    if (reader.schema === true) return mode === "covers" || writer.schema === true;
    if (writer.schema === false) return mode === "covers" || reader.schema === false;
    if (reader.schema === false) return false;
    const key = `${mode} ${scope.key} ${writer.pointer} ${reader.pointer}`;
    if (this.#refuted.has(key)) return false;
    if (this.#assumed.has(key)) return true;
    this.#assumed.set(key, true);
    this.#depth++;
    const isFitting = this.#parts([writer, reader], scope, mode);
    this.#depth--;
    if (isFitting) return true;
    // Pairs that were found to fit since may have leaned on this one.
    let isBehind = false;
    for (const other of Array.from(this.#assumed.keys())) {
      isBehind ||= other === key;
      if (isBehind) this.#assumed.delete(other);
    }
    this.#refuted.add(key);
    return false;
  }

  #parts([writer, reader]: Pair, scope: CoverScope, mode: CoverMode): boolean {
    const [sent, taken] = [keywordsOf(writer), keywordsOf(reader)];
    const names = new Set([...Object.keys(taken.schema), ...(mode === "same" ? Object.keys(sent.schema) : [])]);
    if (Array.from(names).some((name) => unknown.has(name))) return false;
    const both = [sent, taken] as const;
    return (
      isLiteralCovered(sent.schema, taken.schema, mode === "same") &&
      this.#members(both, scope, mode) &&
      this.#items(both, scope, mode) &&
      this.#references(both, scope, mode) &&
      this.#combined(both, scope, mode)
    );
  }

  #references([sent, taken]: readonly [Keywords, Keywords], scope: CoverScope, mode: CoverMode): boolean {
    if (!taken.has("$ref") && (mode === "covers" || !sent.has("$ref"))) return true;
    const [from, to] = [targetOf(sent), targetOf(taken)];
    return from !== undefined && to !== undefined && this.#pair([from, to], scope, mode);
  }

  #combined([sent, taken]: readonly [Keywords, Keywords], scope: CoverScope, mode: CoverMode): boolean {
    const inOrder = (name: string, how: CoverMode): boolean => {
      const [own, other] = [listOf(sent, name), listOf(taken, name)];
      if (how === "same" ? own.length !== other.length : own.length < other.length) return false;
      return other.every((node, at) => own[at] !== undefined && this.#pair([own[at], node], scope, how));
    };
    const outside = { ...scope, key: `${scope.key} not`, isDeclared: false };
    const single = (name: string, how: CoverMode): boolean => {
      if (!taken.has(name)) return how === "covers" || !sent.has(name);
      if (!sent.has(name)) return false;
      const [own, other] = [sent, taken].map(({ node }) => node.document.child(node, name));
      return (
        own !== undefined &&
        other !== undefined &&
        this.#pair([own, other], name === "if" || name === "not" ? outside : scope, how)
      );
    };
    const alternatives = listOf(taken, "oneOf");
    // At most one of them takes a value, so that one that does is enough.
    const areDisjoint = mode === "covers" && alternatives.length > 0 && isDiscriminatedUnion(alternatives);
    const anyOf = (own: readonly SchemaNode[], other: readonly SchemaNode[]): boolean =>
      own.length === 0
        ? other.some((node) => this.#pair([sent.node, node], scope, mode))
        : own.every((node, at) =>
            [other[at], ...other].some((one) => one !== undefined && this.#pair([node, one], scope, mode)),
          );
    const oneOf = areDisjoint
      ? anyOf(listOf(sent, "oneOf"), alternatives)
      : (alternatives.length === 0 && mode === "covers") || inOrder("oneOf", "same");
    if (!oneOf || !inOrder("allOf", mode) || !single("not", taken.has("not") ? "same" : mode)) return false;
    if (!single("if", taken.has("if") ? "same" : mode) || !single("then", mode) || !single("else", mode)) return false;
    if (mode === "same") return inOrder("anyOf", mode);
    return !taken.has("anyOf") || anyOf(listOf(sent, "anyOf"), listOf(taken, "anyOf"));
  }

  #members([sent, taken]: readonly [Keywords, Keywords], scope: CoverScope, mode: CoverMode): boolean {
    const both = [sent, taken] as const;
    const [patterns, others] = [namesIn(sent, "patternProperties"), namesIn(taken, "patternProperties")];
    const areSamePatterns = patterns.toSorted().join("\n") === others.toSorted().join("\n");
    // Members that a pattern describes are not among the additional ones.
    const isRestricted = taken.has("additionalProperties") && taken.get("additionalProperties") !== true;
    if ((mode === "same" || isRestricted) && !areSamePatterns) return false;
    const names = [...namesIn(sent, "properties"), ...namesIn(taken, "properties"), ...(scope.members?.names ?? [])];
    const { members } = scope;
    const isSent = (name: string): boolean =>
      members === undefined || members.names.has(name) || isMatchedBy(members.patterns, name);
    for (const name of new Set(names))
      if (isSent(name) && !this.#places(both, [placeOf(sent, name), placeOf(taken, name)], scope, mode)) return false;
    for (const pattern of others) {
      const place = ["patternProperties", pattern] as const;
      if (!patterns.includes(pattern) || !this.#places(both, [place, place], scope, mode)) return false;
    }
    // Members that have been compared may be all that there are.
    const areAll = members !== undefined && Array.from(members.patterns).every((pattern) => patterns.includes(pattern));
    if (!areAll && !this.#places(both, [placeOfOthers(sent), placeOfOthers(taken)], scope, mode)) return false;
    if (!taken.has("propertyNames") && (mode === "covers" || !sent.has("propertyNames"))) return true;
    return (
      both.every((one) => one.has("propertyNames")) &&
      this.#child(both, [["propertyNames"], ["propertyNames"]], scope, mode)
    );
  }

  /** Compares what both sides say about one member; no place says nothing. */
  #places(
    both: readonly [Keywords, Keywords],
    [from, to]: readonly [SchemaPath | undefined, SchemaPath | undefined],
    scope: CoverScope,
    mode: CoverMode,
  ): boolean {
    if (to === undefined) return mode === "covers" || from === undefined;
    if (from === undefined) return isEverything(both[1].node, to);
    return this.#child(both, [from, to], scope, mode);
  }

  #items([sent, taken]: readonly [Keywords, Keywords], scope: CoverScope, mode: CoverMode): boolean {
    const prefix =
      sent.node.document.dialect === "2020-12" && (sent.has("prefixItems") || taken.has("prefixItems"))
        ? "prefixItems"
        : "items";
    const lists = [sent, taken].map((one) => one.get(prefix)).map((list) => (Array.isArray(list) ? list.length : 0));
    if (lists[0] !== lists[1]) return false;
    for (let at = 0; at < (lists[0] ?? 0); at++)
      if (
        !this.#child(
          [sent, taken],
          [
            [prefix, `${at}`],
            [prefix, `${at}`],
          ],
          scope,
          mode,
        )
      )
        return false;
    const both = [sent, taken] as const;
    const areRests = ["items", "additionalItems"].every((name) =>
      this.#places(both, [placeOfItems(sent, name), placeOfItems(taken, name)], scope, mode),
    );
    if (!areRests || (!taken.has("contains") && (mode === "covers" || !sent.has("contains")))) return areRests;
    // Without a number one item is wanted, and any number is allowed.
    const counts = both.map((one) => canonicalJson([one.get("minContains") ?? null, one.get("maxContains") ?? null]));
    if (counts[0] !== counts[1] || both.some((one) => !one.has("contains"))) return false;
    return this.#child(both, [["contains"], ["contains"]], scope, "same");
  }

  /** Compares the schemas of a value inside. */
  #child(
    [sent, taken]: readonly [Keywords, Keywords],
    [from, to]: readonly [readonly string[], readonly string[]],
    scope: CoverScope,
    mode: CoverMode,
  ): boolean {
    const own = sent.node.document.child(sent.node, ...from);
    const other = taken.node.document.child(taken.node, ...to);
    const [keyword = "", name = ""] = from;
    const isShared = scope.shared.has(keyword === "properties" ? `.${name}` : keyword);
    return this.#pair([own, other], scopeOf(own, scope.isDeclared && !isShared), mode);
  }
}

function listOf(keywords: Keywords, name: string): readonly SchemaNode[] {
  return (keywords.list(name) ?? []).map((_, at) => keywords.node.document.child(keywords.node, name, at));
}

function namesIn(keywords: Keywords, name: "properties" | "patternProperties"): readonly string[] {
  return Object.keys(keywords.map(name) ?? {});
}

function isMatchedBy(patterns: Iterable<string>, name: string): boolean {
  return Array.from(patterns).some((pattern) => matcherOf(pattern).test(name) !== false);
}

/** Where a schema describes a member; `undefined` where nothing but patterns does, which are compared apart. */
function placeOf(keywords: Keywords, name: string): SchemaPath | undefined {
  if (Object.hasOwn(keywords.map("properties") ?? {}, name)) return ["properties", name];
  return isMatchedBy(namesIn(keywords, "patternProperties"), name) ? undefined : placeOfOthers(keywords);
}

function placeOfItems(keywords: Keywords, name: string): SchemaPath | undefined {
  return keywords.has(name) && !Array.isArray(keywords.get(name)) ? [name] : undefined;
}

function placeOfOthers(keywords: Keywords): SchemaPath | undefined {
  return keywords.has("additionalProperties") ? ["additionalProperties"] : undefined;
}

/** Keywords whose meaning depends on more than their values, or that only some validators know. */
const unknown = new Set([
  "$dynamicRef",
  "$recursiveRef",
  "dependencies",
  "dependentSchemas",
  "discriminator",
  "nullable",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

function scopeOf(node: SchemaNode, isDeclared: boolean): CoverScope {
  const key = `${isDeclared} ${node.document.name} ${node.pointer}`;
  if (!isDeclared) return { key, isDeclared, members: undefined, shared: new Set() };
  const group = inPlaceGroup(node);
  return { key, isDeclared, members: declaredMembers(group), shared: overlapsOf(group) };
}

function targetOf(keywords: Keywords): SchemaNode | undefined {
  const reference = keywords.text("$ref");
  return reference === undefined ? undefined : keywords.node.document.resolve(keywords.node, reference);
}

function keywordsOf(node: SchemaNode): Keywords {
  return new Keywords(node, isObject(node.schema) ? node.schema : {});
}

function isEverything(node: SchemaNode, path: readonly string[]): boolean {
  const { schema } = node.document.child(node, ...path);
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}
