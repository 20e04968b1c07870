import { metaSchema } from "../../json-schema/ajv.ts";
import type { Comparison } from "./compared.ts";
import { isObject, weight } from "./json-value.ts";
import { withPlausibleTexts } from "./native-values.ts";
import { PairComparison } from "./pair-comparison.ts";
import { SchemaDocument } from "./schema-document.ts";

/** The simplest and the richest value that the writer may send, of those that its schema distinguishes. */
export interface ChosenSamples {
  readonly least: unknown;
  readonly most: unknown;
}

/**
 * Chooses values of a writer within the budget of the comparison.
 *
 * @throws SobreError `InvalidArgument` for a broken schema, `LimitExceeded` for one too large to read.
 */
export function chooseSamples(comparison: Comparison): ChosenSamples | undefined {
  const deadline = performance.now() + comparison.budget;
  const pair = new PairComparison(comparison, { siblings: false, deadline });
  const document = new SchemaDocument(comparison.writer, "writer", metaSchema);
  const plausible = pair.samples().map((sample): unknown => {
    // Equal parts of a sample are one object; a message that was received has no such thing.
    const own: unknown = JSON.parse(JSON.stringify(sample));
    if (performance.now() > deadline) return own;
    const better = withPlausibleTexts(document, own);
    return pair.isSent(better) ? better : own;
  });
  const sorted = plausible.toSorted((a, b) => weight(a) - weight(b));
  const richer = (sample: unknown): boolean => performance.now() <= deadline && pair.isSent(sample);
  return sorted.length === 0 ? undefined : { least: sorted[0], most: richest(sorted.toReversed(), richer) };
}

/** The members of all samples together, as far as the schema takes them together; the first sample when it is not an object. */
function richest([first, ...others]: readonly unknown[], isSent: (value: unknown) => boolean): unknown {
  if (!isObject(first)) return first;
  let rich = first;
  for (const other of others.filter(isObject)) {
    const both = { ...other, ...rich };
    if (isSent(both)) rich = both;
  }
  return rich;
}
