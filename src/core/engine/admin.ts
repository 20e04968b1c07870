import type { DurationLike } from "../time/duration.ts";
import type { RuleInit, RuleProperties } from "./rules.ts";

/** Whether an entity accepts sends and receives. */
export type EntityStatus = "Active" | "Disabled" | "SendDisabled" | "ReceiveDisabled";

/** Options of queues, topics and subscriptions; names, units and defaults are those of Azure Service Bus. */
export interface EntityOptions {
  /** Both the default and the maximum time to live. Default: unlimited. */
  readonly defaultMessageTimeToLive?: DurationLike | undefined;
  /**
   * Idle time (no send, receive or waiting receiver) after which the entity is deleted, at least 5 minutes. Default:
   * never.
   */
  readonly autoDeleteOnIdle?: DurationLike | undefined;
  /** Default: `Active`. */
  readonly status?: EntityStatus | undefined;
  /** Free text for the owner. */
  readonly userMetadata?: string | undefined;
  /** Kept and shown for clients that ask for it, without any effect: work is always done in batches. Default: true. */
  readonly enableBatchedOperations?: boolean | undefined;
}

/** Options of entities that accept sends: queues and topics. */
export interface SendableOptions extends EntityOptions {
  /** Maximum size of a message, AMQP-encoded, in bytes. Default: 1 MiB. */
  readonly maxMessageSizeInBytes?: number | undefined;
  /** Maximum size of all messages and session states, in units of 1,048,576 bytes. Default: 1024. */
  readonly maxSizeInMegabytes?: number | undefined;
  /** Whether a message whose id was seen within the window is accepted and dropped. Set at creation. Default: false. */
  readonly requiresDuplicateDetection?: boolean | undefined;
  /** Default: 10 minutes. Azure allows 20 seconds to 7 days; the minimum here is 1 ms. */
  readonly duplicateDetectionHistoryTimeWindow?: DurationLike | undefined;
  /** Whether messages are spread over partitions by session id or partition key. Set at creation. Default: false. */
  readonly enablePartitioning?: boolean | undefined;
}

/** Options of entities to receive from: queues and subscriptions. */
export interface ReceivableOptions {
  /** How long a receiver's lock on a message lasts. Default: 1 minute; maximum: 5 minutes. */
  readonly lockDuration?: DurationLike | undefined;
  /** Deliveries after which a message is dead-lettered. Default: 10. */
  readonly maxDeliveryCount?: number | undefined;
  /** Whether expired messages are dead-lettered instead of dropped. Default: false. */
  readonly deadLetteringOnMessageExpiration?: boolean | undefined;
  /** Whether every message belongs to a session. Set at creation. Default: false. */
  readonly requiresSession?: boolean | undefined;
  /** The entity that messages are forwarded to; this one then has no receivers. Default: none. */
  readonly forwardTo?: string | undefined;
  /** The entity that dead letters are forwarded to. Default: none. */
  readonly forwardDeadLetteredMessagesTo?: string | undefined;
}

/** Options of a queue. */
export interface QueueOptions extends SendableOptions, ReceivableOptions {}

/** Options of a topic. */
export interface TopicOptions extends SendableOptions {}

/** Options of a subscription. */
export interface SubscriptionOptions extends EntityOptions, ReceivableOptions {
  /** Whether a message is dead-lettered when a rule cannot be evaluated for it. Default: true. */
  readonly deadLetteringOnFilterEvaluationExceptions?: boolean | undefined;
  /** The initial rules. Default: one named `$Default` that accepts every message. */
  readonly rules?: readonly (RuleInit & { readonly name: string })[] | undefined;
}

/** When an entity was created, last updated and last used. */
export interface EntityTimes {
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly accessedAt: Date;
}

/** The message counts of an entity, its size and its times. */
export interface QueueRuntimeProperties extends EntityTimes {
  readonly name: string;
  /** Available, locked and deferred messages. */
  readonly activeMessageCount: number;
  readonly deadLetterMessageCount: number;
  readonly scheduledMessageCount: number;
  readonly transferDeadLetterMessageCount: number;
  readonly totalMessageCount: number;
  /** Bytes of all messages, dead letters and session states. */
  readonly sizeInBytes: number;
}

/** Counts and times of a topic. */
export interface TopicRuntimeProperties extends EntityTimes {
  readonly name: string;
  readonly subscriptionCount: number;
  /** The rules of its subscriptions that are not correlation filters: `true` and `false` are SQL conditions. */
  readonly sqlFilterCount: number;
  /** The rules of its subscriptions that are correlation filters. */
  readonly correlationFilterCount: number;
  readonly scheduledMessageCount: number;
  /** Bytes of its scheduled messages and of everything in its subscriptions. */
  readonly sizeInBytes: number;
}

/** Manages the entities of an engine; a missing one throws `MessagingEntityNotFound`. */
export interface EngineAdmin {
  /** @throws SobreError `MessagingEntityAlreadyExists`, or `InvalidArgument` naming an option. */
  createQueue(name: string, options?: QueueOptions): Promise<void>;
  /** The options of the queue, including defaults. */
  getQueue(name: string): Promise<QueueOptions>;
  /** Changes the given options. Releases all locks without counting a delivery. */
  updateQueue(name: string, options: QueueOptions): Promise<void>;
  deleteQueue(name: string): Promise<void>;
  queueExists(name: string): Promise<boolean>;
  listQueues(): Promise<readonly string[]>;
  getQueueRuntimeProperties(name: string): Promise<QueueRuntimeProperties>;

  /**
   * Drops every message of a queue, topic or subscription, of its sub-queues and of a topic's subscriptions, with all
   * locks, session states and the message ids seen; sequence numbers go on, and receivers stay. For tests: a broker may have none.
   */
  clear?(entity: string): Promise<void>;

  createTopic(name: string, options?: TopicOptions): Promise<void>;
  getTopic(name: string): Promise<TopicOptions>;
  updateTopic(name: string, options: TopicOptions): Promise<void>;
  /** Deletes the topic and its subscriptions. */
  deleteTopic(name: string): Promise<void>;
  topicExists(name: string): Promise<boolean>;
  listTopics(): Promise<readonly string[]>;
  getTopicRuntimeProperties(name: string): Promise<TopicRuntimeProperties>;

  createSubscription(topic: string, name: string, options?: SubscriptionOptions): Promise<void>;
  getSubscription(topic: string, name: string): Promise<SubscriptionOptions>;
  /** Changes the given options, except rules. */
  updateSubscription(topic: string, name: string, options: SubscriptionOptions): Promise<void>;
  deleteSubscription(topic: string, name: string): Promise<void>;
  subscriptionExists(topic: string, name: string): Promise<boolean>;
  listSubscriptions(topic: string): Promise<readonly string[]>;
  getSubscriptionRuntimeProperties(topic: string, name: string): Promise<QueueRuntimeProperties>;

  /**
   * @throws SobreError `InvalidArgument` naming the invalid member, or the offset of the syntax error in a SQL
   * expression.
   */
  createRule(topic: string, subscription: string, name: string, rule: RuleInit): Promise<void>;
  deleteRule(topic: string, subscription: string, name: string): Promise<void>;
  /** The rules in order of name. */
  listRules(topic: string, subscription: string): Promise<readonly RuleProperties[]>;
}
