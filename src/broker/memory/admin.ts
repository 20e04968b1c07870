import { checkRule } from "../../core/engine/check-rule.ts";
import type { EngineAdmin } from "../../core/engine/admin.ts";
import { subscriptionAddress } from "../../core/engine/address.ts";
import type { Namespace } from "./namespace.ts";
import { QueueEntity } from "./queue-entity.ts";
import { TopicEntity } from "./topic-entity.ts";

/** Manages the entities of a namespace; `enter` throws once the connection is closed. */
export function memoryAdmin(namespace: Namespace, enter: () => number): EngineAdmin {
  const entered = (): Namespace => {
    enter();
    return namespace;
  };
  const clear = async (entity: string): Promise<void> => {
    const now = enter();
    namespace.entity(entity).clear(now);
  };
  return { ...queueAdmin(entered), ...topicAdmin(entered), ...subscriptionAdmin(entered), clear };
}

type Methods = { readonly [Name in keyof EngineAdmin]: EngineAdmin[Name] };
type QueueMethods = Pick<Methods, Extract<keyof Methods, `${string}Queue${string}`>>;
type TopicMethods = Pick<Methods, Extract<keyof Methods, `${string}Topic${string}` | "topicExists">>;
type SubscriptionMethods = Omit<Methods, keyof QueueMethods | keyof TopicMethods | "queueExists" | "clear">;

function queueAdmin(namespace: () => Namespace): QueueMethods & Pick<Methods, "queueExists"> {
  return {
    createQueue: async (name, options) => namespace().createQueue(name, options),
    getQueue: async (name) => namespace().queueEntity(name).settings,
    updateQueue: async (name, options) => namespace().update(namespace().queueEntity(name), options),
    deleteQueue: async (name) => namespace().delete(namespace().queueEntity(name)),
    queueExists: async (name) => namespace().find(name) instanceof QueueEntity,
    listQueues: async () => names(namespace(), QueueEntity),
    getQueueRuntimeProperties: async (name) => namespace().queueEntity(name).counts(),
  };
}

function topicAdmin(namespace: () => Namespace): TopicMethods {
  return {
    createTopic: async (name, options) => namespace().createTopic(name, options),
    getTopic: async (name) => namespace().topic(name).settings,
    updateTopic: async (name, options) => namespace().update(namespace().topic(name), options),
    deleteTopic: async (name) => namespace().delete(namespace().topic(name)),
    topicExists: async (name) => namespace().find(name) instanceof TopicEntity,
    listTopics: async () => names(namespace(), TopicEntity),
    getTopicRuntimeProperties: async (name) => namespace().topic(name).runtime(),
  };
}

function subscriptionAdmin(namespace: () => Namespace): SubscriptionMethods {
  return {
    createSubscription: async (topic, name, options) => namespace().createSubscription(topic, name, options),
    async getSubscription(topic, name) {
      const subscription = namespace().subscription(topic, name);
      return { ...subscription.settings, rules: subscription.listRules() };
    },
    updateSubscription: async (topic, name, options) =>
      namespace().update(namespace().subscription(topic, name), options),
    deleteSubscription: async (topic, name) => namespace().delete(namespace().subscription(topic, name)),
    subscriptionExists: async (topic, name) => namespace().find(subscriptionAddress(topic, name)) !== undefined,
    async listSubscriptions(topic) {
      return [...namespace().topic(topic).subscriptions.values()].map(({ name }) => name).toSorted();
    },
    async getSubscriptionRuntimeProperties(topic, name) {
      const subscription = namespace().subscription(topic, name);
      return { ...subscription.counts(), name: subscription.name };
    },
    createRule: async (topic, subscription, name, rule) =>
      namespace().subscription(topic, subscription).addRule(checkRule(name, rule)),
    deleteRule: async (topic, subscription, name) => namespace().subscription(topic, subscription).deleteRule(name),
    listRules: async (topic, subscription) => namespace().subscription(topic, subscription).listRules(),
  };
}

function names(namespace: Namespace, kind: typeof QueueEntity | typeof TopicEntity): readonly string[] {
  return [...namespace.entities()]
    .filter((entity) => entity instanceof kind)
    .map(({ address }) => address)
    .toSorted();
}
