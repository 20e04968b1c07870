import { memoryEngine } from "../../src/broker/memory/index.ts";
import { simulate } from "./engine/simulator.ts";
import type { ProofRun } from "./proof-run.ts";

const total = { share: 1_500_000, full: 10_000_000 };
const perSeed = 250_000;

/** The memory engine does what the model does, command by command. */
export async function prove({ seed: first, full }: ProofRun): Promise<string> {
  // Refusals are half of what happens, and nobody looks at their stacks.
  Error.stackTraceLimit = 0;
  const wanted = full ? total.full : total.share;
  let commands = 0;
  for (let seed = first; commands < wanted; seed++) {
    try {
      commands += await simulate(memoryEngine, seed, Math.min(perSeed, wanted - commands));
    } catch (error) {
      throw new Error(`Seed ${seed} diverges; repeat it with: npm run prove -- engine --seed ${seed}`, {
        cause: error,
      });
    }
  }
  return `${commands.toLocaleString("en")} commands without divergence from the model`;
}
