import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { faults } from "./faults.ts";

/** The work of a thread that looks for faults. */
export interface Search {
  /** Index of the first fault. */
  readonly from: number;
  readonly seed: number;
  /** Counts on while the engine answers. */
  readonly beats: Int32Array;
}

/** Whether the conformance suite and the simulator find a fault. */
export interface Finding {
  readonly suite: boolean;
  readonly simulator: boolean;
}

/** Milliseconds without an answer after which an engine is stuck. */
const stuckAfter = 30_000;

/** Looks for all faults, in a thread: an engine with a fault may run in a circle, and is found by that. */
export async function findings(seed: number): Promise<readonly Finding[]> {
  const all: Finding[] = [];
  while (all.length < faults.length) {
    const found = await search(all.length, seed);
    all.push(...found, ...(all.length + found.length < faults.length ? [{ suite: false, simulator: true }] : []));
  }
  return all;
}

/** The findings from one fault on, up to the first engine that is stuck. */
async function search(from: number, seed: number): Promise<readonly Finding[]> {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("fault-finder.ts", import.meta.url), { workerData: { from, seed, beats } });
  const found: Finding[] = [];
  worker.on("message", (finding: Finding) => found.push(finding));
  let before = -1;
  const watch = setInterval(() => {
    const now = Atomics.load(beats, 0);
    if (now === before) void worker.terminate();
    before = now;
  }, stuckAfter);
  try {
    await once(worker, "exit");
  } finally {
    clearInterval(watch);
  }
  return found;
}
