import {
  type EngineCase,
  type EngineCaseResult,
  engineSuite,
  runEngineCase,
} from "../../src/broker/conformance/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { faults } from "./engine/faults.ts";
import { faultyEngine } from "./engine/faulty-engine.ts";
import { suiteFaults } from "./engine/suite-faults.ts";
import type { MakeEngine } from "./engine/world.ts";
import type { ProofRun } from "./proof-run.ts";

/** A faulty engine may fail where nobody looks: in a microtask, or after its case. */
const ignore = (): void => {};

/** Every case of the conformance suite fails on some engine with a fault, and every fault at the edges fails a case. */
export async function prove({ verbose }: ProofRun): Promise<string> {
  Error.stackTraceLimit = 0;
  process.on("uncaughtException", ignore).on("unhandledRejection", ignore);
  try {
    return await failEveryCase(verbose);
  } finally {
    process.off("uncaughtException", ignore).off("unhandledRejection", ignore);
  }
}

async function failEveryCase(verbose: boolean): Promise<string> {
  const unfailed = new Set(engineSuite);
  const unfound: string[] = [];
  const all = [...suiteFaults, ...faults];
  for (const fault of all) {
    const make = await faultyEngine(fault);
    const atEdge = suiteFaults.includes(fault);
    let found = false;
    for (const engineCase of atEdge ? engineSuite : unfailed) {
      if (!(await fails(engineCase, make))) continue;
      unfailed.delete(engineCase);
      found = true;
    }
    if (atEdge && !found) unfound.push(fault.name);
  }
  const names = [...unfailed].map(({ name }) => name);
  if (verbose) console.log(`  never failed: ${names.join(", ")}`);
  if (unfound.length > 0) throw new Error(`No case fails with ${unfound.join("; ")}.`);
  const failed = engineSuite.length - names.length;
  if (names.length > 0) throw new Error(`${names.length} cases never fail: ${names.join(", ")}.`);
  return `${failed} of ${engineSuite.length} cases fail on an engine with their fault; ${all.length} faults tried`;
}

async function fails(engineCase: EngineCase, make: MakeEngine): Promise<boolean> {
  const clock = new ManualClock();
  const open = async (): ReturnType<Parameters<typeof runEngineCase>[1]["open"]> => ({
    engine: make({ clock }),
    advance: (milliseconds) => clock.advance(milliseconds),
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stuck = new Promise<EngineCaseResult>((resolve) => {
    timer = setTimeout(() => resolve({ name: engineCase.name, outcome: "failed", error: undefined }), 250);
  });
  const { outcome } = await Promise.race([runEngineCase(engineCase, { open }), stuck]);
  clearTimeout(timer);
  return outcome === "failed";
}
