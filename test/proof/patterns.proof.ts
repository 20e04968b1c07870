import { seeded } from "../random.support.ts";
import { compareWithRuntime } from "../core/regex/random-pattern.support.ts";
import type { ProofRun } from "./proof-run.ts";

/** Patterns are read and matched as the runtime does, with the flag `u`, on random pairs of pattern and text. */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const counts = compareWithRuntime(seeded(seed), full ? 300_000 : 30_000);
  const { pairs, matches, loose, broken, unsupported } = counts;
  if (Math.min(matches, loose, broken, unsupported) === 0) throw new Error("One kind of pattern never came up.");
  return await Promise.resolve(
    `${pairs} pairs of pattern and text are decided as by the runtime (${matches} match, ${loose} by Annex B); ` +
      `${broken} broken patterns and ${unsupported} that need backtracking are refused`,
  );
}
