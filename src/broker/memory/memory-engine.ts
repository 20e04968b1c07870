import type { Engine } from "../../core/engine/engine.ts";
import { creations, type Creator, type EntitySetup, namesIn, setupChecks } from "../../core/engine/entity-setup.ts";
import { newQueue, newSubscription, newTopic } from "../policy/entity-changes.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { checkOptions, methods, type OptionChecks, sequenceNumber } from "../../core/options/option-checks.ts";
import { memoryConnection } from "./memory-verbs.ts";
import type { Memory } from "./meter.ts";
import { MemoryNamespace } from "./namespace.ts";
import { closed } from "../../core/engine/refusals.ts";

/** Options of {@link memoryEngine}. */
export interface MemoryEngineOptions extends EntitySetup {
  /** Where the broker's time comes from. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** First sequence number of every entity and sub-queue, to test the end of their range. Default: 1. */
  readonly firstSequenceNumber?: bigint | undefined;
}

/**
 * Creates a broker inside the process, with the behaviour of Azure Service Bus.
 *
 * Every receiver gets its own copy of the bytes. A sent envelope belongs to the engine: do not modify its bytes
 * afterwards.
 *
 * @throws SobreError `InvalidArgument` naming the option, including those of entities; unknown options are rejected.
 * @example
 * const engine = memoryEngine({ queues: { orders: { maxDeliveryCount: 3 } }, topics: { prices: { subscriptions: ["eu"] } } });
 */
export function memoryEngine(options: MemoryEngineOptions = {}): Engine {
  return memoryEngineWithin(undefined, options);
}

/** {@link memoryEngine} with a memory limit that it shares with other engines. */
export function memoryEngineWithin(memory: Memory | undefined, options: MemoryEngineOptions): Engine {
  checkOptions(options, memoryOptionChecks);
  const { clock = systemClock, firstSequenceNumber = 1n } = options;
  const namespace = new MemoryNamespace({ clock, firstSequenceNumber, memory });
  createEntities(namespace, options);
  return memoryConnection(namespace, () => namespace.abandon(closed("engine")));
}

/**
 * Creates the entities of the options, except those for which `exists` is true.
 *
 * @throws SobreError `InvalidArgument` or `MessagingEntityNotFound`, naming the entity and the option.
 */
export function createEntities(
  namespace: MemoryNamespace,
  setup: EntitySetup,
  exists: (address: string) => boolean = () => false,
): void {
  const { directory } = namespace;
  const pending = namesIn(setup);
  const creator: Creator<void> = {
    createQueue: (name, options) => namespace.change(newQueue(directory, name, options, pending)),
    createTopic: (name, options) => namespace.change(newTopic(directory, name, options)),
    createSubscription: (topic, name, options) =>
      namespace.change(newSubscription(directory, topic, name, options, pending)),
  };
  for (const { address, create, failed } of creations(setup, creator)) {
    if (exists(address)) continue;
    try {
      create();
    } catch (error) {
      throw failed(error);
    }
  }
}

/** Options of {@link memoryEngine}; entities are checked when they are created. */
export const memoryOptionChecks: OptionChecks<MemoryEngineOptions> = {
  clock: methods("a Clock, as ManualClock", "now", "setTimer"),
  ...setupChecks,
  firstSequenceNumber: sequenceNumber,
};
