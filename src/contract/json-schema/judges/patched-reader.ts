import { unescapeToken } from "../../../core/json-schema/json-form.ts";
import { memo } from "../../../core/values/memo.ts";
import type { RefusedWitness } from "../compared.ts";
import { BreakFacts } from "../break-facts.ts";
import { canonicalJson, isObject, objectOf } from "../json-value.ts";
import { localPointer, stepInto, valueAt } from "../local-reference.ts";
import { hasNames, isWithin, recursionOf, rewired } from "../own-definitions.ts";
import { type PatchableSchema, patchKeyword } from "../patch-keyword.ts";
import { type SchemaRoute, routesTo } from "../schema-routes.ts";

/** A break of a pair: a refusal, and a text that no other break has. */
export interface SchemaBreak {
  /** With paths into the reader's schema as it was. */
  readonly refused: RefusedWitness;
  /** The way to the keyword through references and alternatives, the kind, and the values of both sides. */
  readonly identity: string;
}

/**
 * A reader's schema from which breaks are taken away one by one, each with as little else as possible: a definition that several
 * places use is changed for the one place that a break is at.
 */
export class PatchedReader {
  schema: unknown;
  readonly #facts: BreakFacts;
  /** The definitions that copies were made of, by JSON Pointer. */
  readonly #origins = new Map<string, string>();
  readonly #reader: unknown;
  readonly #isCopied: boolean;
  readonly #recursions = new Map<string, readonly string[]>();
  #copies = 0;

  constructor(reader: unknown, writer: unknown) {
    this.schema = unshared(reader);
    this.#reader = reader;
    this.#facts = new BreakFacts(reader, writer);
    this.#isCopied = !hasNames(reader);
  }

  /** The break that a refusal by {@link schema} shows; `undefined` if all that it can be are `known`. */
  breakOf(refused: RefusedWitness, known: ReadonlySet<string>): SchemaBreak | undefined {
    return this.#ways(refused).find(({ identity }) => !known.has(identity));
  }

  /** Changes the schema so that the break is gone; false where no place of it is found, as in another document. */
  patch({ refused, identity }: SchemaBreak): boolean {
    const way = this.#ways(refused).find((one) => one.identity === identity);
    const before = this.schema;
    this.schema = structuredClone(before);
    const pointer = way?.route === undefined ? pointerOf(refused) : this.#own(way.route);
    if (this.#patchAt(pointer, refused)) return true;
    this.schema = before;
    return false;
  }

  /** Drops the whole union that contains the refusal. */
  dropUnion({ union }: RefusedWitness): boolean {
    const tokens = union?.slice(1).split("/").slice(1).map(unescapeToken);
    const keyword = tokens?.pop();
    if (tokens === undefined || keyword === undefined) return false;
    const copy: unknown = structuredClone(this.schema);
    const holder = tokens.reduce<unknown>(stepInto, copy);
    if (!isPatchable(holder) || !Reflect.deleteProperty(holder, keyword)) return false;
    this.schema = copy;
    return true;
  }

  /** A pointer into the schema as it was. */
  #originOf(pointer: string): string {
    for (const [copy, definition] of this.#origins)
      if (isWithin(pointer, copy)) return `${definition}${pointer.slice(copy.length)}`;
    return pointer;
  }

  /** The breaks that a refusal may show: one for each way in which the schema that refused applies there. */
  #ways(refused: RefusedWitness): readonly (SchemaBreak & { readonly route: SchemaRoute | undefined })[] {
    const { keyword, instancePath } = refused;
    const own = this.#originOf(pointerOf(refused));
    const isFalse = keyword === "false schema";
    const isTarget = (schema: unknown, pointer: string): boolean =>
      isFalse
        ? schema === false
        : isObject(schema) && Object.hasOwn(schema, keyword) && this.#originOf(pointer) === own;
    const ways: (SchemaBreak & { readonly route: SchemaRoute | undefined })[] = [];
    for (const route of routesTo(this.schema, instancePath, isTarget)) {
      const pointer = this.#originOf(route.pointer);
      const references = this.#uses(route.references.map((one) => this.#originOf(one)));
      ways.push({ ...this.#told(refused, { pointer, references }), route });
      if (ways.length >= maxWays) break;
    }
    return ways.length > 0 ? ways : [{ ...this.#told(refused, { pointer: own, references: ["?"] }), route: undefined }];
  }

  /** The references of a route that one use of a definition is patched for: those into it, not those of its own recursion. */
  #uses(references: readonly string[]): readonly string[] {
    let uses: string[] = [];
    for (const from of references) {
      const holder = valueAt(this.#reader, from);
      const target = isObject(holder) ? localPointer(holder["$ref"]) : undefined;
      const recursion = target === undefined ? [] : this.#recursionOf(target);
      // All uses of what cannot be copied are patched together.
      if (recursion.length === 0) uses = [];
      else if (!recursion.some((definition) => isWithin(from, definition))) uses.push(from);
    }
    return uses;
  }

  /** The definitions to copy for one use of a definition; none if it cannot be copied. */
  #recursionOf(target: string): readonly string[] {
    if (!this.#isCopied) return [];
    return memo(this.#recursions, target, () => recursionOf(this.#reader, target) ?? []);
  }

  #told(refused: RefusedWitness, { pointer, references }: SchemaRoute): SchemaBreak {
    const { union, ...rest } = refused;
    const { keyword, values } = this.#facts.of(refused, pointer);
    const identity = canonicalJson([references, pointer, keyword, ...values]);
    const schemaPath = `#${pointer}/${keyword}`;
    return {
      identity,
      refused: { ...rest, schemaPath, ...(union === undefined ? {} : { union: `#${this.#originOf(union.slice(1))}` }) },
    };
  }

  /** Gives a route definitions of its own, and returns the pointer of its end. */
  #own({ pointer, references }: SchemaRoute): string {
    if (!isPatchable(this.schema)) return pointer;
    let way = [...references, pointer];
    for (let at = 0; at < references.length; at++) {
      const holder = valueAt(this.schema, way[at] ?? "");
      const target = isPatchable(holder) ? localPointer(holder["$ref"]) : undefined;
      if (!isPatchable(holder) || target === undefined || this.#origins.has(target)) continue;
      const recursion = this.#recursionOf(target);
      if (recursion.length === 0) continue;
      const renamed = this.#copied(this.schema, recursion);
      holder["$ref"] = `#${renamed(target)}`;
      way = way.map((one, index) => (index > at ? renamed(one) : one));
    }
    return way.at(-1) ?? pointer;
  }

  /** Adds copies of definitions that lead to each other, and returns the pointers within them. */
  #copied(root: PatchableSchema, definitions: readonly string[]): (pointer: string) => string {
    const known = isPatchable(root["$defs"]) ? root["$defs"] : {};
    root["$defs"] = known;
    const names = definitions.map((definition): readonly [string, string] => {
      let name = "";
      do name = `patched-${++this.#copies}`;
      while (Object.hasOwn(known, name));
      return [definition, name];
    });
    const renamed = (pointer: string): string => {
      const [definition, name] = names.find(([one]) => isWithin(pointer, one)) ?? [];
      return definition === undefined ? pointer : `/$defs/${name ?? ""}${pointer.slice(definition.length)}`;
    };
    for (const [definition, name] of names) {
      known[name] = rewired(valueAt(root, definition), renamed);
      this.#origins.set(`/$defs/${name}`, definition);
    }
    return renamed;
  }

  #patchAt(pointer: string, refused: RefusedWitness): boolean {
    if (refused.keyword !== "false schema") {
      const holder = valueAt(this.schema, pointer);
      return isPatchable(holder) && patchKeyword(holder, refused, this.#facts);
    }
    const tokens = pointer.split("/").slice(1).map(unescapeToken);
    const name = tokens.pop();
    const holder = tokens.reduce<unknown>(stepInto, this.schema);
    return name !== undefined && typeof holder === "object" && holder !== null && Reflect.set(holder, name, true);
  }
}

/** The maximum number of ways in which one schema may apply to a value, of which each may be a break of its own. */
const maxWays = 16;

/** The pointer of the schema that refused. */
function pointerOf({ schemaPath, keyword }: RefusedWitness): string {
  const path = schemaPath.slice(schemaPath.indexOf("#") + 1);
  const end = path.lastIndexOf("/");
  return path.slice(end + 1) === keyword ? path.slice(0, end) : path;
}

/** A copy in which no two places are one object, as schemas made by code may have. */
function unshared(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(unshared);
  return isObject(part) ? objectOf(Object.entries(part).map(([name, inner]) => [name, unshared(inner)])) : part;
}

function isPatchable(value: unknown): value is PatchableSchema {
  return isObject(value);
}
