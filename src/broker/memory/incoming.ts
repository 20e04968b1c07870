import type { Envelope } from "../../core/envelope/envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import type { DeadLetterMark } from "../policy/dead-letter.ts";
import { type Holder, takenFrom } from "./bytes/handed-envelope.ts";
import type { QueuedMessage } from "./queued-message.ts";

/** A message on its way into an entity. */
export interface Incoming {
  readonly envelope: Envelope;
  /** Bytes of the envelope. */
  readonly size: number;
  /** How often it has been forwarded so far. */
  readonly hops: number;
  /** The sequence number on the entity that accepted it first. */
  readonly enqueuedSequenceNumber: bigint | undefined;
  /** Why and where it was dead-lettered, when it comes from a dead-letter queue. */
  readonly deadLetter: DeadLetterMark | undefined;
}

/** The same message with another envelope. */
export const changed = (incoming: Incoming, envelope: Envelope): Incoming =>
  envelope === incoming.envelope ? incoming : { ...incoming, envelope, size: sizeOfEnvelope(envelope) };

/** A message as sent. */
export function sent(holder: Holder, given: Envelope): Incoming {
  return {
    envelope: takenFrom(holder, given),
    size: sizeOfEnvelope(given),
    hops: 0,
    enqueuedSequenceNumber: undefined,
    deadLetter: undefined,
  };
}

/** A message that has left one queue and is on its way into another; `number` is its sequence number in the old queue. */
export const moved = (message: QueuedMessage, number: bigint): Incoming => ({
  envelope: message.envelope,
  size: message.size,
  hops: 0,
  enqueuedSequenceNumber: message.enqueuedSequenceNumber ?? number,
  deadLetter: message.deadLetter,
});
