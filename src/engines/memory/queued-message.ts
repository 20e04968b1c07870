import type { Delivery, LockToken, MessageState } from "../../engine/delivery.ts";
import { type Envelope, storedOriginOf, withoutHeldPayload } from "../../envelope/envelope.ts";
import { sizeOfEnvelope } from "../../envelope/size-of.ts";
import type { DeadLetterMark } from "../../broker/dead-letter.ts";
import type { Arrival, StoredArrival } from "./arrival.ts";
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

/** The {@link QueuedMessage.readyIndex} of a message that is not ready. */
export const notReady = -1;

/** The {@link QueuedMessage.readyIndex} of a message among those never delivered, which are in a list. */
export const fresh = -2;

/** The way of a message that was in another queue before. */
type Past = Pick<Arrival, "enqueuedSequenceNumber" | "deadLetter">;

/**
 * An envelope in a queue with the broker's bookkeeping: one object, on the timeline by itself, in its lane by its own
 * links. There may be millions: a field costs 8 bytes, a number that is not a small integer 16 more.
 */
export class QueuedMessage implements Due, Linked<QueuedMessage> {
  readonly place: Place;
  /** The session it belongs to, by the sender's word. */
  readonly sessionId: string | undefined;
  #envelope: Envelope | undefined;
  enqueuedAt: number;
  /** None is never, as it mostly is. */
  readonly #expiresAt: number | undefined;
  deliveryCount: number;
  /** Most messages have none. */
  readonly #past: Past | undefined;
  state: MessageState = "active";
  lock: MessageLock | undefined = undefined;
  /** Its place in its partition's {@link SequenceLog}. */
  ordinal = 0;
  /** Its place in the order of arrival; with a store its number there. */
  position = 0;
  partition = 0;
  /** Bytes of the envelope. */
  size: number;
  /** Its position in the heap of messages to redeliver, or {@link fresh} or {@link notReady}; written by its lane. */
  readyIndex: number = notReady;
  previous: QueuedMessage | undefined = undefined;
  next: QueuedMessage | undefined = undefined;
  dueIndex = -1;

  constructor(place: Place, arrival: Arrival | StoredArrival) {
    this.place = place;
    if (arrival.envelope === undefined) {
      this.sessionId = arrival.sessionId;
      this.size = arrival.size;
    } else {
      this.#envelope = withoutHeldPayload(arrival.envelope);
      this.sessionId = arrival.envelope.brokerProperties.sessionId;
      this.size = arrival.size ?? sizeOfEnvelope(arrival.envelope);
      storedOriginOf(arrival.envelope)?.stored();
    }
    this.enqueuedAt = arrival.enqueuedAt;
    this.#expiresAt = arrival.expiresAt === Infinity ? undefined : arrival.expiresAt;
    this.deliveryCount = arrival.deliveryCount;
    const { enqueuedSequenceNumber, deadLetter } = arrival;
    const isFirst = enqueuedSequenceNumber === undefined && deadLetter === undefined;
    this.#past = isFirst ? undefined : { enqueuedSequenceNumber, deadLetter };
  }

  /** Milliseconds since 1970; `Infinity` is never. */
  get expiresAt(): number {
    return this.#expiresAt ?? Infinity;
  }

  /** The number on the entity that accepted it first; `undefined` is this one. */
  get enqueuedSequenceNumber(): bigint | undefined {
    return this.#past?.enqueuedSequenceNumber;
  }

  get deadLetter(): DeadLetterMark | undefined {
    return this.#past?.deadLetter;
  }

  /** Whether it is ready for delivery. */
  get ready(): boolean {
    return this.readyIndex !== notReady;
  }

  /** In memory unless {@link isLoaded} says otherwise. */
  get envelope(): Envelope {
    if (this.#envelope === undefined) throw new RangeError("The envelope is in the store.");
    return this.#envelope;
  }

  set envelope(envelope: Envelope) {
    if (!this.isGone) storedOriginOf(envelope)?.stored();
    this.#forget();
    this.#envelope = withoutHeldPayload(envelope);
  }

  /** Whether the envelope is in memory, as it always is without a store. */
  get isLoaded(): boolean {
    return this.#envelope !== undefined;
  }

  /** Leaves the envelope to the store. */
  unload(): void {
    this.#forget();
    this.#envelope = undefined;
  }

  /** Whether it has left its queue for good. */
  get isGone(): boolean {
    return this.position === gone;
  }

  leave(): void {
    this.#forget();
    this.position = gone;
  }

  /** The envelope is stored no more. */
  #forget(): void {
    if (this.#envelope !== undefined && !this.isGone) storedOriginOf(this.#envelope)?.unstored();
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
