import type { LockToken, MessageState } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { DeadLetterMark } from "../policy/dead-letter.ts";
import { noteStored, noteUnstored, withoutHeldPayload } from "./bytes/stored-envelope.ts";
import type { Arrival, Incoming } from "../policy/incoming.ts";
import type { Linked, LinkedList } from "../../core/time/linked-list.ts";
import type { TimedEvent } from "./timeline.ts";

/** A lock on one message, held by a connection and linked into the list of its locks. */
export interface MessageLock extends Linked<MessageLock> {
  readonly message: QueuedMessage;
  readonly token: LockToken;
  /** Its index in the {@link LockTable}. */
  readonly slot: number;
  /** Milliseconds since 1970. */
  until: number;
  /** All locks of the same connection; closing the connection releases them. */
  readonly held: LinkedList<MessageLock>;
  /** The open transaction that settles the message, if one does. */
  transaction: object | undefined;
  /** Whether a transaction has settled the message, and may have been rolled back. */
  wasSettled: boolean;
}

/** A message that was in its queue before a restart; its envelope stays in the store. */
export interface StoredArrival extends Omit<Arrival<bigint>, "envelope"> {
  readonly envelope: undefined;
  readonly sessionId: string | undefined;
}

/** Where a message waits for delivery. */
export interface WaitingPlace {
  /** The session id, if this is the place of a session's messages. */
  readonly sessionId: string | undefined;
  /** Adds a message that has just arrived. */
  append(message: QueuedMessage): void;
  /** Returns a message that was taken to its place near the front. */
  giveBack(message: QueuedMessage): void;
  /** Removes a ready message; does nothing to others. */
  remove(message: QueuedMessage): void;
  /** Serves the waiting receives. */
  wake(): void;
  /** Handles the end of a message's lock or time to live, or its scheduled time. */
  messageDue(message: QueuedMessage, now: number): void;
}

/** The position of a message that has left its queue. */
const gone = -1;

/** The {@link QueuedMessage.readyIndex} of a message that is not ready. */
export const notReady = -1;

/** The {@link QueuedMessage.readyIndex} of a message among those never delivered, which are in a list. */
export const fresh = -2;

/** The time of the first message; times relative to it fit small integers for 24 days. */
let epoch: number | undefined;

const states: readonly MessageState[] = ["active", "deferred", "scheduled"];

const passing = 4;

/** The history of a message that was in another queue before. */
type Past = Pick<Arrival<bigint>, "enqueuedSequenceNumber" | "deadLetter">;

/**
 * An envelope in a queue with the broker's bookkeeping. It is its own timeline item and list node, to be a single
 * object. There may be millions: a field costs 8 bytes, a number that is not a small integer 16 more, and private methods
 * together as much as a field.
 */
export class QueuedMessage implements TimedEvent, Linked<QueuedMessage> {
  readonly place: WaitingPlace;
  /** The session id that the sender set. */
  readonly sessionId: string | undefined;
  #envelope: Envelope | undefined;
  /** Milliseconds since {@link epoch}. */
  readonly #enqueuedAfter: number;
  /** `undefined` means never, the usual case. */
  readonly #timeToLive: number | undefined;
  deliveryCount: number;
  /** Most messages have none. */
  readonly #past: Past | undefined;
  /** Bits: two for the state, one for whether the envelope is about to leave memory, the rest for the partition. */
  #marks = 0;
  lock: MessageLock | undefined = undefined;
  /** Its ordinal in its partition's {@link SequenceLog}. */
  ordinal = 0;
  /** Its position in order of arrival; with a store, its record number there. */
  position = 0;
  /** Bytes of the envelope. */
  size: number;
  /** Its position in the heap of messages to redeliver, or {@link fresh} or {@link notReady}; written by its lane. */
  readyIndex: number = notReady;
  previous: QueuedMessage | undefined = undefined;
  next: QueuedMessage | undefined = undefined;
  dueIndex = -1;

  constructor(place: WaitingPlace, arrival: Arrival<bigint> | StoredArrival) {
    this.place = place;
    // A separate string would take memory for every message.
    const { sessionId } = arrival.envelope === undefined ? arrival : arrival.envelope.brokerProperties;
    this.sessionId = place.sessionId ?? sessionId;
    this.size = arrival.size;
    if (arrival.envelope !== undefined) {
      this.#envelope = withoutHeldPayload(arrival.envelope);
      noteStored(arrival.envelope);
    }
    epoch ??= arrival.enqueuedAt;
    this.#enqueuedAfter = arrival.enqueuedAt - epoch;
    this.#timeToLive = arrival.expiresAt === Infinity ? undefined : arrival.expiresAt - arrival.enqueuedAt;
    this.deliveryCount = arrival.deliveryCount;
    const { enqueuedSequenceNumber, deadLetter } = arrival;
    const isFirst = enqueuedSequenceNumber === undefined && deadLetter === undefined;
    this.#past = isFirst ? undefined : { enqueuedSequenceNumber, deadLetter };
  }

  /** Milliseconds since 1970. */
  get enqueuedAt(): number {
    return (epoch ?? 0) + this.#enqueuedAfter;
  }

  /** Milliseconds since 1970; `Infinity` means never. */
  get expiresAt(): number {
    return this.#timeToLive === undefined ? Infinity : this.enqueuedAt + this.#timeToLive;
  }

  get state(): MessageState {
    return states[this.#marks & 3] ?? "active";
  }

  set state(state: MessageState) {
    this.#marks = (this.#marks & ~3) | states.indexOf(state);
  }

  get partition(): number {
    return this.#marks >> 3;
  }

  set partition(partition: number) {
    this.#marks = (partition << 3) | (this.#marks & 7);
  }

  /** The sequence number on the entity that accepted it first; `undefined` means the number here. */
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
    if (!this.isGone) noteStored(envelope);
    QueuedMessage.#forget(this);
    this.#envelope = withoutHeldPayload(envelope);
  }

  /** Whether the envelope is in memory; always true without a store. */
  get isLoaded(): boolean {
    return this.#envelope !== undefined;
  }

  /** Marks the envelope as about to leave memory: its bytes need no place among those of messages that stay. */
  pass(): void {
    QueuedMessage.#forget(this);
    this.#marks |= passing;
  }

  /** Marks an envelope that was about to leave memory as staying. */
  stay(): void {
    if ((this.#marks & passing) === 0) return;
    this.#marks &= ~passing;
    if (this.#envelope !== undefined && !this.isGone) noteStored(this.#envelope);
  }

  /** Leaves the envelope to the store. */
  unload(): void {
    QueuedMessage.#forget(this);
    this.#envelope = undefined;
  }

  /** Whether it has left its queue for good. */
  get isGone(): boolean {
    return this.position === gone;
  }

  leave(): void {
    QueuedMessage.#forget(this);
    this.position = gone;
  }

  /** The envelope is no longer stored. */
  static #forget(message: QueuedMessage): void {
    const isPassing = (message.#marks & passing) !== 0;
    message.#marks &= ~passing;
    if (message.#envelope !== undefined && !message.isGone && !isPassing) noteUnstored(message.#envelope);
  }

  due(now: number): void {
    this.place.messageDue(this, now);
  }
}

/** A message on its way out of a queue, where `number` is its sequence number. */
export const moved = (message: QueuedMessage, number: bigint): Incoming<bigint> => ({
  envelope: message.envelope,
  size: message.size,
  hops: 0,
  enqueuedSequenceNumber: message.enqueuedSequenceNumber ?? number,
  deadLetter: message.deadLetter,
});
