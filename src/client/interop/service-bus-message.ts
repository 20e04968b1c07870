/**
 * The parts of an `@azure/service-bus` message that are read: a `ServiceBusReceivedMessage`, or a `ServiceBusMessage`
 * with bytes as body. Declared here so that no types of that package are needed.
 */
export interface ServiceBusMessageLike {
  /** The bytes of the payload; open the receiver with `skipParsingBodyAsJson: true`. */
  readonly body: unknown;
  readonly contentType?: string | undefined;
  readonly correlationId?: string | number | Uint8Array | undefined;
  readonly messageId?: string | number | Uint8Array | undefined;
  readonly partitionKey?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly replyToSessionId?: string | undefined;
  readonly scheduledEnqueueTimeUtc?: Date | undefined;
  readonly sessionId?: string | undefined;
  readonly subject?: string | undefined;
  readonly timeToLive?: number | undefined;
  readonly to?: string | undefined;
  readonly applicationProperties?: Readonly<Record<string, unknown>> | undefined;
  /** The sections as read by the client, with values that its own message omits. */
  readonly _rawAmqpMessage?:
    | {
        readonly bodyType?: "data" | "sequence" | "value" | undefined;
        readonly properties?: { readonly contentEncoding?: string | undefined } | undefined;
        readonly messageAnnotations?: Readonly<Record<string, unknown>> | undefined;
      }
    | undefined;
}

/** A message for the senders of `@azure/service-bus`; assignable to its `ServiceBusMessage`. */
export interface ServiceBusMessageFields {
  /** A `Buffer`, since not every version of the client recognises other byte arrays. */
  readonly body: Buffer;
  readonly contentType?: string;
  readonly correlationId?: string | number | Buffer;
  readonly messageId?: string | number | Buffer;
  readonly partitionKey?: string;
  readonly replyTo?: string;
  readonly replyToSessionId?: string;
  readonly scheduledEnqueueTimeUtc?: Date;
  readonly sessionId?: string;
  readonly subject?: string;
  readonly timeToLive?: number;
  readonly to?: string;
  readonly applicationProperties?: Readonly<Record<string, number | boolean | string | Date | null>>;
}
