/** The reasons that a client gives when it dead-letters a message; brokers have their own, e.g. `TTLExpiredException`. */
export const deadLetterReasons = {
  /** No codec could read the payload. */
  unreadable: "Unreadable",
  /** The handler failed in every retry. */
  retriesExhausted: "RetriesExhausted",
  /** The handler failed with an error that is not retried. */
  notRetryable: "NotRetryable",
  /** The message came before the start of its workflow, after its end, or with another subject. */
  workflowOutOfOrder: "WorkflowOutOfOrder",
  /** A request failed, and the requester has the fault. */
  requestFailed: "RequestFailed",
} as const;
