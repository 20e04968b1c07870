import type { BrokerProperties, ReadOnlyProperty } from "./broker-properties.ts";

/** Where AMQP 1.0 carries a broker property; `index` is the position of a field in its section's list. */
type AmqpPlace =
  | { readonly section: "header" | "properties"; readonly name: string; readonly index: number }
  | {
      readonly section: "message-annotations" | "delivery-annotations" | "application-properties";
      readonly name: string;
    };

/** A broker property that a sender may set. */
export interface SettableRow {
  readonly property: keyof BrokerProperties;
  readonly settable: true;
  /** `key` is a string of at most 128 characters; `span` is in milliseconds here and in seconds over HTTP. */
  readonly type: "text" | "id" | "key" | "time" | "span";
  readonly amqp: AmqpPlace;
  /** Its member of the `BrokerProperties` header; `undefined` if HTTP has a separate header. */
  readonly http: string | undefined;
}

/** A broker property that only the broker sets. */
interface ReadOnlyRow {
  readonly property: ReadOnlyProperty;
  readonly settable: false;
  readonly type: "text" | "time" | "count" | "number" | "state" | "token";
  readonly amqp: AmqpPlace;
  readonly http: string | undefined;
}

/** One broker property with all its names. */
export type BrokerPropertyRow = SettableRow | ReadOnlyRow;

// prettier-ignore
/** Every broker property: its name here, who sets it, its type, its place in AMQP and its name over HTTP. */
export const brokerPropertyTable: readonly BrokerPropertyRow[] = [
  { property: "messageId", settable: true, type: "id", amqp: { section: "properties", name: "message-id", index: 0 }, http: "MessageId" },
  { property: "to", settable: true, type: "text", amqp: { section: "properties", name: "to", index: 2 }, http: "To" },
  { property: "subject", settable: true, type: "text", amqp: { section: "properties", name: "subject", index: 3 }, http: "Label" },
  { property: "replyTo", settable: true, type: "text", amqp: { section: "properties", name: "reply-to", index: 4 }, http: "ReplyTo" },
  { property: "correlationId", settable: true, type: "id", amqp: { section: "properties", name: "correlation-id", index: 5 }, http: "CorrelationId" },
  { property: "contentType", settable: true, type: "text", amqp: { section: "properties", name: "content-type", index: 6 }, http: "ContentType" },
  { property: "contentEncoding", settable: true, type: "text", amqp: { section: "properties", name: "content-encoding", index: 7 }, http: "ContentEncoding" },
  { property: "sessionId", settable: true, type: "key", amqp: { section: "properties", name: "group-id", index: 10 }, http: "SessionId" },
  { property: "replyToSessionId", settable: true, type: "key", amqp: { section: "properties", name: "reply-to-group-id", index: 12 }, http: "ReplyToSessionId" },
  { property: "timeToLive", settable: true, type: "span", amqp: { section: "header", name: "ttl", index: 2 }, http: "TimeToLive" },
  { property: "partitionKey", settable: true, type: "key", amqp: { section: "message-annotations", name: "x-opt-partition-key" }, http: "PartitionKey" },
  { property: "viaPartitionKey", settable: true, type: "key", amqp: { section: "message-annotations", name: "x-opt-via-partition-key" }, http: "ViaPartitionKey" },
  { property: "scheduledEnqueueTimeUtc", settable: true, type: "time", amqp: { section: "message-annotations", name: "x-opt-scheduled-enqueue-time" }, http: "ScheduledEnqueueTimeUtc" },
  { property: "deliveryCount", settable: false, type: "count", amqp: { section: "header", name: "delivery-count", index: 4 }, http: "DeliveryCount" },
  { property: "expiresAtUtc", settable: false, type: "time", amqp: { section: "properties", name: "absolute-expiry-time", index: 8 }, http: "ExpiresAtUtc" },
  { property: "sequenceNumber", settable: false, type: "number", amqp: { section: "message-annotations", name: "x-opt-sequence-number" }, http: "SequenceNumber" },
  { property: "enqueuedSequenceNumber", settable: false, type: "number", amqp: { section: "message-annotations", name: "x-opt-enqueue-sequence-number" }, http: "EnqueuedSequenceNumber" },
  { property: "enqueuedTimeUtc", settable: false, type: "time", amqp: { section: "message-annotations", name: "x-opt-enqueued-time" }, http: "EnqueuedTimeUtc" },
  { property: "lockedUntilUtc", settable: false, type: "time", amqp: { section: "message-annotations", name: "x-opt-locked-until" }, http: "LockedUntilUtc" },
  { property: "lockToken", settable: false, type: "token", amqp: { section: "delivery-annotations", name: "x-opt-lock-token" }, http: "LockToken" },
  { property: "state", settable: false, type: "state", amqp: { section: "message-annotations", name: "x-opt-message-state" }, http: "State" },
  { property: "deadLetterSource", settable: false, type: "text", amqp: { section: "message-annotations", name: "x-opt-deadletter-source" }, http: "DeadLetterSource" },
  { property: "deadLetterReason", settable: false, type: "text", amqp: { section: "application-properties", name: "DeadLetterReason" }, http: undefined },
  { property: "deadLetterErrorDescription", settable: false, type: "text", amqp: { section: "application-properties", name: "DeadLetterErrorDescription" }, http: undefined },
];

/** The rows of the properties that a sender may set. */
export const settableRows: readonly SettableRow[] = brokerPropertyTable.filter((row) => row.settable);

/** The HTTP name of each property that has one. */
export const httpNames: ReadonlyMap<keyof BrokerProperties | ReadOnlyProperty, string> = new Map(
  brokerPropertyTable.flatMap(({ property, http }) => (http === undefined ? [] : [[property, http]])),
);
