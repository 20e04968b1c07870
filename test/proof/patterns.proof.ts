import { seeded } from "../random.support.ts";
import { compareWithRuntime } from "../core/regex/random-pattern.support.ts";
import { comparedProperties, differingPoints } from "../core/regex/property-points.support.ts";
import type { ProofRun } from "./proof-run.ts";

/**
 * Patterns are read and matched as the runtime does, with the flag `u`, on random pairs of pattern and text; properties have
 * the same code points.
 */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const counts = compareWithRuntime(seeded(seed), full ? 300_000 : 30_000);
  const { pairs, matches, loose, broken, unsupported } = counts;
  if (Math.min(matches, loose, broken, unsupported) === 0) throw new Error("One kind of pattern never came up.");
  const points = Array.from({ length: 0x110000 }, (_, point) => point);
  for (const property of comparedProperties) {
    const [first] = differingPoints(property, points);
    if (first !== undefined) throw new Error(`\\p{${property}} differs at U+${first.toString(16)}.`);
  }
  return await Promise.resolve(
    `${pairs} pairs of pattern and text are decided as by the runtime (${matches} match, ${loose} by Annex B); ` +
      `${broken} broken patterns and ${unsupported} that need backtracking are refused; ` +
      `${comparedProperties.length} properties have the runtime's code points`,
  );
}
