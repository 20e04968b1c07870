import { unescapeToken } from "../../core/json-schema/json-form.ts";
import type { RefusedWitness } from "./compared.ts";
import { typeNames, typeOfValue } from "./prover/formula.ts";
import { canonicalJson, isObject } from "./json-value.ts";
import type { Keywords } from "./keyword-value.ts";
import { stepInto, valueAt } from "./local-reference.ts";
import { meaningOf } from "./meaning.ts";
import { appliedTogether, itemNodes, memberNodes } from "./samples/native-values.ts";
import { reachedFrom } from "./own-definitions.ts";
import { SchemaDocument } from "./schema-document.ts";

/** The values of both sides that distinguish a break from any other one at the same place. */
export class BreakFacts {
  readonly #reader: unknown;
  readonly #writer: SchemaDocument;
  readonly #mentioned = new Map<string, boolean>();

  constructor(reader: unknown, writer: unknown) {
    this.#reader = reader;
    this.#writer = new SchemaDocument(writer, "writer");
  }

  /** The keyword that refused, as the reader's schema has it, and the values; `pointer` leads to its schema. */
  of(refused: RefusedWitness, pointer: string): { readonly keyword: string; readonly values: readonly unknown[] } {
    const { keyword, params, value, instancePath } = refused;
    const holder = valueAt(this.#reader, pointer);
    const own = (name: string): unknown => (isObject(holder) ? holder[name] : undefined);
    switch (keyword) {
      case "required":
      case "dependentRequired":
      case "dependencies":
        return { keyword, values: [params["property"] ?? "", params["missingProperty"] ?? ""] };
      case "additionalProperties":
      case "unevaluatedProperties": {
        const name = params["additionalProperty"] ?? params["unevaluatedProperty"];
        const isKnown = typeof name === "string" && this.isMentioned(name);
        return { keyword, values: isKnown ? [name] : [null, this.#allOf(refused)] };
      }
      case "type":
        return { keyword, values: [own("type"), this.typesAt(refused)] };
      case "enum":
      case "const": {
        const there = placeIn(value, instancePath);
        // A list that a value was added to takes the place of a constant.
        const name = own("const") === undefined ? "enum" : "const";
        return { keyword: name, values: this.isListed(there) ? [there] : [own(name), this.#scalarsAt(refused)] };
      }
      case "false schema":
        return { keyword, values: [] };
      case "anyOf":
      case "oneOf":
        if (typeof params["variant"] === "string") return { keyword, values: [params["variant"]] };
        break;
      default:
    }
    const names = keywordGroups[keyword] ?? [keyword];
    if (names.every((name) => !isStructured(own(name))))
      return { keyword, values: [names.map(own), this.#scalarsAt(refused)] };
    const parts = names.map((name) => whole(this.#reader, `${pointer}/${name}`));
    return { keyword, values: [parts, this.#allOf(refused)] };
  }

  /** Whether the writer's schema names a member anywhere. */
  isMentioned(name: string): boolean {
    const known = this.#mentioned.get(name) ?? mentions(this.#writer.root.schema, name);
    this.#mentioned.set(name, known);
    return known;
  }

  /** Whether the writer's schema lists a value anywhere. */
  isListed(value: unknown): boolean {
    const key = canonicalJson(value);
    const visit = (part: unknown): boolean => {
      if (Array.isArray(part)) return part.some(visit);
      if (!isObject(part)) return false;
      const { enum: list, const: one } = part;
      const values = [...(Array.isArray(list) ? list : []), ...(Object.hasOwn(part, "const") ? [one] : [])];
      return values.some((known) => canonicalJson(known) === key) || Object.values(part).some(visit);
    };
    return visit(this.#writer.root.schema);
  }

  /** The types that the writer's schema allows where a value was refused, that of the value among them. */
  typesAt(refused: RefusedWitness): readonly string[] {
    const group = this.#keywordsAt(refused);
    if (!group.some((one) => ["type", "enum", "const"].some((name) => one.has(name)))) return typeNames.toSorted();
    const named = group.flatMap(({ schema: { type } }): readonly unknown[] => (Array.isArray(type) ? type : [type]));
    const there = placeIn(refused.value, refused.instancePath);
    const own = Number.isInteger(there) ? "integer" : typeOfValue(there);
    const types = new Set([...named.filter((name) => typeof name === "string"), own]);
    if (types.has("number")) types.delete("integer");
    return Array.from(types).toSorted();
  }

  /** The conditions of the writer's schema on a refused value itself. */
  #scalarsAt(refused: RefusedWitness): readonly string[] {
    const texts = this.#keywordsAt(refused).map(({ schema }) =>
      canonicalJson(
        Object.fromEntries(
          Object.entries(schema).filter(([name, value]) => !annotations.has(name) && !isStructured(value)),
        ),
      ),
    );
    return Array.from(new Set(texts)).toSorted();
  }

  /** The writer's schemas of a refused value, with all that they lead to. */
  #allOf(refused: RefusedWitness): readonly string[] {
    const { schema: root } = this.#writer.root;
    const texts = this.#keywordsAt(refused).map(({ node }) => whole(root, node.pointer));
    return Array.from(new Set(texts)).toSorted();
  }

  #keywordsAt({ value, instancePath }: RefusedWitness): readonly Keywords[] {
    let nodes = [this.#writer.root];
    let at = value;
    for (const name of instancePath.split("/").slice(1).map(unescapeToken)) {
      const group = appliedTogether(nodes);
      nodes = group.flatMap((one) => (Array.isArray(at) ? itemNodes(one, Number(name)) : memberNodes(one, name)));
      at = stepInto(at, name);
    }
    return appliedTogether(nodes);
  }
}

/** Keywords that mean something only together. */
export const keywordGroups: Readonly<Record<string, readonly string[]>> = {
  if: ["if", "then", "else"],
  contains: ["contains", "minContains", "maxContains"],
};

/** Keywords that say nothing about a value. */
const annotations = new Set([
  "$anchor",
  "$comment",
  "$id",
  "$ref",
  "$schema",
  "default",
  "deprecated",
  "description",
  "examples",
  "id",
  "title",
]);

function placeIn(value: unknown, instancePath: string): unknown {
  return instancePath.split("/").slice(1).map(unescapeToken).reduce<unknown>(stepInto, value);
}

/** Whether a keyword's value holds schemas, or objects to compare with. */
function isStructured(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isStructured) : isObject(value);
}

/** A text of a part of a schema with everything that it refers to. */
function whole(root: unknown, pointer: string): string {
  const reached = Array.from(reachedFrom(root, pointer)).toSorted();
  return canonicalJson([pointer, ...reached].map((one) => meaningOf(valueAt(root, one))));
}

function mentions(schema: unknown, name: string): boolean {
  if (Array.isArray(schema)) return schema.some((item) => item === name || mentions(item, name));
  if (!isObject(schema)) return false;
  return Object.hasOwn(schema, name) || Object.values(schema).some((inner) => mentions(inner, name));
}
