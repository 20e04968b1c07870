import type { DeadLetterMark } from "../policy/dead-letter.ts";

/** The facts that travel with a message in addition to its envelope. */
export interface MessageFacts {
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number;
  /** Milliseconds since 1970; `Infinity` means never. */
  readonly expiresAt: number;
  /** Deliveries that failed before this copy was published. */
  readonly deliveryCount: number;
  /** Why it was dead-lettered; `undefined` on a message that was not. */
  readonly deadLetter: DeadLetterMark | undefined;
}

// The engine's own headers. What AMQP 0-9-1 cannot say exactly is in `sobre-exact` as JSON.
export const exactHeader = "sobre-exact";
export const enqueuedHeader = "sobre-enqueued-at";
export const expiresHeader = "sobre-expires-at";
export const countHeader = "sobre-delivery-count";
export const deadHeader = "sobre-dead-letter";
export const bodyKindHeader = "sobre-body-kind";
/** Names a message that the broker returns. */
export const publishHeader = "sobre-publish";

/** Headers that are the engine's or the broker's, and no application properties. */
export const reservedHeader: RegExp =
  /^(?:sobre-(?:exact|enqueued-at|expires-at|delivery-count|dead-letter|body-kind|publish)|x-death|x-(?:first|last)-death-\w+|x-delivery-count|f\.[a-z]\..*|CC|BCC)$/;

/** The broker properties that AMQP 0-9-1 has too, and its names for them. */
export const basicNames = [
  ["contentType", "contentType"],
  ["contentEncoding", "contentEncoding"],
  ["correlationId", "correlationId"],
  ["messageId", "messageId"],
  ["replyTo", "replyTo"],
  ["subject", "type"],
] as const;
