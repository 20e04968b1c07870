import { findings } from "./engine/fault-search.ts";
import { faults } from "./engine/faults.ts";
import type { ProofRun } from "./proof-run.ts";

/** Every seeded fault is found, by the conformance suite or by the simulator. */
export async function prove({ seed, verbose }: ProofRun): Promise<string> {
  const found = await findings(seed);
  if (verbose)
    for (const [index, { suite, simulator }] of found.entries())
      console.log(report(faults[index]?.name ?? "", suite, simulator));
  const missed = faults.filter((_, index) => found[index]?.suite !== true && found[index]?.simulator !== true);
  if (missed.length > 0) throw new Error(`Not found: ${missed.map(({ name }) => name).join("; ")}.`);
  const [bySuite, bySimulator] = [found.filter(({ suite }) => suite), found.filter(({ simulator }) => simulator)];
  return `${faults.length} of ${faults.length} seeded faults found: ${bySuite.length} by the suite, ${bySimulator.length} by the simulator`;
}

const report = (name: string, suite: boolean, simulator: boolean): string =>
  `  ${name.padEnd(60)} suite ${suite ? "yes" : "no "}  simulator ${simulator ? "yes" : "no"}`;
