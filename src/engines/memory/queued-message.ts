import type { Delivery, LockToken, MessageState } from "../../engine/delivery.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import { sizeOf } from "../../envelope/size-of.ts";
import type { Lane } from "./lane.ts";
import type { Due } from "./timeline.ts";

/** A lock on one message, held by a connection. */
export interface MessageLock {
  readonly token: LockToken;
  /** Its place in the {@link LockTable}. */
  readonly slot: number;
  /** Milliseconds since 1970. */
  until: number;
  /** The connection that took it; its end releases the lock. */
  readonly holder: object;
  /** The open transaction that settles the message, if one does. */
  transaction: object | undefined;
}

/** Why and where a message was dead-lettered. */
export interface DeadLetterMark {
  readonly reason: string | undefined;
  readonly description: string | undefined;
  /** The entity it came from, when it was forwarded from that entity's dead-letter queue. */
  readonly source: string | undefined;
}

/** What a message is queued with. */
export interface Arrival {
  readonly envelope: Envelope;
  /** Bytes of the envelope, where they are known. */
  readonly size?: number;
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number;
  /** Milliseconds since 1970; `Infinity` is never. */
  readonly expiresAt: number;
  readonly deliveryCount: number;
  /** The number on the entity that accepted it first; `undefined` is this one. */
  readonly enqueuedSequenceNumber: bigint | undefined;
  readonly deadLetter: DeadLetterMark | undefined;
}

/** An envelope in a queue with the broker's bookkeeping: one object, on the timeline by itself, in its lane by its own links. */
export class QueuedMessage implements Due {
  envelope: Envelope;
  readonly lane: Lane;
  enqueuedAt: number;
  expiresAt: number;
  deliveryCount: number;
  readonly enqueuedSequenceNumber: bigint | undefined;
  readonly deadLetter: DeadLetterMark | undefined;
  state: MessageState = "active";
  lock: MessageLock | undefined = undefined;
  /** Its place in its partition's {@link SequenceLog}. */
  ordinal = 0;
  /** Its place in the order of arrival of the whole queue. */
  position = 0;
  partition = 0;
  /** Bytes of the envelope. */
  size: number;
  /** Whether it lies ready in its lane: among those never delivered, among those given back, or not. */
  ready: "fresh" | "returned" | undefined = undefined;
  previous: QueuedMessage | undefined = undefined;
  next: QueuedMessage | undefined = undefined;
  dueIndex = -1;

  constructor(lane: Lane, arrival: Arrival) {
    this.lane = lane;
    this.envelope = arrival.envelope;
    this.size = arrival.size ?? sizeOf(arrival.envelope);
    this.enqueuedAt = arrival.enqueuedAt;
    this.expiresAt = arrival.expiresAt;
    this.deliveryCount = arrival.deliveryCount;
    this.enqueuedSequenceNumber = arrival.enqueuedSequenceNumber;
    this.deadLetter = arrival.deadLetter;
  }

  due(now: number): void {
    this.lane.queue.messageDue(this, now);
  }
}

/** What a receiver or a browser gets to see of a message. */
export function toDelivery(message: QueuedMessage, sequenceNumber: bigint, lock: MessageLock | undefined): Delivery {
  return {
    envelope: message.envelope,
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
