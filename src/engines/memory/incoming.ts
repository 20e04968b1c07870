import type { Envelope } from "../../envelope/envelope.ts";
import { sizeOfEnvelope } from "../../envelope/size-of.ts";
import type { DeadLetterMark } from "../../broker/dead-letter.ts";
import { type Holder, takenFrom } from "./handed-envelope.ts";
import type { QueuedMessage } from "./queued-message.ts";

/** A message on its way into an entity. */
export interface Incoming {
  readonly envelope: Envelope;
  /** Bytes of the envelope. */
  readonly size: number;
  /** How often it has been forwarded on this way. */
  readonly hops: number;
  /** The number on the entity that accepted it first. */
  readonly enqueuedSequenceNumber: bigint | undefined;
  /** Why and where it was dead-lettered, when it comes from a dead-letter queue. */
  readonly deadLetter: DeadLetterMark | undefined;
}

/** The same message with another envelope. */
export const changed = (incoming: Incoming, envelope: Envelope): Incoming =>
  envelope === incoming.envelope ? incoming : { ...incoming, envelope, size: sizeOfEnvelope(envelope) };

/** A message as a sender hands it in. */
export function sent(holder: Holder, given: Envelope): Incoming {
  return {
    envelope: takenFrom(holder, given),
    size: sizeOfEnvelope(given),
    hops: 0,
    enqueuedSequenceNumber: undefined,
    deadLetter: undefined,
  };
}

/** A message that has left a queue, on its way into another; `number` is the one it had there. */
export const moved = (message: QueuedMessage, number: bigint): Incoming => ({
  envelope: message.envelope,
  size: message.size,
  hops: 0,
  enqueuedSequenceNumber: message.enqueuedSequenceNumber ?? number,
  deadLetter: message.deadLetter,
});
