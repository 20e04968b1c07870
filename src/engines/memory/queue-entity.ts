import { type QueueRuntimeProperties, type QueueSettings, type SubQueue, subQueueSuffix } from "../../engine/index.ts";
import type { Envelope } from "../../envelope/index.ts";
import type { SobreError } from "../../errors/index.ts";
import { expiryOf, withMessageId } from "./acceptance.ts";
import { deadLetterEnvelope } from "./dead-letter.ts";
import { MessageQueue, type QueuePolicy } from "./message-queue.ts";
import { type DeadLetterMark, type QueuedMessage } from "./queued-message.ts";
import { timeToLiveOver } from "./refusals.ts";
import type { Timeline } from "./timeline.ts";

/** A queue with its sub-queues. */
export class QueueEntity implements QueuePolicy {
  readonly address: string;
  settings: QueueSettings;
  readonly messages: MessageQueue;
  readonly #timeline: Timeline;
  #deadLetters: MessageQueue | undefined;

  constructor(name: string, settings: QueueSettings, timeline: Timeline) {
    this.address = name;
    this.settings = settings;
    this.#timeline = timeline;
    this.messages = new MessageQueue(this, timeline);
  }

  get lockDuration(): number {
    return this.settings.lockDuration;
  }

  get maxDeliveryCount(): number {
    return this.settings.maxDeliveryCount;
  }

  /** The dead-letter queue; made when it is first asked for. */
  get deadLetters(): MessageQueue {
    this.#deadLetters ??= new MessageQueue(new SubQueuePolicy(this, "deadLetter"), this.#timeline);
    return this.#deadLetters;
  }

  /** Takes a checked envelope in. */
  accept(envelope: Envelope, now: number): void {
    this.messages.enqueue(
      {
        envelope: withMessageId(envelope),
        enqueuedAt: now,
        expiresAt: expiryOf(envelope, this.settings.defaultMessageTimeToLive, now),
        deliveryCount: 0,
        enqueuedSequenceNumber: undefined,
        deadLetter: undefined,
      },
      now,
    );
  }

  deadLetter(message: QueuedMessage, mark: DeadLetterMark, now: number): void {
    this.deadLetters.enqueue(
      {
        envelope: message.envelope,
        enqueuedAt: message.enqueuedAt,
        expiresAt: Infinity,
        deliveryCount: message.deliveryCount,
        enqueuedSequenceNumber: message.enqueuedSequenceNumber ?? this.messages.numberOf(message),
        deadLetter: mark,
      },
      now,
    );
  }

  expired(message: QueuedMessage, now: number): void {
    if (!this.settings.deadLetteringOnMessageExpiration) return;
    message.envelope = deadLetterEnvelope(message.envelope, timeToLiveOver);
    this.deadLetter(message, timeToLiveOver, now);
  }

  left(): void {}

  /** How many messages there are, by where they are. */
  counts(): Omit<QueueRuntimeProperties, "name"> {
    const activeMessageCount = this.messages.size;
    const deadLetterMessageCount = this.#deadLetters?.size ?? 0;
    return {
      activeMessageCount,
      deadLetterMessageCount,
      scheduledMessageCount: 0,
      totalMessageCount: activeMessageCount + deadLetterMessageCount,
    };
  }

  /** The queues that exist by now. */
  queues(): readonly MessageQueue[] {
    return this.#deadLetters === undefined ? [this.messages] : [this.messages, this.#deadLetters];
  }

  /** Ends every lock of a holder, or of all. */
  release(holder: object | undefined, now: number): void {
    for (const queue of this.queues()) queue.release(holder, now);
  }

  destroy(refusal: SobreError): void {
    for (const queue of this.queues()) queue.destroy(refusal);
  }
}

/** A sub-queue locks as long as its entity does, and nothing expires or is dead-lettered there. */
class SubQueuePolicy implements QueuePolicy {
  readonly address: string;
  readonly maxDeliveryCount: number = Infinity;
  readonly #entity: QueueEntity;

  constructor(entity: QueueEntity, subQueue: SubQueue) {
    this.#entity = entity;
    this.address = `${entity.address}${subQueueSuffix[subQueue]}`;
  }

  get lockDuration(): number {
    return this.#entity.lockDuration;
  }

  deadLetter(): void {}
  expired(): void {}
  left(): void {}
}
