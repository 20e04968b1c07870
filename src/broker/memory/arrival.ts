import type { DeadLetterMark } from "../policy/dead-letter.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";

/** A message as it enters a queue. */
export interface Arrival {
  readonly envelope: Envelope;
  /** Bytes of the envelope, if known. */
  readonly size?: number;
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number;
  /** Milliseconds since 1970; `Infinity` means never. */
  readonly expiresAt: number;
  readonly deliveryCount: number;
  /** The sequence number on the entity that accepted it first; `undefined` means the number here. */
  readonly enqueuedSequenceNumber: bigint | undefined;
  readonly deadLetter: DeadLetterMark | undefined;
}

/** A message that was in its queue before a restart; its envelope stays in the store. */
export interface StoredArrival extends Omit<Arrival, "envelope"> {
  readonly envelope: undefined;
  readonly size: number;
  readonly sessionId: string | undefined;
}
