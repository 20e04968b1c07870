import { memoryEngine } from "../../src/engines/memory/index.ts";
import { simulate } from "./engine/simulator.ts";

/** Commands in all; `SOBRE_COMMANDS` changes it, `SOBRE_SEED` replays one seed. */
const wanted = Number(process.env["SOBRE_COMMANDS"] ?? 10_000_000);
const perSeed = 250_000;

/** The memory engine does what the model does, command by command. */
export async function prove(): Promise<string> {
  // Refusals are half of what happens, and nobody looks at their stacks.
  Error.stackTraceLimit = 0;
  const only = process.env["SOBRE_SEED"];
  let commands = 0;
  let seed = only === undefined ? 1 : Number(only);
  for (; commands < wanted; seed++) {
    try {
      commands += await simulate(memoryEngine, seed, Math.min(perSeed, wanted - commands));
    } catch (error) {
      throw new Error(`Seed ${seed} diverges; replay it with SOBRE_SEED=${seed} npm run prove -- engine`, {
        cause: error,
      });
    }
  }
  return `${commands.toLocaleString("en")} commands without divergence from the model`;
}
