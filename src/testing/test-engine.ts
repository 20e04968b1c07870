import { memoryEngine, type MemoryEngineOptions } from "../engines/memory/memory-engine.ts";
import { ManualClock } from "../time/manual-clock.ts";
import { type FaultyEngine, faultyEngine } from "./faulty-engine.ts";

/** What {@link testEngine} makes. */
export interface TestEngine extends FaultyEngine {
  /** The broker's time; give it to the client too. */
  readonly clock: ManualClock;
}

/** The memory engine on a clock that stands still until it is advanced, with faults on demand. */
export function testEngine(options: Omit<MemoryEngineOptions, "clock"> = {}): TestEngine {
  const clock = new ManualClock();
  return { clock, ...faultyEngine(memoryEngine({ ...options, clock }), clock) };
}
