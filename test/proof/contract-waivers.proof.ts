import { plantBreaks } from "../contract/planted-breaks.support.ts";
import { seeded } from "../random.support.ts";
import type { ProofRun } from "./proof-run.ts";

/** Of several breaks that are planted in a random schema, waivers of all but one leave that one. */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const pairs = full ? 5000 : 250;
  let planted = 0;
  for (let pair = 0; pair < pairs; pair++) planted += await plantBreaks(seeded(seed + pair));
  return `${planted} breaks in ${pairs} pairs have the finding that they have alone, and the rest is safe`;
}
