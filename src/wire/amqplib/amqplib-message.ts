/** The basic properties of an amqplib message (AMQP 0-9-1 section 1.8); all may be absent. */
export interface AmqplibPropertiesLike {
  readonly contentType?: unknown;
  readonly contentEncoding?: unknown;
  readonly headers?: Readonly<Record<string, unknown>> | null | undefined;
  readonly deliveryMode?: unknown;
  readonly priority?: unknown;
  readonly correlationId?: unknown;
  readonly replyTo?: unknown;
  readonly expiration?: unknown;
  readonly messageId?: unknown;
  readonly timestamp?: unknown;
  readonly type?: unknown;
  readonly userId?: unknown;
  readonly appId?: unknown;
  readonly clusterId?: unknown;
}

/** The parts of an amqplib message that are read, declared here so that no types of amqplib are needed. */
export interface AmqplibMessageLike {
  readonly content: Uint8Array;
  /** Delivery information (exchange, routing key, …); not part of an envelope. */
  readonly fields?: unknown;
  readonly properties: AmqplibPropertiesLike;
}

/** Options for publishing; assignable to `Options.Publish` of amqplib. */
export interface AmqplibProperties {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly correlationId?: string;
  readonly replyTo?: string;
  /** Milliseconds, as a string. */
  readonly expiration?: string;
  readonly messageId?: string;
  readonly type?: string;
  readonly deliveryMode?: number;
  readonly priority?: number;
  /** Seconds since 1970. */
  readonly timestamp?: number;
  readonly userId?: string;
  readonly appId?: string;
  readonly clusterId?: string;
}

/** The arguments of `channel.publish(exchange, routingKey, content, properties)`. */
export interface AmqplibMessage {
  readonly content: Buffer;
  readonly properties: AmqplibProperties;
}

/** The broker properties that AMQP 0-9-1 lacks, and the headers that hold them. */
export const brokerHeaders = [
  ["partitionKey", "sobre-partition-key"],
  ["replyToSessionId", "sobre-reply-to-session-id"],
  ["scheduledEnqueueTimeUtc", "sobre-scheduled-enqueue-time-utc"],
  ["sessionId", "sobre-session-id"],
  ["to", "sobre-to"],
  ["viaPartitionKey", "sobre-via-partition-key"],
] as const;

/** The basic properties that an envelope lacks, and the application properties that hold them. */
export const basicProperties = [
  ["appId", "sobre-app-id"],
  ["clusterId", "sobre-cluster-id"],
  ["deliveryMode", "sobre-delivery-mode"],
  ["expiration", "sobre-expiration"],
  ["priority", "sobre-priority"],
  ["timestamp", "sobre-timestamp"],
  ["userId", "sobre-user-id"],
] as const;
