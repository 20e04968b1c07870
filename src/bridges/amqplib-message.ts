/** The basic properties of a message as amqplib gives them (AMQP 0-9-1 section 1.8); all may be absent. */
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

/** The parts of an amqplib message that are read, declared here so that its types are not needed. */
export interface AmqplibMessageLike {
  readonly content: Uint8Array;
  /** How it was delivered (exchange, routing key, …); not part of an envelope. */
  readonly fields?: unknown;
  readonly properties: AmqplibPropertiesLike;
}

/** The options to publish with; assignable to `Options.Publish` of amqplib. */
export interface AmqplibProperties {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly correlationId?: string;
  readonly replyTo?: string;
  /** Milliseconds as text. */
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

/** The broker properties for which AMQP 0-9-1 has no place, and the headers that hold them. */
export const brokerHeaders = [
  ["partitionKey", "sobre-partition-key"],
  ["replyToSessionId", "sobre-reply-to-session-id"],
  ["scheduledEnqueueTimeUtc", "sobre-scheduled-enqueue-time-utc"],
  ["sessionId", "sobre-session-id"],
  ["to", "sobre-to"],
  ["viaPartitionKey", "sobre-via-partition-key"],
] as const;

/** The basic properties for which an envelope has no place, and the application properties that hold them. */
export const basicProperties = [
  ["appId", "sobre-app-id"],
  ["clusterId", "sobre-cluster-id"],
  ["deliveryMode", "sobre-delivery-mode"],
  ["expiration", "sobre-expiration"],
  ["priority", "sobre-priority"],
  ["timestamp", "sobre-timestamp"],
  ["userId", "sobre-user-id"],
] as const;
