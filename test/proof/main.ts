import { randomInt } from "node:crypto";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Proof } from "./proof-run.ts";

/**
 * Runs `npm run prove -- [NAME…] [--except NAME] [--full] [--seed N] [--verbose]`: the modules `*.proof.ts` in this folder, each of which
 * prints its counts. Every run draws a fresh seed, which it prints; `--seed` repeats a run.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    except: { type: "string", multiple: true, default: [] },
    full: { type: "boolean", default: false },
    seed: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const suffix = ".proof.ts";
const known = globSync(`*${suffix}`, { cwd: fileURLToPath(new URL(".", import.meta.url)) })
  .map((file) => file.slice(0, -suffix.length))
  .toSorted();
const chosen = (positionals.length === 0 ? known : positionals).filter((name) => !values.except.includes(name));
const unknown = [...positionals, ...values.except].find((name) => !known.includes(name));
const { full, verbose } = values;
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);

if (unknown !== undefined) {
  refuse(`Unknown proof "${unknown}". Expected one of: ${known.join(", ")}.`);
} else if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 31) {
  refuse(`--seed ${values.seed} is not an integer from 0 to 2^31 - 1.`);
} else {
  console.log(`seed ${seed}, ${full ? "full counts" : "a share of the full counts; --full runs them all"}`);
  let failed = 0;
  for (const name of chosen) if (!(await holds(name))) failed++;
  console.log(`${chosen.length - failed} of ${chosen.length} proofs hold`);
  if (failed > 0) process.exitCode = 1;
}

async function holds(name: string): Promise<boolean> {
  const start = performance.now();
  const seconds = (): string => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const { prove }: { readonly prove: Proof } = await import(`./${name}${suffix}`);
    console.log(`${name}: ${await prove({ seed, full, verbose })} (${seconds()})`);
    return true;
  } catch (error) {
    console.error(`${name}: FAILED after ${seconds()}:`, error);
    console.error(`Repeat it with: npm run prove -- ${name} --seed ${seed}${full ? " --full" : ""}`);
    return false;
  }
}

function refuse(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
