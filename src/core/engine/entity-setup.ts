import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { subscriptionAddress } from "./address.ts";
import type { QueueOptions, SubscriptionOptions, TopicOptions } from "./admin.ts";

/** A topic and its subscriptions: names, or options by name. */
export interface TopicSetup extends TopicOptions {
  readonly subscriptions?: Readonly<Record<string, SubscriptionOptions>> | readonly string[] | undefined;
}

/** The entities with which an engine begins. */
export interface EntitySetup {
  /** Queues to create: their names, or options by name. */
  readonly queues?: Readonly<Record<string, QueueOptions>> | readonly string[] | undefined;
  /** Topics to create: their names, or options by name with their subscriptions. */
  readonly topics?: Readonly<Record<string, TopicSetup>> | readonly string[] | undefined;
}

const entities: is.OptionCheck = (value) =>
  typeof value === "object" && value !== null
    ? undefined
    : "must be a list of names, or options by name, as { orders: {} }";

/** Checks of {@link EntitySetup}; the entities are checked when they are created. */
export const setupChecks: Readonly<Record<keyof EntitySetup, is.OptionCheck>> = { queues: entities, topics: entities };

/** Creates entities, at once or later: `Made` is `void` or a promise of it. */
export interface Creator<Made> {
  createQueue(name: string, options: QueueOptions | undefined): Made;
  createTopic(name: string, options: TopicOptions): Made;
  createSubscription(topic: string, name: string, options: SubscriptionOptions | undefined): Made;
}

/** An entity of a setup that is still to be created. */
export interface Creation<Made> {
  readonly address: string;
  readonly create: () => Made;
  /** The error of its creation, which names the entity if an option is wrong. */
  readonly failed: (error: unknown) => unknown;
}

/** The names of the queues and topics in a setup, in lower case. */
export const namesIn = ({ queues = {}, topics = {} }: EntitySetup): ReadonlySet<string> =>
  new Set([...named<unknown>(queues), ...named<unknown>(topics)].flatMap(([name]) => keyOf(name)));

/** Callers without types may list anything. */
const keyOf = (name: unknown): readonly string[] => (typeof name === "string" ? [name.toLowerCase()] : []);

/** The entities of a setup, each to be created before the next is asked for. @throws SobreError `InvalidArgument` naming the entity. */
export function* creations<Made>(
  { queues = {}, topics = {} }: EntitySetup,
  creator: Creator<Made>,
): Generator<Creation<Made>> {
  for (const [name, options] of named(queues))
    yield { address: name, create: () => creator.createQueue(name, options), failed: failureNaming(`queue ${name}`) };
  for (const [name, topic = {}] of named(topics)) {
    const failed = failureNaming(`topic ${name}`);
    check(failed, () => checkOption("options", topic, is.object));
    const { subscriptions = {}, ...settings } = topic;
    yield { address: name, create: () => creator.createTopic(name, settings), failed };
    check(failed, () => checkOption("subscriptions", subscriptions, entities));
    for (const [subscription, options] of named(subscriptions))
      yield {
        address: subscriptionAddress(name, subscription),
        create: () => creator.createSubscription(name, subscription, options),
        failed: failureNaming(`subscription ${name}/${subscription}`),
      };
  }
}

function check(failed: Creation<void>["failed"], work: () => void): void {
  try {
    work();
  } catch (error) {
    throw failed(error);
  }
}

const failureNaming =
  (what: string): Creation<void>["failed"] =>
  (error) =>
    error instanceof SobreError && (error.code === "InvalidArgument" || error.code === "MessagingEntityNotFound")
      ? new SobreError(error.code, `The ${what}: ${error.message}`, { path: error.path, cause: error })
      : error;

function named<T>(
  given: Readonly<Record<string, T>> | readonly string[],
): readonly (readonly [string, T | undefined])[] {
  return isList(given) ? given.map((name) => [name, undefined]) : Object.entries(given);
}

const isList = (given: object): given is readonly string[] => Array.isArray(given);
