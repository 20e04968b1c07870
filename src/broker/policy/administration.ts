import { subscriptionAddress } from "../../core/engine/address.ts";
import type {
  EngineAdmin,
  EntityTimes,
  QueueRuntimeProperties,
  TopicRuntimeProperties,
} from "../../core/engine/admin.ts";
import type { RuleProperties } from "../../core/engine/rules.ts";
import type { Answer } from "./answer.ts";
import type { EntityLookup } from "./directory.ts";
import type { Entity, ReceivableEntity, SubscriptionEntity, TopicEntity } from "./entities.ts";
import {
  type EntityChange,
  newQueue,
  newRule,
  newSettings,
  newSubscription,
  newTopic,
  oldRule,
} from "./entity-changes.ts";

/** The messages and bytes of an entity, and its times. */
export interface EntityMeasure extends EntityTimes {
  /** Its messages, those of sub-queues excepted. */
  readonly messages: number;
  /** How many of them are scheduled. */
  readonly scheduled: number;
  readonly deadLetters: number;
  readonly transferDeadLetters: number;
  /** Bytes of all messages and session states; those of a topic include its subscriptions. */
  readonly bytes: number;
}

/** The entities of a store as administration sees them. */
export interface AdministeredEntities<Own> {
  /** Looks something up in the current entities. */
  look<T>(find: (entities: EntityLookup<Own>) => T): Answer<T>;
  /** Carries out a change that is decided from the current entities. */
  change(decide: (entities: EntityLookup<Own>) => EntityChange<Own>): Answer<void>;
  measure(entity: Entity<Own>): Answer<EntityMeasure>;
  /** Deletes every message, lock, session state and message id of an entity and, for a topic, of its subscriptions. */
  clear(find: (entities: EntityLookup<Own>) => Entity<Own>): Answer<void>;
}

type Methods = { readonly [Name in keyof EngineAdmin]: EngineAdmin[Name] };
type QueueMethods = Pick<Methods, Extract<keyof Methods, `${string}Queue${string}` | "queueExists">>;
type TopicMethods = Pick<Methods, Extract<keyof Methods, `${string}Topic${string}` | "topicExists">>;
type SubscriptionMethods = Omit<Methods, keyof QueueMethods | keyof TopicMethods | "clear">;

/** Entities that answer after everything due was applied, and refuse once the connection is closed. */
interface EnteredEntities<Own> extends Pick<AdministeredEntities<Own>, "measure"> {
  look<T>(find: (entities: EntityLookup<Own>) => T): Promise<T>;
  change(decide: (entities: EntityLookup<Own>) => EntityChange<Own>): Promise<void>;
}

/** Manages the entities of a store; `enter` throws once the connection is closed. */
export function administration<Own>(
  entities: AdministeredEntities<Own>,
  enter: <T>(verb: () => Answer<T>) => Promise<T>,
): EngineAdmin {
  const store: EnteredEntities<Own> = {
    look: (find) => enter(() => entities.look(find)),
    change: (decide) => enter(() => entities.change(decide)),
    measure: (entity) => entities.measure(entity),
  };
  return {
    ...queueMethods(store),
    ...topicMethods(store),
    ...subscriptionMethods(store),
    clear: (entity) => enter(() => entities.clear((lookup) => lookup.entity(entity))),
  };
}

function queueMethods<Own>(store: EnteredEntities<Own>): QueueMethods {
  return {
    createQueue: (name, options) => store.change((entities) => newQueue(entities, name, options)),
    getQueue: (name) => store.look((entities) => entities.queueEntity(name).settings),
    updateQueue: (name, options) =>
      store.change((entities) => newSettings(entities, entities.queueEntity(name), options)),
    deleteQueue: (name) => store.change((entities) => ({ kind: "delete", entity: entities.queueEntity(name) })),
    queueExists: (name) => store.look((entities) => entities.find(name)?.type === "queue"),
    listQueues: () => store.look((entities) => addresses(entities.entities(), "queue")),
    getQueueRuntimeProperties: async (name) =>
      runtimeOf(store, await store.look((entities) => entities.queueEntity(name)), name),
  };
}

function topicMethods<Own>(store: EnteredEntities<Own>): TopicMethods {
  return {
    createTopic: (name, options) => store.change((entities) => newTopic(entities, name, options)),
    getTopic: (name) => store.look((entities) => entities.topic(name).settings),
    updateTopic: (name, options) => store.change((entities) => newSettings(entities, entities.topic(name), options)),
    deleteTopic: (name) => store.change((entities) => ({ kind: "delete", entity: entities.topic(name) })),
    topicExists: (name) => store.look((entities) => entities.find(name)?.type === "topic"),
    listTopics: () => store.look((entities) => addresses(entities.entities(), "topic")),
    getTopicRuntimeProperties: async (name) =>
      topicRuntimeOf(store, await store.look((entities) => entities.topic(name))),
  };
}

function subscriptionMethods<Own>(store: EnteredEntities<Own>): SubscriptionMethods {
  const found = (topic: string, name: string): Promise<SubscriptionEntity<Own>> =>
    store.look((entities) => entities.subscription(topic, name));
  return {
    createSubscription: (topic, name, options) =>
      store.change((entities) => newSubscription(entities, topic, name, options)),
    async getSubscription(topic, name) {
      const subscription = await found(topic, name);
      return { ...subscription.settings, rules: rulesOf(subscription) };
    },
    updateSubscription: (topic, name, options) =>
      store.change((entities) => newSettings(entities, entities.subscription(topic, name), options)),
    deleteSubscription: (topic, name) =>
      store.change((entities) => ({ kind: "delete", entity: entities.subscription(topic, name) })),
    subscriptionExists: (topic, name) =>
      store.look((entities) => entities.find(subscriptionAddress(topic, name)) !== undefined),
    listSubscriptions: (topic) =>
      store.look((entities) => Array.from(entities.topic(topic).subscriptions.values(), ({ name }) => name).toSorted()),
    async getSubscriptionRuntimeProperties(topic, name) {
      const subscription = await found(topic, name);
      return runtimeOf(store, subscription, subscription.name);
    },
    createRule: (topic, subscription, name, rule) =>
      store.change((entities) => newRule(entities.subscription(topic, subscription), name, rule)),
    deleteRule: (topic, subscription, name) =>
      store.change((entities) => oldRule(entities.subscription(topic, subscription), name)),
    listRules: async (topic, subscription) => rulesOf(await found(topic, subscription)),
  };
}

function addresses<Own>(entities: Iterable<Entity<Own>>, type: "queue" | "topic"): readonly string[] {
  return [...entities]
    .filter((entity) => entity.type === type)
    .map(({ address }) => address)
    .toSorted();
}

/** In order of their names. */
const rulesOf = ({ rules }: SubscriptionEntity<unknown>): readonly RuleProperties[] =>
  Array.from(rules.values(), ({ properties }) => properties).toSorted((left, right) =>
    left.name < right.name ? -1 : 1,
  );

async function runtimeOf<Own>(
  store: EnteredEntities<Own>,
  entity: ReceivableEntity<Own>,
  name: string,
): Promise<QueueRuntimeProperties> {
  const { messages, scheduled, deadLetters, transferDeadLetters, bytes, ...times } = await store.measure(entity);
  return {
    name,
    activeMessageCount: messages - scheduled,
    deadLetterMessageCount: deadLetters,
    scheduledMessageCount: scheduled,
    transferDeadLetterMessageCount: transferDeadLetters,
    totalMessageCount: messages + deadLetters + transferDeadLetters,
    sizeInBytes: bytes,
    ...times,
  };
}

function filterCountsOf(
  topic: TopicEntity<unknown>,
): Pick<TopicRuntimeProperties, "sqlFilterCount" | "correlationFilterCount"> {
  let [sqlFilterCount, correlationFilterCount] = [0, 0];
  for (const { rules } of topic.subscriptions.values())
    for (const { properties } of rules.values())
      if (properties.filter.kind === "correlation") correlationFilterCount++;
      else sqlFilterCount++;
  return { sqlFilterCount, correlationFilterCount };
}

async function topicRuntimeOf<Own>(
  store: EnteredEntities<Own>,
  topic: TopicEntity<Own>,
): Promise<TopicRuntimeProperties> {
  const { scheduled, bytes, createdAt, modifiedAt, accessedAt } = await store.measure(topic);
  return {
    name: topic.address,
    subscriptionCount: topic.subscriptions.size,
    ...filterCountsOf(topic),
    scheduledMessageCount: scheduled,
    sizeInBytes: bytes,
    createdAt,
    modifiedAt,
    accessedAt,
  };
}
