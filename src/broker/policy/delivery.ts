import type { Delivery, LockToken, MessageState } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { Arrival } from "./incoming.ts";

/** The broker's bookkeeping of a message in a queue. */
export interface QueuedFacts extends Pick<
  Arrival<bigint>,
  "deadLetter" | "deliveryCount" | "enqueuedAt" | "enqueuedSequenceNumber" | "expiresAt"
> {
  readonly state: MessageState;
}

/** A message as a receiver sees it or, without a lock, as peek returns it. */
export function deliveryOf(
  message: QueuedFacts,
  envelope: Envelope,
  sequenceNumber: bigint,
  lock: { readonly token: LockToken; readonly until: number } | undefined,
): Delivery {
  return {
    envelope,
    lockToken: lock?.token,
    lockedUntilUtc: lock === undefined ? undefined : new Date(lock.until),
    sequenceNumber,
    enqueuedSequenceNumber: message.enqueuedSequenceNumber ?? sequenceNumber,
    enqueuedTimeUtc: new Date(message.enqueuedAt),
    expiresAtUtc: message.expiresAt === Infinity ? undefined : new Date(message.expiresAt),
    deliveryCount: message.deliveryCount,
    state: message.state,
    deadLetterSource: message.deadLetter?.source,
    deadLetterReason: message.deadLetter?.reason,
    deadLetterErrorDescription: message.deadLetter?.description,
  };
}
