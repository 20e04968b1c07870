import type { QueueRuntimeProperties } from "../../engine/admin.ts";
import type { ReceivableSettings, SendableSettings } from "../../engine/entity-settings.ts";
import { subQueueSuffix } from "../../engine/address.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import type { SobreError } from "../../errors/sobre-error.ts";
import { brokerDeadLetter } from "./dead-letter.ts";
import { timesOf } from "./entity-times.ts";
import { changed, type Incoming, sent } from "./incoming.ts";
import type { Numbering } from "./message-log.ts";
import type { Meter } from "./meter.ts";
import { MessageQueue } from "./message-queue.ts";
import type { DeadLetterMark, QueuedMessage } from "./queued-message.ts";
import type { QueuePolicy } from "./queue-policy.ts";
import { entityDisabled, invalidOperation, noSessionId, timeToLiveOver } from "./refusals.ts";
import { SubQueuePolicy } from "./sub-queue-policy.ts";
import type { Timeline } from "./timeline.ts";

/** Moves messages between entities. */
export interface Transfer {
  /** Sends a message on; what the target refuses goes to the transfer dead-letter queue of `from`. */
  forward(from: ReceivableEntity, incoming: Incoming, target: string, now: number): void;
}

/** How much an entity may hold. */
export type Limits = Pick<SendableSettings, "maxMessageSizeInBytes" | "maxSizeInMegabytes">;

/** The last time that a `Date` can hold, in milliseconds since 1970. */
const lastTime = 8.64e15;

/** What queues and subscriptions have in common: messages to receive, and sub-queues. */
export abstract class ReceivableEntity implements QueuePolicy {
  readonly address: string;
  abstract settings: ReceivableSettings;
  abstract readonly messages: MessageQueue;
  abstract readonly numbering: Numbering;
  abstract readonly meter: Meter;
  readonly canDeadLetter: boolean = true;
  /** When it was used last, in milliseconds since 1970. */
  usedAt: number;
  readonly createdAt: number;
  modifiedAt: number;
  protected readonly timeline: Timeline;
  readonly #transfer: Transfer;
  #deadLetters: MessageQueue | undefined;
  #transferDeadLetters: MessageQueue | undefined;

  constructor(address: string, timeline: Timeline, transfer: Transfer) {
    this.address = address;
    this.timeline = timeline;
    this.usedAt = timeline.now();
    this.createdAt = this.usedAt;
    this.modifiedAt = this.usedAt;
    this.#transfer = transfer;
  }

  /** How large a session state may be, and all that the entity holds. */
  abstract get limits(): Limits;

  abstract partitionKey(envelope: Envelope): string | undefined;

  get lockDuration(): number {
    return this.settings.lockDuration;
  }

  get maxDeliveryCount(): number {
    return this.settings.maxDeliveryCount;
  }

  get requiresSession(): boolean {
    return this.settings.requiresSession;
  }

  /** The dead-letter queue; made when it is first asked for. */
  get deadLetters(): MessageQueue {
    this.#deadLetters ??= new MessageQueue(new SubQueuePolicy(this, subQueueSuffix.deadLetter), this.timeline);
    return this.#deadLetters;
  }

  /** The queue of what could not be forwarded; made when it is first asked for. */
  get transferDeadLetters(): MessageQueue {
    const policy = new SubQueuePolicy(this, subQueueSuffix.transferDeadLetter);
    this.#transferDeadLetters ??= new MessageQueue(policy, this.timeline);
    return this.#transferDeadLetters;
  }

  /** Bytes of everything the entity holds. */
  get bytes(): number {
    const subQueues = (this.#deadLetters?.store.bytes ?? 0) + (this.#transferDeadLetters?.store.bytes ?? 0);
    return this.messages.store.bytes + (this.messages.sessions?.stateBytes ?? 0) + subQueues;
  }

  /** Whether a receive waits, or a session is held. */
  get awaited(): boolean {
    return this.queues().some((queue) => queue.awaited);
  }

  touch(now: number): void {
    this.usedAt = now;
  }

  /** @throws SobreError `MessagingEntityDisabled`, or `InvalidOperation` when everything is forwarded. */
  checkReceive(): void {
    const refusal = this.#receiveRefusal();
    if (refusal !== undefined) throw refusal;
  }

  #receiveRefusal(): SobreError | undefined {
    const { status, forwardTo } = this.settings;
    if (status === "Disabled" || status === "ReceiveDisabled") return entityDisabled(this.address, status);
    if (forwardTo === undefined) return undefined;
    return invalidOperation(`'${this.address}' forwards its messages to '${forwardTo}'. Receive from there.`);
  }

  /** Takes a message in that is ready for delivery or forwarding. */
  arrive(incoming: Incoming, now: number): void {
    const { envelope, enqueuedSequenceNumber } = incoming;
    const { forwardTo, defaultMessageTimeToLive, requiresSession } = this.settings;
    if (forwardTo !== undefined) {
      const number = enqueuedSequenceNumber ?? this.messages.store.skipNumber(envelope);
      this.#transfer.forward(this, { ...incoming, enqueuedSequenceNumber: number }, forwardTo, now);
      return;
    }
    if (requiresSession && envelope.brokerProperties.sessionId === undefined) {
      const number = enqueuedSequenceNumber ?? this.messages.store.skipNumber(envelope);
      this.deadLetterArrival({ ...incoming, enqueuedSequenceNumber: number }, noSessionId, now);
      return;
    }
    const expiresAt = now + Math.min(envelope.brokerProperties.timeToLive ?? Infinity, defaultMessageTimeToLive);
    this.messages.enqueue(
      {
        envelope,
        size: incoming.size,
        enqueuedAt: now,
        // What no Date can tell is never.
        expiresAt: expiresAt > lastTime ? Infinity : expiresAt,
        deliveryCount: 0,
        enqueuedSequenceNumber,
        deadLetter: incoming.deadLetter,
      },
      now,
    );
  }

  activated(message: QueuedMessage, number: bigint, now: number): void {
    const { envelope, enqueuedSequenceNumber = number } = message;
    this.arrive({ envelope, size: message.size, hops: 0, enqueuedSequenceNumber, deadLetter: message.deadLetter }, now);
  }

  deadLetter(message: QueuedMessage, mark: DeadLetterMark, now: number): void {
    const enqueuedSequenceNumber = message.enqueuedSequenceNumber ?? this.messages.store.numberOf(message);
    const target = this.settings.forwardDeadLetteredMessagesTo;
    if (target === undefined) {
      const { envelope, enqueuedAt, deliveryCount } = message;
      const arrival = {
        envelope,
        enqueuedAt,
        expiresAt: Infinity,
        deliveryCount,
        enqueuedSequenceNumber,
        deadLetter: mark,
      };
      this.deadLetters.enqueue(arrival, now);
      return;
    }
    const deadLetter = { ...mark, source: this.address };
    this.#transfer.forward(this, { ...sent(message.envelope), enqueuedSequenceNumber, deadLetter }, target, now);
  }

  expired(message: QueuedMessage, now: number): void {
    if (!this.settings.deadLetteringOnMessageExpiration) return;
    message.envelope = brokerDeadLetter(message.envelope, timeToLiveOver);
    this.deadLetter(message, timeToLiveOver, now);
  }

  /** Dead-letters a message that never got in. */
  deadLetterArrival(incoming: Incoming, mark: DeadLetterMark, now: number): void {
    const envelope = brokerDeadLetter(incoming.envelope, mark);
    const target = this.settings.forwardDeadLetteredMessagesTo;
    if (target !== undefined) {
      this.#transfer.forward(
        this,
        { ...changed(incoming, envelope), deadLetter: { ...mark, source: this.address } },
        target,
        now,
      );
      return;
    }
    const { enqueuedSequenceNumber } = incoming;
    const arrival = {
      enqueuedAt: now,
      expiresAt: Infinity,
      deliveryCount: 0,
      enqueuedSequenceNumber,
      deadLetter: mark,
    };
    this.deadLetters.enqueue({ envelope, ...arrival }, now);
  }

  /** Takes a message in that could not be forwarded. */
  failTransfer(incoming: Incoming, mark: DeadLetterMark, now: number): void {
    const envelope = brokerDeadLetter(incoming.envelope, mark);
    const { enqueuedSequenceNumber } = incoming;
    const source = incoming.deadLetter?.source;
    const arrival = { envelope, enqueuedAt: now, expiresAt: Infinity, deliveryCount: 0, enqueuedSequenceNumber };
    this.transferDeadLetters.enqueue({ ...arrival, deadLetter: { ...mark, source } }, now);
  }

  /** Ends every lock after a change of settings, and forwards what lies ready when it forwards now. */
  settingsChanged(now: number): void {
    const refusal = this.#receiveRefusal();
    if (refusal !== undefined) this.messages.refuseWaiting(refusal);
    for (const queue of this.queues()) queue.release(undefined, now);
    if (this.settings.forwardTo === undefined) return;
    for (const message of this.messages.drainReady()) {
      const { envelope, enqueuedSequenceNumber = this.messages.store.numberOf(message) } = message;
      this.arrive(
        { envelope, size: message.size, hops: 0, enqueuedSequenceNumber, deadLetter: message.deadLetter },
        now,
      );
    }
  }

  /** How many messages there are, by where they are. */
  counts(): QueueRuntimeProperties {
    const { size, scheduledCount } = this.messages.store;
    const deadLetterMessageCount = this.#deadLetters?.store.size ?? 0;
    const transferDeadLetterMessageCount = this.#transferDeadLetters?.store.size ?? 0;
    return {
      name: this.address,
      activeMessageCount: size - scheduledCount,
      deadLetterMessageCount,
      scheduledMessageCount: scheduledCount,
      transferDeadLetterMessageCount,
      totalMessageCount: size + deadLetterMessageCount + transferDeadLetterMessageCount,
      sizeInBytes: this.bytes,
      ...timesOf(this),
    };
  }

  /** The queues that exist by now. */
  queues(): readonly MessageQueue[] {
    const subQueues = [this.#deadLetters, this.#transferDeadLetters];
    return [this.messages, ...subQueues.filter((queue) => queue !== undefined)];
  }

  destroy(refusal: SobreError): void {
    for (const queue of this.queues()) queue.destroy(refusal);
  }
}
