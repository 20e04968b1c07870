import { parentPort, workerData } from "node:worker_threads";
import { type EngineCaseResult, engineSuite, runEngineCase } from "../../../src/broker/conformance/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import type { Finding, Search } from "./fault-search.ts";
import { faults } from "./faults.ts";
import { faultyEngine } from "./faulty-engine.ts";
import { simulate } from "./simulator.ts";
import { Divergence, type MakeEngine } from "./world.ts";

/** The most commands until the simulator must have found a fault. */
const patience = 1_000_000;

Error.stackTraceLimit = 0;
const { from, seed, beats }: Search = workerData;
for (const fault of faults.slice(from)) {
  const engine = await faultyEngine(fault);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origins
  parentPort?.postMessage(await findingOf(engine));
}

async function findingOf(engine: MakeEngine): Promise<Finding> {
  const suite = await suiteFinds(engine);
  return { suite, simulator: await simulatorFinds(engine, suite ? 20_000 : patience) };
}

function progress(): void {
  Atomics.add(beats, 0, 1);
}

async function suiteFinds(make: MakeEngine): Promise<boolean> {
  for (const engineCase of engineSuite) {
    const clock = new ManualClock();
    const target = {
      open: async () => ({ engine: make({ clock }), advance: (milliseconds: number) => clock.advance(milliseconds) }),
    };
    if ((await endless(runEngineCase(engineCase, target))) !== "ended well") return true;
    progress();
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

async function simulatorFinds(make: MakeEngine, commands: number): Promise<boolean> {
  try {
    await simulate(make, seed, commands, progress);
    return false;
  } catch (error) {
    if (error instanceof Divergence) return true;
    throw error;
  }
}
