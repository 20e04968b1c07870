import { type EngineCaseResult, engineSuite, runEngineCase } from "../../src/conformance/index.ts";
import { ManualClock } from "../../src/time/index.ts";
import { type Fault, faults } from "./engine/faults.ts";
import { faultyEngine } from "./engine/faulty-engine.ts";
import { simulate } from "./engine/simulator.ts";
import { Divergence, type MakeEngine } from "./engine/world.ts";
import type { ProofRun } from "./proof-run.ts";

/** The most commands until the simulator must have found a fault. */
const patience = 1_000_000;

/** Every seeded fault is found, by the conformance suite or by the simulator. */
export async function prove({ seed, verbose }: ProofRun): Promise<string> {
  Error.stackTraceLimit = 0;
  let bySuite = 0;
  let bySimulator = 0;
  const missed: string[] = [];
  for (const fault of faults) {
    const engine = await faultyEngine(fault);
    const inSuite = await suiteFinds(engine);
    const inSimulator = await simulatorFinds(engine, seed, inSuite ? 20_000 : patience);
    if (verbose) console.log(report(fault, inSuite, inSimulator));
    if (inSuite) bySuite++;
    if (inSimulator) bySimulator++;
    if (!inSuite && !inSimulator) missed.push(fault.name);
  }
  if (missed.length > 0) throw new Error(`Not found: ${missed.join("; ")}.`);
  return `${faults.length} of ${faults.length} seeded faults found: ${bySuite} by the suite, ${bySimulator} by the simulator`;
}

async function suiteFinds(make: MakeEngine): Promise<boolean> {
  for (const engineCase of engineSuite) {
    const clock = new ManualClock();
    const target = {
      open: async () => ({ engine: make({ clock }), advance: (milliseconds: number) => clock.advance(milliseconds) }),
    };
    if ((await endless(runEngineCase(engineCase, target))) !== "ended well") return true;
  }
  return false;
}

/** How a case ends; one that waits endlessly has failed, and on virtual time a second is endless. */
async function endless(running: Promise<EngineCaseResult>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const never = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("never ended"), 1000);
  });
  const ended = running.then(({ outcome }) => (outcome === "failed" ? "failed" : "ended well"));
  const how = await Promise.race([ended, never]);
  clearTimeout(timer);
  return how;
}

async function simulatorFinds(make: MakeEngine, seed: number, commands: number): Promise<boolean> {
  try {
    await simulate(make, seed, commands);
    return false;
  } catch (error) {
    if (error instanceof Divergence) return true;
    throw error;
  }
}

const report = ({ name }: Fault, suite: boolean, simulator: boolean): string =>
  `  ${name.padEnd(60)} suite ${suite ? "yes" : "no "}  simulator ${simulator ? "yes" : "no"}`;
