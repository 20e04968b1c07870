import { memoryEngine, type MemoryEngineOptions } from "../../broker/memory/memory-engine.ts";
import { ManualClock } from "../../core/time/manual-clock.ts";
import { type FaultyEngine, faultyEngine } from "./faulty-engine.ts";

/** The result of {@link testEngine}. */
export interface TestEngine extends FaultyEngine {
  /** The clock of the broker; pass it to the client too. */
  readonly clock: ManualClock;
}

/**
 * A memory engine with a manual clock and injectable faults.
 *
 * @example
 * ```ts
 * const { engine, faults } = testEngine({ queues: ["orders"] });
 * faults.refuse("send", "ServiceBusy");
 * const retrying = createClient({ engine, serializer, retryOptions: { retryDelayInMs: 1 } });
 * await retrying.createSender("orders").sendMessages({ body: "arrives at the second try" });
 * ```
 */
export function testEngine(options: Omit<MemoryEngineOptions, "clock"> = {}): TestEngine {
  const clock = new ManualClock();
  return { clock, ...faultyEngine(memoryEngine({ ...options, clock }), clock) };
}
