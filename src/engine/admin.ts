import type { DurationLike } from "../time/duration.ts";
import type { RuleInit, RuleProperties } from "./rules.ts";

/** Whether an entity takes sends and receives. */
export type EntityStatus = "Active" | "Disabled" | "SendDisabled" | "ReceiveDisabled";

/** Options of queues, topics and subscriptions; names, units and defaults are those of Azure Service Bus. */
export interface EntityOptions {
  /** The longest and the default time to live. Default: for ever. */
  readonly defaultMessageTimeToLive?: DurationLike | undefined;
  /** Deletes the entity when nobody has sent, received or waited for so long, 5 minutes at least. Default: never. */
  readonly autoDeleteOnIdle?: DurationLike | undefined;
  /** Default: `Active`. */
  readonly status?: EntityStatus | undefined;
  /** Free text of the owner. */
  readonly userMetadata?: string | undefined;
}

/** Options of the entities that take sends: queues and topics. */
export interface SendableOptions extends EntityOptions {
  /** Most bytes of one message, AMQP-encoded. Default: 1 MiB. */
  readonly maxMessageSizeInBytes?: number | undefined;
  /** Most megabytes (1,048,576 bytes) of all messages and session states. Default: 1024. */
  readonly maxSizeInMegabytes?: number | undefined;
  /** Whether a message id seen within the window is accepted and dropped. Set at creation. Default: false. */
  readonly requiresDuplicateDetection?: boolean | undefined;
  /** Default: 10 minutes; 20 seconds to 7 days in Azure, from 1 ms here. */
  readonly duplicateDetectionHistoryTimeWindow?: DurationLike | undefined;
  /** Whether messages are spread over partitions by session id or partition key. Set at creation. Default: false. */
  readonly enablePartitioning?: boolean | undefined;
}

/** Options of the entities that are received from: queues and subscriptions. */
export interface ReceivableOptions {
  /** How long a receiver holds a message. Default: 1 minute; most 5 minutes. */
  readonly lockDuration?: DurationLike | undefined;
  /** Deliveries after which a message goes to the dead-letter queue. Default: 10. */
  readonly maxDeliveryCount?: number | undefined;
  /** Whether expired messages go to the dead-letter queue instead of being dropped. Default: false. */
  readonly deadLetteringOnMessageExpiration?: boolean | undefined;
  /** Whether every message belongs to a session. Set at creation. Default: false. */
  readonly requiresSession?: boolean | undefined;
  /** The entity that messages are forwarded to; this one is then not received from. Default: none. */
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
  /** Whether a message goes to the dead-letter queue when a rule cannot be evaluated for it. Default: true. */
  readonly deadLetteringOnFilterEvaluationExceptions?: boolean | undefined;
  /** The rules to begin with. Default: one named `$Default` that lets everything through. */
  readonly rules?: readonly (RuleInit & { readonly name: string })[] | undefined;
}

/** When an entity was made, when its options were changed last, and when it was used last. */
export interface EntityTimes {
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly accessedAt: Date;
}

/** How many messages an entity holds, by where they are. */
export interface QueueRuntimeProperties extends EntityTimes {
  readonly name: string;
  /** Ready, locked and deferred messages. */
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
  readonly scheduledMessageCount: number;
  /** Bytes of its scheduled messages, and of all that its subscriptions hold. */
  readonly sizeInBytes: number;
}

/** The administration of an engine's entities; missing ones are `MessagingEntityNotFound`. */
export interface EngineAdmin {
  /** @throws SobreError `MessagingEntityAlreadyExists`, or `InvalidArgument` naming an option. */
  createQueue(name: string, options?: QueueOptions): Promise<void>;
  /** The options the queue has, every default filled in. */
  getQueue(name: string): Promise<QueueOptions>;
  /** Changes the options given. Every lock ends, uncounted. */
  updateQueue(name: string, options: QueueOptions): Promise<void>;
  deleteQueue(name: string): Promise<void>;
  queueExists(name: string): Promise<boolean>;
  listQueues(): Promise<readonly string[]>;
  getQueueRuntimeProperties(name: string): Promise<QueueRuntimeProperties>;

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
  /** Changes the options given, rules excepted. */
  updateSubscription(topic: string, name: string, options: SubscriptionOptions): Promise<void>;
  deleteSubscription(topic: string, name: string): Promise<void>;
  subscriptionExists(topic: string, name: string): Promise<boolean>;
  listSubscriptions(topic: string): Promise<readonly string[]>;
  getSubscriptionRuntimeProperties(topic: string, name: string): Promise<QueueRuntimeProperties>;

  /** @throws SobreError `InvalidArgument` naming the member that is wrong, or the offset at which a SQL expression cannot be read. */
  createRule(topic: string, subscription: string, name: string, rule: RuleInit): Promise<void>;
  deleteRule(topic: string, subscription: string, name: string): Promise<void>;
  /** The rules in order of their names. */
  listRules(topic: string, subscription: string): Promise<readonly RuleProperties[]>;
}
