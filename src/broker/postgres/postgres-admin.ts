import { subscriptionAddress } from "../../core/engine/address.ts";
import type {
  EngineAdmin,
  EntityTimes,
  QueueRuntimeProperties,
  TopicRuntimeProperties,
} from "../../core/engine/admin.ts";
import { checkRule } from "../../core/engine/check-rule.ts";
import {
  changeRules,
  clearEntity,
  createEntity,
  createSubscription,
  deleteEntity,
  updateEntity,
  withoutRule,
  withRule,
} from "./admin.ts";
import { countMessages } from "./browse.ts";
import { type Entity, queueOf, queuesOf, type Receivable, type Subscription, type Topic } from "./entities.ts";
import type { RuleProperties } from "../../core/engine/rules.ts";
import type { Home } from "./home.ts";
import { states } from "./placement.ts";
import { numberOf } from "./rows.ts";
import type { Store } from "./store.ts";

type Methods = { readonly [Name in keyof EngineAdmin]: EngineAdmin[Name] };
type QueueMethods = Pick<Methods, Extract<keyof Methods, `${string}Queue${string}`> | "queueExists">;
type TopicMethods = Pick<Methods, Extract<keyof Methods, `${string}Topic${string}`> | "topicExists">;
type SubscriptionMethods = Omit<Methods, keyof QueueMethods | keyof TopicMethods | "clear">;

/** Manages the entities of a namespace; `enter` throws once the connection is closed. */
export function postgresAdmin(home: Home, enter: () => Promise<void>): EngineAdmin {
  /** Runs a lookup in the database's entities, after applying everything that is due. */
  const entered = async <T>(find: () => T): Promise<T> => {
    await enter();
    return home.find(find);
  };
  /** Makes a change, then retries the waits that it may affect. */
  const changed = async (change: () => Promise<void>): Promise<void> => {
    await enter();
    await change();
    home.wakeAll();
  };
  const { store } = home;
  return {
    ...queueAdmin(home, entered, changed),
    ...topicAdmin(home, entered, changed),
    ...subscriptionAdmin(home, entered, changed),
    clear: (entity) => changed(() => clearEntity(store, () => store.directory.entity(entity))),
  };
}

type Entered = <T>(find: () => T) => Promise<T>;
type Changed = (change: () => Promise<void>) => Promise<void>;

function queueAdmin({ store }: Home, entered: Entered, changed: Changed): QueueMethods {
  const { directory } = store;
  return {
    createQueue: (name, options) => changed(() => createEntity(store, "queue", name, options)),
    getQueue: async (name) => (await entered(() => directory.queue(name))).settings,
    updateQueue: (name, options) => changed(() => updateEntity(store, () => directory.queue(name), options)),
    deleteQueue: (name) => changed(() => deleteEntity(store, () => directory.queue(name))),
    queueExists: async (name) => (await known(store, entered, () => directory.find(name)))?.type === "queue",
    listQueues: () => names(store, entered, "queue"),
    async getQueueRuntimeProperties(name) {
      const queue = await entered(() => directory.queue(name));
      return { ...(await runtimeOf(store, queue)), name: queue.name };
    },
  };
}

function topicAdmin({ store }: Home, entered: Entered, changed: Changed): TopicMethods {
  const { directory } = store;
  return {
    createTopic: (name, options) => changed(() => createEntity(store, "topic", name, options)),
    getTopic: async (name) => (await entered(() => directory.topic(name))).settings,
    updateTopic: (name, options) => changed(() => updateEntity(store, () => directory.topic(name), options)),
    deleteTopic: (name) => changed(() => deleteEntity(store, () => directory.topic(name))),
    topicExists: async (name) => (await known(store, entered, () => directory.find(name)))?.type === "topic",
    listTopics: () => names(store, entered, "topic"),
    async getTopicRuntimeProperties(name) {
      await store.directory.refresh();
      return topicRuntimeOf(store, await entered(() => directory.topic(name)));
    },
  };
}

function subscriptionAdmin({ store }: Home, entered: Entered, changed: Changed): SubscriptionMethods {
  const { directory } = store;
  const found =
    (topic: string, name: string): (() => Subscription) =>
    () =>
      directory.subscription(topic, name);
  return {
    createSubscription: (topic, name, options) => changed(() => createSubscription(store, topic, name, options)),
    async getSubscription(topic, name) {
      const { settings, rules } = await entered(found(topic, name));
      return { ...settings, rules: byName(rules) };
    },
    updateSubscription: (topic, name, options) => changed(() => updateEntity(store, found(topic, name), options)),
    deleteSubscription: (topic, name) => changed(() => deleteEntity(store, found(topic, name))),
    subscriptionExists: async (topic, name) =>
      (await known(store, entered, () => directory.find(subscriptionAddress(topic, name)))) !== undefined,
    async listSubscriptions(topic) {
      await directory.refresh();
      const { subscriptions } = await entered(() => directory.topic(topic));
      return [...subscriptions].map(({ shortName }) => shortName).toSorted();
    },
    async getSubscriptionRuntimeProperties(topic, name) {
      const subscription = await entered(found(topic, name));
      return { ...(await runtimeOf(store, subscription)), name: subscription.shortName };
    },
    async createRule(topic, subscription, name, rule) {
      const properties = checkRule(name, rule);
      await changed(() => changeRules(store, found(topic, subscription), (before) => withRule(before, properties)));
    },
    deleteRule: (topic, subscription, name) =>
      changed(() => changeRules(store, found(topic, subscription), (before) => withoutRule(before, name))),
    async listRules(topic, subscription) {
      await directory.refresh();
      return byName((await entered(found(topic, subscription))).rules);
    },
  };
}

/** Runs a lookup in the database's entities: another node may have created or deleted the entity. */
async function known<T>({ directory }: Store, entered: Entered, find: () => T): Promise<T> {
  await directory.refresh();
  return entered(find);
}

async function names({ directory }: Store, entered: Entered, type: Entity["type"]): Promise<readonly string[]> {
  await directory.refresh();
  return entered(() =>
    [...directory.entities()]
      .filter((entity) => entity.type === type)
      .map(({ name }) => name)
      .toSorted(),
  );
}

const byName = (rules: readonly RuleProperties[]): readonly RuleProperties[] =>
  rules.toSorted((left, right) => (left.name < right.name ? -1 : 1));

async function timesOf({ database, schema }: Store, { id, createdAt, modifiedAt }: Entity): Promise<EntityTimes> {
  const [row] = await database.query(`select used_at from ${schema}.entity where id = $1`, [id]);
  return {
    createdAt: new Date(createdAt),
    modifiedAt: new Date(modifiedAt),
    accessedAt: new Date(row === undefined ? createdAt : numberOf(row, "used_at")),
  };
}

async function runtimeOf(store: Store, entity: Receivable): Promise<Omit<QueueRuntimeProperties, "name">> {
  const counts = await countMessages(store, ...queuesOf(entity.id));
  const sum = (wanted: (one: (typeof counts)[number]) => boolean): number =>
    counts.filter(wanted).reduce((total, { count }) => total + count, 0);
  const scheduledMessageCount = sum(
    ({ queue, state }) => queue === queueOf(entity.id, 0) && state === states.scheduled,
  );
  return {
    activeMessageCount: sum(({ queue }) => queue === queueOf(entity.id, 0)) - scheduledMessageCount,
    deadLetterMessageCount: sum(({ queue }) => queue === queueOf(entity.id, 1)),
    scheduledMessageCount,
    transferDeadLetterMessageCount: sum(({ queue }) => queue === queueOf(entity.id, 2)),
    totalMessageCount: sum(() => true),
    sizeInBytes: counts.reduce((total, { bytes }) => total + bytes, 0),
    ...(await timesOf(store, entity)),
  };
}

async function topicRuntimeOf(store: Store, topic: Topic): Promise<TopicRuntimeProperties> {
  const counted = await Promise.all(
    [topic, ...topic.subscriptions].map(({ id }) => countMessages(store, ...queuesOf(id))),
  );
  const own = counted[0] ?? [];
  return {
    name: topic.name,
    subscriptionCount: topic.subscriptions.size,
    scheduledMessageCount: own.reduce((total, { count }) => total + count, 0),
    sizeInBytes: counted.flat().reduce((total, { bytes }) => total + bytes, 0),
    ...(await timesOf(store, topic)),
  };
}
