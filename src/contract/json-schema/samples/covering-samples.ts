import { chosenAmong, plausibleSamples, stepsOfJudging } from "./chosen-samples.ts";
import type { SchemaComparison } from "../compared.ts";
import { atOtherPlaces, type Holds, namedPlaces, placesOf, type ValuesOf } from "./named-places.ts";
import { PairComparison } from "../pair-comparison.ts";
import { SchemaDocument } from "../schema-document.ts";

/** Values by name, and the places that they do not cover. */
export interface CoveringSamples {
  /** `least` and `most`, and further values that each cover a place of the schema that no earlier one covers. */
  readonly samples: Readonly<Record<string, unknown>>;
  /** The places for which no value was found, by JSON Pointer. */
  readonly missing: readonly string[];
}

/** The maximum number of values that are recorded for one schema. */
const maxSamples = 200;

/** The steps that looking at one branch counts for. */
const stepsOfHolding = 20;

/**
 * Chooses values of a writer that are at every branch, listed value, type, bound and optional member that its schema names,
 * as far as the budget of the comparison lasts.
 *
 * @throws SobreError `InvalidArgument` for a broken schema, `LimitExceeded` for one too large to read.
 */
export function coverSamples(comparison: SchemaComparison): CoveringSamples | undefined {
  const pair = new PairComparison(comparison, { siblings: false });
  const { root } = new SchemaDocument(comparison.writer, "writer");
  const plausible = plausibleSamples(comparison, pair);
  const chosen = chosenAmong(plausible, pair);
  if (chosen === undefined) return undefined;
  const search = new PairComparison(comparison, { siblings: false });
  const holds: Holds = (node, value) => search.meter.take(stepsOfHolding) && search.holds(node, value);
  const isSent = (value: unknown): boolean => search.meter.take(stepsOfJudging) && search.isSent(value);
  const found = new Map<string, readonly unknown[]>();
  const valuesOf: ValuesOf = (node, type) => {
    const key = `${node.pointer} ${type ?? ""}`;
    const values = found.get(key) ?? search.valuesOf(node, type);
    found.set(key, values);
    return values;
  };
  const missing = new Set(namedPlaces(root));
  const samples = new Map<string, unknown>();
  const add = (value: unknown, name?: string): void => {
    const places = Array.from(placesOf(root, value, holds)).filter((place) => missing.has(place));
    const [first] = places;
    if ((first === undefined && name === undefined) || samples.size >= maxSamples) return;
    if (!isSent(value)) return;
    for (const place of places) missing.delete(place);
    samples.set(name ?? nameOf(first ?? "", samples), value);
  };
  for (const [name, value] of Object.entries(chosen)) add(value, name);
  for (const value of plausible) add(value);
  // A value that was found may be varied further, e.g. a list filled with items of another branch.
  for (const known of samples.values())
    for (const value of atOtherPlaces(root, known, { holds, valuesOf })) {
      if (missing.size === 0 || search.meter.isSpent) break;
      add(value);
    }
  // Whether a member may be absent depends on more than the schema that declares it.
  const left = Array.from(missing).filter((place) => !place.endsWith("!"));
  return { samples: Object.fromEntries(samples), missing: left };
}

/** A place as the name of a file: `/properties/state/enum/1` as `state-enum-1`. */
function nameOf(place: string, taken: ReadonlyMap<string, unknown>): string {
  const said = place.replaceAll(/\/(?:properties|\$defs|definitions)(?=\/)/g, "").replace(/!$/, "/absent");
  const plain =
    said
      .replaceAll(/[^A-Za-z0-9_]+/g, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 80) || "value";
  let name = plain;
  for (let count = 2; taken.has(name); count++) name = `${plain}-${count}`;
  return name;
}
