/** The names of message annotations that brokers and clients of Azure Service Bus use. */
export const annotationName = {
  partitionKey: "x-opt-partition-key",
  viaPartitionKey: "x-opt-via-partition-key",
  scheduledEnqueueTimeUtc: "x-opt-scheduled-enqueue-time",
  sequenceNumber: "x-opt-sequence-number",
  enqueuedTimeUtc: "x-opt-enqueued-time",
  lockedUntilUtc: "x-opt-locked-until",
  enqueuedSequenceNumber: "x-opt-enqueue-sequence-number",
  state: "x-opt-message-state",
  deadLetterSource: "x-opt-deadletter-source",
} as const;

/** The delivery annotation of a locked message. */
export const lockTokenAnnotation = "x-opt-lock-token";

/** The annotations that are written from an envelope or a delivery, and never carried over from a received message. */
export const writtenAnnotations: ReadonlySet<string> = new Set(Object.values(annotationName));
