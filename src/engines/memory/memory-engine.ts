import { subscriptionAddress } from "../../engine/address.ts";
import type { Engine } from "../../engine/engine.ts";
import type { QueueOptions, SubscriptionOptions, TopicOptions } from "../../engine/admin.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import { type Clock, systemClock } from "../../time/clock.ts";
import {
  anObject,
  checkOption,
  checkOptions,
  methods,
  type OptionCheck,
  type OptionChecks,
  sequenceNumber,
} from "../../options/option-checks.ts";
import { MemoryConnection } from "./connection.ts";
import type { Memory } from "./meter.ts";
import { Namespace } from "./namespace.ts";
import { closed } from "../../broker/refusals.ts";

/** A topic and its subscriptions: names, or options by name. */
export interface TopicSetup extends TopicOptions {
  readonly subscriptions?: Readonly<Record<string, SubscriptionOptions>> | readonly string[] | undefined;
}

/** Options of {@link memoryEngine}. */
export interface MemoryEngineOptions {
  /** Where the broker's time comes from. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Queues to create: their names, or options by name. */
  readonly queues?: Readonly<Record<string, QueueOptions>> | readonly string[] | undefined;
  /** Topics to create: their names, or options by name with their subscriptions. */
  readonly topics?: Readonly<Record<string, TopicSetup>> | readonly string[] | undefined;
  /** First sequence number of every entity and sub-queue, to test the end of their range. Default: 1. */
  readonly firstSequenceNumber?: bigint | undefined;
  /** Keys of a configuration that `emulatorConfig` has read. A server checks them; an in-process engine ignores them. */
  readonly keys?: object | undefined;
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
  const namespace = new Namespace({ clock, firstSequenceNumber, memory });
  createEntities(namespace, options);
  return new RootConnection(namespace);
}

/** The root connection: closing it closes the engine and frees its share of memory. */
class RootConnection extends MemoryConnection {
  readonly #namespace: Namespace;

  constructor(namespace: Namespace) {
    super(namespace);
    this.#namespace = namespace;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#namespace.abandon(closed("engine"));
  }

  override async abort(): Promise<void> {
    await super.abort();
    this.#namespace.abandon(closed("engine"));
  }
}

/**
 * Creates the entities of the options, except those for which `exists` is true.
 *
 * @throws SobreError `InvalidArgument` naming the entity and the option.
 */
export function createEntities(
  namespace: Namespace,
  { queues = {}, topics = {} }: MemoryEngineOptions,
  exists: (address: string) => boolean = () => false,
): void {
  for (const [name, queue] of named(queues))
    if (!exists(name)) make(`queue ${name}`, () => namespace.createQueue(name, queue));
  for (const [name, topic = {}] of named(topics)) {
    make(`topic ${name}`, () => checkOption("options", topic, anObject));
    const { subscriptions = {}, ...settings } = topic;
    make(`topic ${name}`, () => {
      if (!exists(name)) namespace.createTopic(name, settings);
      checkOption("subscriptions", subscriptions, entities);
    });
    for (const [subscription, setup] of named(subscriptions))
      if (!exists(subscriptionAddress(name, subscription)))
        make(`subscription ${name}/${subscription}`, () => namespace.createSubscription(name, subscription, setup));
  }
}

/** Creates one of several entities; its errors name the entity. */
function make(what: string, create: () => void): void {
  try {
    create();
  } catch (error) {
    if (!(error instanceof SobreError) || error.code !== "InvalidArgument") throw error;
    throw new SobreError(error.code, `The ${what}: ${error.message}`, { path: error.path, cause: error });
  }
}

const entities: OptionCheck = (value) =>
  typeof value === "object" && value !== null
    ? undefined
    : "must be a list of names, or options by name, as { orders: {} }";

/** Options of {@link memoryEngine}; entities are checked when they are created. */
export const memoryOptionChecks: OptionChecks<MemoryEngineOptions> = {
  clock: methods("a Clock, as ManualClock", "now", "setTimer"),
  queues: entities,
  topics: entities,
  firstSequenceNumber: sequenceNumber,
  keys: anObject,
};

function named<T>(
  given: Readonly<Record<string, T>> | readonly string[],
): readonly (readonly [string, T | undefined])[] {
  return isList(given) ? given.map((name) => [name, undefined]) : Object.entries(given);
}

const isList = (given: object): given is readonly string[] => Array.isArray(given);
