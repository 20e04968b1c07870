import type { Delivery, LockToken, MessageState } from "../../engine/delivery.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import { sizeOf } from "../../envelope/size-of.ts";
import type { Arrival, DeadLetterMark, StoredArrival } from "./arrival.ts";
import type { Linked, LinkedList } from "../../time/linked-list.ts";
import type { Due } from "./timeline.ts";

/** A lock on one message, held by a connection; in the list of those that the connection holds. */
export interface MessageLock extends Linked<MessageLock> {
  readonly message: QueuedMessage;
  readonly token: LockToken;
  /** Its place in the {@link LockTable}. */
  readonly slot: number;
  /** Milliseconds since 1970. */
  until: number;
  /** All locks of the connection that took it; its end releases them. */
  readonly held: LinkedList<MessageLock>;
  /** The open transaction that settles the message, if one does. */
  transaction: object | undefined;
}

/** Where a message waits for its delivery. */
export interface Place {
  /** Adds a message that has just arrived. */
  append(message: QueuedMessage): void;
  /** Puts a message that was taken back to its place near the front. */
  giveBack(message: QueuedMessage): void;
  /** Takes a ready message out; does nothing to others. */
  remove(message: QueuedMessage): void;
  /** Has the receives served that wait. */
  wake(): void;
  /** Handles the end of a message's lock, waiting time or time to live. */
  messageDue(message: QueuedMessage, now: number): void;
}

/** The position of a message that has left its queue. */
const gone = -1;

/** An envelope in a queue with the broker's bookkeeping: one object, on the timeline by itself, in its lane by its own links. */
export class QueuedMessage implements Due, Linked<QueuedMessage> {
  readonly place: Place;
  /** The session it belongs to, by the sender's word. */
  readonly sessionId: string | undefined;
  #envelope: Envelope | undefined;
  enqueuedAt: number;
  expiresAt: number;
  deliveryCount: number;
  readonly enqueuedSequenceNumber: bigint | undefined;
  readonly deadLetter: DeadLetterMark | undefined;
  state: MessageState = "active";
  lock: MessageLock | undefined = undefined;
  /** Its place in its partition's {@link SequenceLog}. */
  ordinal = 0;
  /** Its place in the order of arrival; with a store its number there. */
  position = 0;
  partition = 0;
  /** Bytes of the envelope. */
  size: number;
  /** Whether it is ready for delivery. */
  ready = false;
  /** Its place in the heap of those given back, -1 while it has none. */
  returnedIndex = -1;
  previous: QueuedMessage | undefined = undefined;
  next: QueuedMessage | undefined = undefined;
  dueIndex = -1;

  constructor(place: Place, arrival: Arrival | StoredArrival) {
    this.place = place;
    this.#envelope = arrival.envelope;
    if (arrival.envelope === undefined) {
      this.sessionId = arrival.sessionId;
      this.size = arrival.size;
    } else {
      this.sessionId = arrival.envelope.brokerProperties.sessionId;
      this.size = arrival.size ?? sizeOf(arrival.envelope);
    }
    this.enqueuedAt = arrival.enqueuedAt;
    this.expiresAt = arrival.expiresAt;
    this.deliveryCount = arrival.deliveryCount;
    this.enqueuedSequenceNumber = arrival.enqueuedSequenceNumber;
    this.deadLetter = arrival.deadLetter;
  }

  /** In memory unless {@link isLoaded} says otherwise. */
  get envelope(): Envelope {
    if (this.#envelope === undefined) throw new RangeError("The envelope is in the store.");
    return this.#envelope;
  }

  set envelope(envelope: Envelope) {
    this.#envelope = envelope;
  }

  /** Whether the envelope is in memory, as it always is without a store. */
  get isLoaded(): boolean {
    return this.#envelope !== undefined;
  }

  /** Leaves the envelope to the store. */
  unload(): void {
    this.#envelope = undefined;
  }

  /** Whether it has left its queue for good. */
  get isGone(): boolean {
    return this.position === gone;
  }

  leave(): void {
    this.position = gone;
  }

  due(now: number): void {
    this.place.messageDue(this, now);
  }
}

/** A message as a receiver or a browser sees it. */
export function toDelivery(
  message: QueuedMessage,
  envelope: Envelope,
  sequenceNumber: bigint,
  lock: MessageLock | undefined,
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
