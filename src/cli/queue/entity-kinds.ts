import type { EngineAdmin, QueueRuntimeProperties, TopicRuntimeProperties } from "../../core/engine/admin.ts";
import type { EntityOptions, Holder } from "./entity-options.ts";

/** The names that lead to an entity, from the topic down. */
export type Path = readonly string[];

/** The administration of one kind of entity. */
export interface EntityKind {
  readonly holder: Holder;
  /** The arguments that lead to one. */
  readonly names: readonly string[];
  create(admin: EngineAdmin, path: Path, options: EntityOptions): Promise<void>;
  remove(admin: EngineAdmin, path: Path): Promise<void>;
  /** The names of those below a path without the last name. */
  list(admin: EngineAdmin, path: Path): Promise<readonly string[]>;
  settings(admin: EngineAdmin, path: Path): Promise<EntityOptions>;
  counts(admin: EngineAdmin, path: Path): Promise<Partial<QueueRuntimeProperties & TopicRuntimeProperties>>;
}

/** Commander has seen to it that every name is there. */
const at = (path: Path, index: number): string => path[index] ?? "";

export const kinds: Readonly<Record<Holder, EntityKind>> = {
  queue: {
    holder: "queue",
    names: ["QUEUE"],
    create: (admin, path, options) => admin.createQueue(at(path, 0), options),
    remove: (admin, path) => admin.deleteQueue(at(path, 0)),
    list: (admin) => admin.listQueues(),
    settings: (admin, path) => admin.getQueue(at(path, 0)),
    counts: (admin, path) => admin.getQueueRuntimeProperties(at(path, 0)),
  },
  topic: {
    holder: "topic",
    names: ["TOPIC"],
    create: (admin, path, options) => admin.createTopic(at(path, 0), options),
    remove: (admin, path) => admin.deleteTopic(at(path, 0)),
    list: (admin) => admin.listTopics(),
    settings: (admin, path) => admin.getTopic(at(path, 0)),
    counts: (admin, path) => admin.getTopicRuntimeProperties(at(path, 0)),
  },
  subscription: {
    holder: "subscription",
    names: ["TOPIC", "SUBSCRIPTION"],
    create: (admin, path, options) => admin.createSubscription(at(path, 0), at(path, 1), options),
    remove: (admin, path) => admin.deleteSubscription(at(path, 0), at(path, 1)),
    list: (admin, path) => admin.listSubscriptions(at(path, 0)),
    settings: (admin, path) => admin.getSubscription(at(path, 0), at(path, 1)),
    counts: (admin, path) => admin.getSubscriptionRuntimeProperties(at(path, 0), at(path, 1)),
  },
};
