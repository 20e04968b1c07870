import { isObject, isPlainObject } from "../../../core/values/plain-object.ts";
import { StepMeter } from "../../meter.ts";
import type { SchemaComparison } from "../compared.ts";
import { FormulaEvaluation } from "../prover/evaluation.ts";
import { formatTests } from "../formats.ts";
import { FormulaPool } from "../prover/formula-pool.ts";
import { typeOfValue } from "../prover/formula.ts";
import { canonicalJson } from "../json-value.ts";
import type { Keywords } from "../keyword-value.ts";
import { meaningOf } from "../meaning.ts";
import { appliedTogether, itemNodes } from "./native-values.ts";
import type { Departure } from "../prover/departure-texts.ts";
import { escapeToken, SchemaDocument, type SchemaNode } from "../schema-document.ts";
import { Translation } from "../prover/translation.ts";

/** A value that an upcaster should have carried over, or set to its default. */
export interface UpcastLoss {
  /** JSON Pointer in the older body. */
  readonly pointer: string;
  /** The same pointer, with `*` in place of indexes. */
  readonly place: string;
  /** A sentence without its subject. */
  readonly what: string;
}

/**
 * Finds what an upcaster should have left alone: a member that both versions declare, and whose value both allow, keeps that value;
 * a member with a default that the older body lacks gets the default. Numbers are held to it only where both
 * versions describe them alike, as their unit may have changed.
 */
export class CarriedValues {
  readonly #writer: SchemaDocument;
  readonly #reader: SchemaDocument;
  readonly #evaluation: FormulaEvaluation;
  readonly #translation: Translation;

  constructor({ writer, reader, budget }: SchemaComparison) {
    const pool = new FormulaPool(new StepMeter(budget));
    const formats = formatTests("annotation");
    this.#writer = new SchemaDocument(writer, "writer");
    this.#reader = new SchemaDocument(reader, "reader");
    this.#evaluation = new FormulaEvaluation(pool, formats);
    this.#translation = new Translation({
      pool,
      formats,
      siblings: false,
      departures: false,
      departed: new Set<Departure>(),
      steps: { count: 0 },
      circular: new Set<string>(),
      refusedPatterns: new Map<string, string>(),
    });
  }

  /** The first value that is lost between a body and what was made of it. */
  lossBetween(before: unknown, after: unknown): UpcastLoss | undefined {
    return this.#visit([before, after], [[this.#writer.root], [this.#reader.root]], { pointer: "", place: "" });
  }

  #visit([before, after]: ValuesAround, [sent, read]: Nodes, at: At): UpcastLoss | undefined {
    if (Array.isArray(before) && Array.isArray(after)) return this.#items([before, after], [sent, read], at);
    if (isPlainObject(before) && isPlainObject(after)) return this.#members([before, after], [sent, read], at);
    return this.#isKept(before, [sent, read]) && !isSame(before, after, read)
      ? { ...at, what: "is changed by the upcaster, though both versions allow it as it was" }
      : undefined;
  }

  #members(
    [before, after]: readonly [CarriedMembers, CarriedMembers],
    [sent, read]: Nodes,
    { pointer, place }: At,
  ): UpcastLoss | undefined {
    const [writer, reader] = [this.#applied(sent, before), appliedTogether(read)];
    const chosen = this.#applied(read, after);
    const names = new Set(reader.flatMap((one) => Object.keys(one.map("properties") ?? {})));
    for (const name of names) {
      const [own, other] = [declared(writer, name), declared(reader, name)];
      const token = escapeToken(name);
      const inner = { pointer: `${pointer}/${token}`, place: `${place}/${token}` };
      const isHere = Object.hasOwn(after, name) && after[name] !== undefined;
      const loss =
        own.length === 0 || !Object.hasOwn(before, name)
          ? defaultLoss(after[name], other, inner)
          : isHere
            ? this.#visit([before[name], after[name]], [own, other], inner)
            : missingLoss(before[name], declared(chosen, name), inner);
      if (loss !== undefined) return loss;
    }
    return undefined;
  }

  #items(
    [before, after]: readonly [readonly unknown[], readonly unknown[]],
    [sent, read]: Nodes,
    { pointer, place }: At,
  ): UpcastLoss | undefined {
    const [writer, reader] = [this.#applied(sent, before), this.#applied(read, after)];
    const isFree = reader.every(
      (one) => (one.count("maxItems") ?? Infinity) >= before.length && one.get("uniqueItems") !== true,
    );
    if (before.length !== after.length)
      return isFree ? { pointer, place, what: "has another number of items after the upcaster" } : undefined;
    for (const [index, item] of before.entries()) {
      const nodes: Nodes = [
        writer.flatMap((one) => itemNodes(one, index)),
        reader.flatMap((one) => itemNodes(one, index)),
      ];
      const loss = this.#visit([item, after[index]], nodes, { pointer: `${pointer}/${index}`, place: `${place}/*` });
      if (loss !== undefined) return loss;
    }
    return undefined;
  }

  /** The schemas that apply to a value; of alternatives, those that it satisfies. */
  #applied(nodes: readonly SchemaNode[], value: unknown): readonly Keywords[] {
    return appliedTogether(nodes, (one) => this.#evaluation.truth(this.#translation.location(one), value) !== false);
  }

  #isKept(value: unknown, [sent, read]: Nodes): boolean {
    if (sent.length === 0 || read.length === 0) return false;
    if (typeof value === "number") return meaningsOf(sent) === meaningsOf(read);
    return read.some((node) => this.#evaluation.truth(this.#translation.location(node), value) === true);
  }
}

type CarriedMembers = Readonly<Record<string, unknown>>;
type ValuesAround = readonly [before: unknown, after: unknown];
type Nodes = readonly [sent: readonly SchemaNode[], read: readonly SchemaNode[]];
type At = Omit<UpcastLoss, "what">;

function missingLoss(value: unknown, nodes: readonly SchemaNode[], at: At): UpcastLoss | undefined {
  const isPossible = value !== null && nodes.some((node) => mayBe(node, value));
  return isPossible ? { ...at, what: "is left out by the upcaster, though both versions declare it" } : undefined;
}

function defaultLoss(value: unknown, nodes: readonly SchemaNode[], at: At): UpcastLoss | undefined {
  const defaults = nodes.flatMap(({ schema }) =>
    isObject(schema) && Object.hasOwn(schema, "default") ? [canonicalJson(schema["default"])] : [],
  );
  if (defaults.length === 0 || value === undefined || defaults.includes(canonicalJson(value))) return undefined;
  return { ...at, what: "is not the default of the newer version, though the older body lacks it" };
}

function declared(group: readonly Keywords[], name: string): readonly SchemaNode[] {
  return group.flatMap((one) =>
    Object.hasOwn(one.map("properties") ?? {}, name) ? [one.node.document.child(one.node, "properties", name)] : [],
  );
}

function mayBe(node: SchemaNode, value: unknown): boolean {
  const type = typeOfValue(value);
  return appliedTogether([node]).every(({ schema }) => {
    const types: readonly unknown[] = schema["type"] === undefined ? [type] : [schema["type"]].flat();
    return types.includes(type) || (type === "number" && types.includes("integer"));
  });
}

function meaningsOf(nodes: readonly SchemaNode[]): string {
  const texts = nodes.map(({ schema }) => meaningOf(schema)).toSorted();
  // The target of a reference may differ.
  return texts.some((text) => text.includes('"$ref"')) ? String(nodes[0]?.document.name) : texts.join();
}

function isSame(before: unknown, after: unknown, nodes: readonly SchemaNode[]): boolean {
  if (canonicalJson(before) === canonicalJson(after)) return true;
  const isTime = appliedTogether(nodes).some(({ schema }) => schema["format"] === "date-time");
  return isTime && typeof after === "string" && Date.parse(String(before)) === Date.parse(after);
}
