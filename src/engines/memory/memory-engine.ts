import type { Engine, QueueOptions, SubscriptionOptions, TopicOptions } from "../../engine/index.ts";
import { type Clock, systemClock } from "../../time/index.ts";
import { MemoryConnection } from "./connection.ts";
import { Namespace } from "./namespace.ts";

/** A topic with its subscriptions: their names, or options by name. */
export interface TopicSetup extends TopicOptions {
  readonly subscriptions?: Readonly<Record<string, SubscriptionOptions>> | readonly string[] | undefined;
}

/** Options of {@link memoryEngine}. */
export interface MemoryEngineOptions {
  /** Where the broker's time comes from. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Queues to begin with: their names, or options by name. */
  readonly queues?: Readonly<Record<string, QueueOptions>> | readonly string[] | undefined;
  /** Topics to begin with: their names, or options by name with their subscriptions. */
  readonly topics?: Readonly<Record<string, TopicSetup>> | readonly string[] | undefined;
  /** Where every entity's sequence numbers begin, to try out their end. Default: 1. */
  readonly firstSequenceNumber?: bigint | undefined;
}

/**
 * A broker inside the process, with the behaviour of Azure Service Bus.
 *
 * Envelopes are kept by reference, payload included: bytes that are changed after `send` change the message.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function memoryEngine(options: MemoryEngineOptions = {}): Engine {
  const { clock = systemClock, queues = {}, topics = {}, firstSequenceNumber = 1n } = options;
  const namespace = new Namespace(clock, firstSequenceNumber);
  for (const [name, queue] of named(queues)) namespace.createQueue(name, queue);
  for (const [name, topic] of named(topics)) {
    namespace.createTopic(name, topic);
    for (const [subscription, setup] of named(topic?.subscriptions ?? {}))
      namespace.createSubscription(name, subscription, setup);
  }
  return new MemoryConnection(namespace);
}

function named<T>(
  entities: Readonly<Record<string, T>> | readonly string[],
): readonly (readonly [string, T | undefined])[] {
  return isList(entities) ? entities.map((name) => [name, undefined]) : Object.entries(entities);
}

const isList = (entities: object): entities is readonly string[] => Array.isArray(entities);
