import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "./json-value.ts";
import type { Compared, SchemaComparison, RefusedWitness } from "./compared.ts";
import { StepMeter } from "../meter.ts";
import { isSameMeaning } from "./meaning.ts";
import { type ComparisonFrame, PairComparison } from "./pair-comparison.ts";
import { type Departure, departureText } from "./prover/departure-texts.ts";
import { PatchedReader, type SchemaBreak } from "./judges/patched-reader.ts";
import { isOldDialect } from "./dialect.ts";
import { SchemaDocument } from "./schema-document.ts";

/** The maximum number of breaks that are listed one by one. */
const maxBreaks = 24;

/**
 * Compares two JSON Schemas, and lists every break: once one is found, the pair is compared again with that break patched in
 * the reader.
 *
 * @throws SobreError `InvalidArgument` for a broken schema, `LimitExceeded` for one too large to read.
 */
export function compareSchemas(comparison: SchemaComparison): Compared {
  const frame: SharedFrame = { meter: new StepMeter(comparison.budget), judges: new Map() };
  const first = compareOnce(comparison, frame);
  if (first.verdict !== "breaking") return first;
  const patched = new PatchedReader(comparison.reader, comparison.writer);
  const found = new Map<string, SchemaBreak>();
  const isMonotone = !/"(?:contains|else|if|maxContains|not|oneOf|then|unevaluated\w+)":/.test(
    JSON.stringify(comparison.reader),
  );
  let original: PairComparison | undefined;
  let last = first;
  let isOpen = false;
  while (last.verdict === "breaking" && found.size < maxBreaks) {
    const all = freshBreaks(last.refused, found, patched);
    // A patch can make the reader stricter, e.g. if fewer items count as evaluated.
    const pair = (original ??= new PairComparison(comparison, { siblings: false, ...frame }));
    const fresh = last === first ? all : all.filter(({ refused }) => isRefused(refused, pair));
    if (fresh.length < all.length) isOpen = true;
    if (fresh.length === 0 && all.length > 0) break;
    for (const one of fresh) found.set(one.identity, one);
    const isPatched =
      fresh.length > 0
        ? fresh.map((one) => patched.patch(one)).includes(true)
        : last.refused.map((one) => patched.dropUnion(one)).includes(true);
    // A union that is gone as a whole may have hidden other breaks.
    if (fresh.length === 0) isOpen = true;
    if (!isPatched) break;
    last = compareAgain(comparison, patched.schema, {
      ...frame,
      ...(isMonotone ? {} : { original: comparison.reader }),
    });
  }
  const refused = Array.from(found.values(), (one) => ({ ...one.refused, identity: one.identity }));
  return { ...first, refused, rest: isOpen ? "unproven" : last.verdict };
}

/** The breaks that refusals show and that are not among those found. */
function freshBreaks(
  refused: readonly RefusedWitness[],
  found: ReadonlyMap<string, SchemaBreak>,
  patched: PatchedReader,
): readonly SchemaBreak[] {
  const known = new Set(found.keys());
  return refused.flatMap((one) => {
    const fresh = patched.breakOf(one, known);
    if (fresh === undefined) return [];
    known.add(fresh.identity);
    return [fresh];
  });
}

/** The parts that all comparisons of one pair share. */
type SharedFrame = Required<Pick<ComparisonFrame, "meter" | "judges">> & Pick<ComparisonFrame, "original">;

/** Compares with a patched reader, which may refer to a place that a patch has removed. */
function compareAgain(comparison: SchemaComparison, reader: unknown, frame: SharedFrame): Compared {
  try {
    return compareOnce({ ...comparison, reader }, frame);
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    return { verdict: "unproven", refused: [], tried: [error.message], assumptions: [] };
  }
}

/** Whether the unpatched pair also breaks on the value of a break that was found with patches. */
function isRefused({ value }: RefusedWitness, pair: PairComparison): boolean {
  try {
    return pair.isBroken(value);
  } catch (error) {
    // The code that ajv generates for a schema may recurse endlessly.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Compares two JSON Schemas.
 *
 * @throws SobreError `InvalidArgument` for a broken schema, `LimitExceeded` for one too large to read.
 */
function compareOnce(comparison: SchemaComparison, frame: SharedFrame): Compared {
  const pair = new PairComparison(comparison, { siblings: false, ...frame });
  const specified = pair.compare();
  const first =
    specified.verdict === "safe" ? asValidatorsRead(specified, pair.departed, comparison, frame) : specified;
  if (first.verdict === "unproven" && pair.departed.has("foreign"))
    return { ...first, tried: [...first.tried, departureText("foreign")] };
  if (first.verdict === "unproven" || ![comparison.writer, comparison.reader].some(hasSiblings)) return first;
  const applied = new PairComparison(comparison, { siblings: true, ...frame });
  const second = applied.compare();
  const assumptions = [
    ...first.assumptions,
    "keywords next to $ref, which old drafts ignore and some validators apply, were read both ways",
  ];
  if (second.verdict === first.verdict)
    return { ...first, refused: refusedEitherWay([first, pair], [second, applied]), assumptions };
  const tried = [
    "the verdict depends on whether keywords next to $ref are ignored, as draft-07 says, or applied, as some validators do",
  ];
  return { verdict: "unproven", refused: [], tried, assumptions };
}

/** The refusals that occur in both readings; if there are none, those by the specification, which ignores such keywords. */
function refusedEitherWay(
  [{ refused }, ignoring]: readonly [Compared, PairComparison],
  [{ refused: others }, applying]: readonly [Compared, PairComparison],
): readonly RefusedWitness[] {
  const both = others.filter((one) => isRefused(one, ignoring));
  if (both.length > 0) return both;
  const own = refused.filter((one) => isRefused(one, applying));
  return own.length > 0 ? own : refused;
}

/** Values that the writer may send, of as many kinds as the schemas distinguish, until the budget is used up. */
export function samplesOfPair(comparison: SchemaComparison): readonly unknown[] {
  return new PairComparison(comparison, { siblings: false }).samples();
}

/** A safe verdict, unless it depends on a departure of validators from the specification. */
function asValidatorsRead(
  safe: Compared,
  departed: ReadonlySet<Departure>,
  comparison: SchemaComparison,
  frame: SharedFrame,
): Compared {
  if (departed.size === 0 || isSameMeaning(comparison.writer, comparison.reader)) return safe;
  const read = new PairComparison(comparison, { siblings: false, departures: true, ...frame }).compare();
  if (read.verdict === "safe") return safe;
  const tried = ["the verdict is safe by the specification, and depends on where a validator departs from it"];
  return {
    verdict: "unproven",
    refused: [],
    tried: [...tried, ...Array.from(departed, departureText)],
    assumptions: safe.assumptions,
  };
}

/** Whether a schema has keywords next to `$ref` that validators read differently. */
function hasSiblings(schema: unknown): boolean {
  if (!isObject(schema) || !containsSiblings(schema)) return false;
  // A schema that names no dialect may be read by either rule.
  return typeof schema["$schema"] !== "string" || isOldDialect(new SchemaDocument(schema, "any").dialect);
}

const harmless = new Set([
  "$ref",
  "$id",
  "id",
  "$schema",
  "$comment",
  "$defs",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
]);

function containsSiblings(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(containsSiblings);
  if (!isObject(schema)) return false;
  if (typeof schema["$ref"] === "string" && Object.keys(schema).some((name) => !harmless.has(name))) return true;
  return Object.values(schema).some(containsSiblings);
}
