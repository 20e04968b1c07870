import type { Envelope } from "../../core/envelope/envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import type { SendableSettings } from "../../core/engine/entity-settings.ts";
import type { DeadLetterMark } from "./dead-letter.ts";
import { duplicateKey } from "./duplicate-key.ts";
import { partitionKeyOf } from "./partitions.ts";
import { assignedIdSize, withMessageId } from "./relabelled-envelope.ts";

/** A message on its way into an entity. `Sequence` is a sequence number, or what will be one. */
export interface Incoming<Sequence> {
  readonly envelope: Envelope;
  /** Bytes of the envelope. */
  readonly size: number;
  /** How often it has been forwarded so far. */
  readonly hops: number;
  /** The sequence number on the entity that accepted it first. */
  readonly enqueuedSequenceNumber: Sequence | undefined;
  /** Why and where it was dead-lettered, when it comes from a dead-letter queue. */
  readonly deadLetter: DeadLetterMark | undefined;
}

/** A message as it enters a queue. */
export interface Arrival<Sequence> {
  readonly envelope: Envelope;
  /** Bytes of the envelope. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number;
  /** Milliseconds since 1970; `Infinity` means never. */
  readonly expiresAt: number;
  readonly deliveryCount: number;
  /** The sequence number on the entity that accepted it first; `undefined` means the number here. */
  readonly enqueuedSequenceNumber: Sequence | undefined;
  readonly deadLetter: DeadLetterMark | undefined;
}

/** The same message with another envelope. */
export const changed = <Sequence>(incoming: Incoming<Sequence>, envelope: Envelope): Incoming<Sequence> =>
  envelope === incoming.envelope ? incoming : { ...incoming, envelope, size: sizeOfEnvelope(envelope) };

/** The message with an id: that of its sender, or a new one. */
export function identified<Sequence>(incoming: Incoming<Sequence>): Incoming<Sequence> {
  const envelope = withMessageId(incoming.envelope);
  return envelope === incoming.envelope ? incoming : { ...incoming, envelope, size: incoming.size + assignedIdSize };
}

/** Text that is equal for duplicates of a message in an entity; `undefined` where duplicates are not looked for. */
export function duplicateKeyIn(settings: SendableSettings, envelope: Envelope): string | undefined {
  if (!settings.requiresDuplicateDetection) return undefined;
  const key = settings.enablePartitioning ? partitionKeyOf(envelope) : undefined;
  return duplicateKey(envelope.brokerProperties.messageId ?? "", key);
}

/** When a message becomes active, in milliseconds since 1970; `now` unless it is scheduled for later. */
export const activeAt = ({ envelope }: Pick<Incoming<unknown>, "envelope">, now: number): number =>
  Math.max(envelope.brokerProperties.scheduledEnqueueTimeUtc?.getTime() ?? now, now);

/** A message as it enters a queue to wait there for its scheduled time. */
export const scheduledArrival = <Sequence>(incoming: Incoming<Sequence>, now: number): Arrival<Sequence> => ({
  envelope: incoming.envelope,
  size: incoming.size,
  enqueuedAt: now,
  expiresAt: Infinity,
  deliveryCount: 0,
  enqueuedSequenceNumber: incoming.enqueuedSequenceNumber,
  deadLetter: undefined,
});
