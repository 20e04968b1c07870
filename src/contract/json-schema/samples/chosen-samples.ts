import type { SchemaComparison } from "../compared.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { isObject, weight } from "../json-value.ts";
import { withPlausibleTexts } from "./native-values.ts";
import { PairComparison } from "../pair-comparison.ts";
import { SchemaDocument } from "../schema-document.ts";

/** The simplest and the richest of the values that the writer may send. */
export interface ChosenSamples {
  readonly least: unknown;
  readonly most: unknown;
}

/**
 * Chooses values of a writer within the budget of the comparison.
 *
 * @throws SobreError `InvalidArgument` for a broken schema, `LimitExceeded` for one too large to read.
 */
export function chooseSamples(comparison: SchemaComparison): ChosenSamples | undefined {
  const pair = new PairComparison(comparison, { siblings: false });
  return chosenAmong(plausibleSamples(comparison, pair), pair);
}

/** Values that the writer may send, with texts of the kinds that its schema marks. */
export function plausibleSamples({ writer }: SchemaComparison, pair: PairComparison): readonly unknown[] {
  const document = new SchemaDocument(writer, "writer");
  return samplesOf(pair).map((sample): unknown => {
    // Equal parts of a sample may be one object; in a received message they never are.
    const own: unknown = JSON.parse(JSON.stringify(sample));
    if (!pair.meter.take(stepsOfJudging)) return own;
    const better = withPlausibleTexts(document, own);
    return pair.isSent(better) ? better : own;
  });
}

/** The simplest sample, and the richest one that can be made of all. */
export function chosenAmong(samples: readonly unknown[], pair: PairComparison): ChosenSamples | undefined {
  const sorted = samples.toSorted((a, b) => weight(a) - weight(b));
  const richer = (sample: unknown): boolean => pair.meter.take(stepsOfJudging) && pair.isSent(sample);
  return sorted.length === 0 ? undefined : { least: sorted[0], most: richest(sorted.toReversed(), richer) };
}

function samplesOf(pair: PairComparison): readonly unknown[] {
  try {
    return pair.samples();
  } catch (error) {
    if (error instanceof SobreError && error.code === "LimitExceeded" && pair.meter.isSpent) return [];
    throw error;
  }
}

/** The members of all samples merged, as far as the schema accepts them together; the first sample if it is not an object. */
function richest([first, ...others]: readonly unknown[], isSent: (value: unknown) => boolean): unknown {
  if (!isObject(first)) return first;
  let rich = first;
  for (const other of others.filter(isObject)) {
    const both = { ...other, ...rich };
    if (isSent(both)) rich = both;
  }
  return rich;
}

/** The steps that one validation counts for. */
export const stepsOfJudging = 1000;
