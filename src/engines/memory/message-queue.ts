import { type Delivery, lockToken, type LockToken, type PeekOptions } from "../../engine/index.ts";
import type { Envelope } from "../../envelope/index.ts";
import type { SobreError } from "../../errors/index.ts";
import { deadLetterEnvelope } from "./dead-letter.ts";
import { Lane } from "./lane.ts";
import { type Arrival, type DeadLetterMark, QueuedMessage, toDelivery } from "./queued-message.ts";
import type { ReceiveLink } from "./receive-link.ts";
import { lockLost, tooManyDeliveries } from "./refusals.ts";
import { SequenceLog } from "./sequence-log.ts";
import type { Timeline } from "./timeline.ts";

/** What a {@link MessageQueue} asks the entity it belongs to. */
export interface QueuePolicy {
  /** Address for error texts. */
  readonly address: string;
  /** Milliseconds. */
  readonly lockDuration: number;
  /** `Infinity` where nothing is dead-lettered, as on sub-queues. */
  readonly maxDeliveryCount: number;
  /** Takes over a message, its envelope marked, that has left the queue for the dead-letter queue. */
  deadLetter(message: QueuedMessage, mark: DeadLetterMark, now: number): void;
  /** Takes over a message that has left the queue because its time to live was over. */
  expired(message: QueuedMessage, now: number): void;
  /** Told about every message that left for good. */
  left(message: QueuedMessage): void;
}

/** The messages of one queue, subscription or sub-queue: numbers, locks, expiry and the waiting receives. */
export class MessageQueue {
  readonly policy: QueuePolicy;
  readonly timeline: Timeline;
  readonly #log = new SequenceLog({ first: 1n, bits: 64, partition: 0 });
  readonly #lane: Lane = new Lane(this);
  readonly #locked = new Map<LockToken, QueuedMessage>();
  #refusal: SobreError | undefined;
  #size = 0;
  #position = 0;

  constructor(policy: QueuePolicy, timeline: Timeline) {
    this.policy = policy;
    this.timeline = timeline;
  }

  /** Messages of every state. */
  get size(): number {
    return this.#size;
  }

  /** Appends a message. */
  enqueue(arrival: Arrival, now: number): QueuedMessage {
    const message = new QueuedMessage(this.#lane, arrival);
    message.position = this.#position++;
    this.#log.append(message);
    this.#size++;
    this.#makeReady(message, "fresh", now);
    return message;
  }

  /** Takes up to `maxMessages` ready messages for a link, locked or deleted as its mode says. */
  take(link: ReceiveLink, maxMessages: number, now: number): Delivery[] {
    const deliveries: Delivery[] = [];
    while (deliveries.length < maxMessages) {
      const message = this.#lane.shift();
      if (message === undefined) break;
      if (message.expiresAt <= now) this.#expire(message, now);
      else deliveries.push(this.#handOver(message, link, now));
    }
    return deliveries;
  }

  /** The lane that a link receives from. */
  laneOf(_link: ReceiveLink): Lane {
    return this.#lane;
  }

  /** Hands ready messages to the receives that wait, in the order in which they came. */
  serve(lane: Lane): void {
    const now = this.timeline.now();
    for (let first = lane.waiting.first; first !== undefined && lane.size > 0; first = lane.waiting.first) {
      const deliveries = this.take(first.link, first.maxMessages, now);
      if (deliveries.length === 0) return;
      first.end(deliveries);
    }
  }

  /** The message held under a token. @throws SobreError `MessageLockLost`. */
  held(token: LockToken): QueuedMessage {
    const message = this.#locked.get(token);
    if (message === undefined) throw lockLost(this.policy.address);
    return message;
  }

  renew(token: LockToken, now: number): number {
    const message = this.held(token);
    const until = now + this.policy.lockDuration;
    if (message.lock !== undefined) message.lock.until = until;
    this.timeline.schedule(message, until);
    return until;
  }

  /** Deletes a held message for good. */
  complete(message: QueuedMessage): void {
    this.#remove(message);
  }

  /** Gives a held message back after a failed delivery. */
  abandon(message: QueuedMessage, envelope: Envelope, now: number): void {
    message.envelope = envelope;
    this.#giveBack(message, "counted", now);
  }

  /** Moves a held message to the dead-letter queue. */
  deadLetter(message: QueuedMessage, envelope: Envelope, mark: DeadLetterMark, now: number): void {
    message.envelope = envelope;
    this.#remove(message);
    this.policy.deadLetter(message, mark, now);
  }

  /** Ends every lock of a holder, or of all, without counting a delivery. */
  release(holder: object | undefined, now: number): void {
    const held = [...this.#locked.values()].filter(({ lock }) => holder === undefined || lock?.holder === holder);
    for (const message of held) this.#giveBack(message, "uncounted", now);
  }

  /** Reads messages in order of their numbers. */
  peek({ maxMessages, fromSequenceNumber }: PeekOptions): Delivery[] {
    const ordinal = fromSequenceNumber === undefined ? 0 : this.#log.ordinalOf(fromSequenceNumber);
    const found: Delivery[] = [];
    if (ordinal === undefined) return found;
    for (const message of this.#log.from(ordinal)) {
      if (found.length >= maxMessages) break;
      found.push(this.#describe(message));
    }
    return found;
  }

  /** The sequence number of one of its messages. */
  numberOf(message: QueuedMessage): bigint {
    return this.#log.numberOf(message.ordinal);
  }

  /** Called by the timeline for a message whose lock or time to live is over. */
  messageDue(message: QueuedMessage, now: number): void {
    if (message.lock !== undefined) this.#giveBack(message, "counted", now);
    else this.#expire(message, now);
  }

  /** @throws SobreError `MessagingEntityNotFound` once its entity is deleted. */
  checkAlive(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** Drops everything and refuses the receives that wait. */
  destroy(refusal: SobreError): void {
    this.#refusal = refusal;
    for (const message of this.#log.from(0)) this.timeline.cancel(message);
    this.#locked.clear();
    for (const waiting of this.#lane.waiting) {
      waiting.refuse(refusal);
    }
  }

  #handOver(message: QueuedMessage, link: ReceiveLink, now: number): Delivery {
    if (link.receiveMode === "receiveAndDelete") {
      const delivery = this.#describe(message);
      this.#remove(message);
      return delivery;
    }
    const token = lockToken(crypto.randomUUID());
    const lock = { token, until: now + this.policy.lockDuration, holder: link.holder };
    message.lock = lock;
    this.#locked.set(token, message);
    this.timeline.schedule(message, lock.until);
    return toDelivery(message, this.numberOf(message), lock);
  }

  #giveBack(message: QueuedMessage, counting: "counted" | "uncounted", now: number): void {
    this.#unlock(message);
    if (counting === "counted" && ++message.deliveryCount >= this.policy.maxDeliveryCount) {
      const mark = tooManyDeliveries(message.deliveryCount);
      this.deadLetter(message, deadLetterEnvelope(message.envelope, mark), mark, now);
      return;
    }
    this.#makeReady(message, "returned", now);
  }

  #makeReady(message: QueuedMessage, as: "fresh" | "returned", now: number): void {
    if (message.expiresAt <= now) {
      this.#expire(message, now);
      return;
    }
    if (message.expiresAt !== Infinity) this.timeline.schedule(message, message.expiresAt);
    const { lane } = message;
    if (as === "fresh") lane.append(message);
    else lane.giveBack(message);
    lane.wake();
  }

  #expire(message: QueuedMessage, now: number): void {
    this.#remove(message);
    this.policy.expired(message, now);
  }

  #unlock(message: QueuedMessage): void {
    if (message.lock === undefined) return;
    this.#locked.delete(message.lock.token);
    message.lock = undefined;
    this.timeline.cancel(message);
  }

  #remove(message: QueuedMessage): void {
    this.#unlock(message);
    this.timeline.cancel(message);
    message.lane.remove(message);
    this.#log.delete(message.ordinal);
    this.#size--;
    this.policy.left(message);
  }

  #describe(message: QueuedMessage): Delivery {
    return toDelivery(message, this.numberOf(message), undefined);
  }
}
