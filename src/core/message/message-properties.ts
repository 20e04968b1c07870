/**
 * The names of the application properties that sobre gives a meaning; a migration adds `sourceProperties`.
 *
 * @example
 * ```ts
 * const order = { body: { id: "A-1" }, applicationProperties: { [messageProperties.type]: "shop.Order" } };
 * console.log(order.applicationProperties); // { 'sobre-type': 'shop.Order' }
 * ```
 */
export const messageProperties = {
  /** The name of the message type. */
  type: "sobre-type",
  /** The version of the message type, a whole number. */
  version: "sobre-version",
  /** The sender's schema id, kept by the registry stage. */
  schemaId: "sobre-schema-id",
  /** The traceparent, as older Azure SDKs carry it. */
  diagnosticId: "Diagnostic-Id",
  /** The key id of an encrypted payload. */
  keyId: "sobre-key-id",
  /** The body kind of an encrypted payload, unless that is `data`. */
  bodyKind: "sobre-body-kind",
  /** On a dead letter: every attempt to read it, as JSON. */
  attempts: "sobre-attempts",
  /** Why the last handler failed; the dead letter keeps it. */
  failure: "sobre-failure",
  /** The immediate retries of a message in its round. */
  immediateRetries: "sobre-immediate-retries",
  /** The delayed retries of a message. */
  delayedRetries: "sobre-delayed-retries",
  /** The id of the timer that a message of a session waits for, on both. */
  retryTimer: "sobre-retry-timer",
  /** On a timer: the message that waits for it. */
  retryOf: "sobre-retry-of",
  /**
   * Connects a dead letter with its session, which waits until the dead letter is re-driven: on the dead letter, and on a
   * message of the session that is scheduled for a time that never comes.
   */
  hold: "sobre-hold",
  /** On a timer that ends a hold once its message is gone. */
  release: "sobre-release",
  /** How often a message was re-driven. */
  redriveCount: "sobre-redrives",
  /** The id of a re-drive that has to recognise the message if it comes back. */
  redriveId: "sobre-redrive",
  /** On a reply: the code with which the responder failed. */
  fault: "sobre-fault",
  /** On a reply: what the responder says of its failure. */
  faultMessage: "sobre-fault-message",
} as const;
