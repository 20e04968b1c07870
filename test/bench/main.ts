import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Figure } from "./harness.ts";

/** Runs `npm run bench -- NAME… [--check]`; the benches are the modules `*.bench.ts` in this folder. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean", default: false } },
});
const suffix = ".bench.ts";
const known = globSync(`*${suffix}`, { cwd: fileURLToPath(new URL(".", import.meta.url)) })
  .map((file) => file.slice(0, -suffix.length))
  .toSorted();
const chosen = positionals.length === 0 ? known : positionals;
const unknown = chosen.find((name) => !known.includes(name));
if (unknown === undefined) {
  let missed = 0;
  for (const name of chosen) missed += await report(name);
  if (values.check && missed > 0) process.exitCode = 1;
} else {
  console.error(`Unknown bench "${unknown}". Expected one of: ${known.join(", ")}.`);
  process.exitCode = 2;
}

async function report(name: string): Promise<number> {
  const { bench }: { readonly bench: () => Promise<readonly Figure[]> } = await import(`./${name}${suffix}`);
  console.log(`\n${name}`);
  const figures = await bench();
  for (const figure of figures) console.log(line(figure));
  return figures.filter((figure) => !holds(figure, figure.floor)).length;
}

function line(figure: Figure): string {
  const sign = figure.bound === "most" ? "≤" : "≥";
  const verdict = holds(figure, figure.target) ? "ok" : holds(figure, figure.floor) ? "within the floor" : "MISSED";
  const number = (value: number): string => `${value.toFixed(2)}${figure.unit}`;
  return `  ${figure.name.padEnd(64)} ${number(figure.measured).padStart(9)}   asked ${sign} ${number(figure.target)}, floor ${number(figure.floor)}   ${verdict}`;
}

function holds({ measured, bound }: Figure, limit: number): boolean {
  return bound === "most" ? measured <= limit : measured >= limit;
}
