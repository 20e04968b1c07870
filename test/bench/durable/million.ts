import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Figure, median } from "../harness.ts";
import { scan } from "./bare-database.ts";

/** Messages of 1 KiB. */
export const count = 1_000_000;

const million = fileURLToPath(new URL("million-process.ts", import.meta.url));

interface Measured {
  readonly milliseconds: number;
  readonly resident: number;
  readonly perMessage: number;
}

function run(what: "fill" | "start", directory: string): Measured {
  return JSON.parse(execFileSync(process.execPath, ["--expose-gc", million, what, directory], { encoding: "utf8" }));
}

/** A backlog of a million messages, in memory and on disk, and a start on it. */
export async function millionMessages(folder: string): Promise<readonly Figure[]> {
  const directory = join(folder, "million");
  const filled = run("fill", directory);
  const starts: Measured[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) {
    const started = run("start", directory);
    const before = performance.now();
    if (scan(directory) !== count) throw new Error("The scan has missed messages.");
    ratios.push(started.milliseconds / (performance.now() - before));
    starts.push(started);
  }
  const resident = Math.max(filled.resident, ...starts.map((started) => started.resident));
  return [
    {
      name: "start with 1,000,000 messages of 1 KiB against a bare scan",
      measured: median(ratios),
      bound: "most",
      target: 2,
      floor: 3,
      unit: "×",
    },
    {
      name: "resident memory with 1,000,000 messages of 1 KiB",
      measured: resident / 2 ** 20,
      bound: "most",
      target: 700,
      floor: 700,
      unit: " MB",
    },
    {
      name: "memory of a message whose body is on disk",
      measured: median(starts.map(({ perMessage }) => perMessage)),
      bound: "most",
      target: 200,
      floor: 200,
      unit: " B",
    },
  ];
}
