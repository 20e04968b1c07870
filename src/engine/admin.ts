import type { Duration } from "../time/index.ts";

/** What a queue is created with; names, units and defaults are those of Azure Service Bus. */
export interface QueueOptions {
  /** How long a receiver holds a message. Default: 1 minute; most 5 minutes. */
  readonly lockDuration?: Duration | undefined;
  /** Deliveries after which a message goes to the dead-letter queue. Default: 10. */
  readonly maxDeliveryCount?: number | undefined;
  /** The longest and the default time to live. Default: for ever. */
  readonly defaultMessageTimeToLive?: Duration | undefined;
  /** Whether expired messages go to the dead-letter queue instead of being dropped. Default: false. */
  readonly deadLetteringOnMessageExpiration?: boolean | undefined;
  /** Whether every message belongs to a session. Default: false. */
  readonly requiresSession?: boolean | undefined;
  /** Most bytes of one message, AMQP-encoded. Default: 1 MiB. */
  readonly maxMessageSizeInBytes?: number | undefined;
}

/** How many messages an entity holds, by where they are. */
export interface QueueRuntimeProperties {
  readonly name: string;
  readonly activeMessageCount: number;
  readonly deadLetterMessageCount: number;
  readonly scheduledMessageCount: number;
  readonly totalMessageCount: number;
}

/** The administration of an engine's entities. */
export interface EngineAdmin {
  /** @throws SobreError `MessagingEntityAlreadyExists`, or `InvalidArgument` naming an option. */
  createQueue(name: string, options?: QueueOptions): Promise<void>;
  /** @throws SobreError `MessagingEntityNotFound`. */
  deleteQueue(name: string): Promise<void>;
  queueExists(name: string): Promise<boolean>;
  listQueues(): Promise<readonly string[]>;
  /** @throws SobreError `MessagingEntityNotFound`. */
  getQueueRuntimeProperties(name: string): Promise<QueueRuntimeProperties>;
}
