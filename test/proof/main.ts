import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Runs the long proofs beside this file, each of which prints its count; `npm run prove -- NAME` runs one. */
const folder = fileURLToPath(new URL(".", import.meta.url));
const all = globSync("*.ts", { cwd: folder })
  .map((file) => file.slice(0, -3))
  .filter((name) => name !== "main")
  .toSorted();
const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? all : wanted;
let failed = 0;
for (const name of chosen) {
  const start = performance.now();
  const seconds = (): string => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const { prove }: { readonly prove: () => Promise<string> } = await import(`./${name}.ts`);
    console.log(`${name}: ${await prove()} (${seconds()})`);
  } catch (error) {
    failed++;
    console.error(`${name}: FAILED after ${seconds()}:`, error);
  }
}
console.log(`${chosen.length - failed} of ${chosen.length} proofs hold`);
if (failed > 0 || chosen.length === 0) process.exitCode = 1;
