import type { QueueRuntimeProperties } from "../../core/engine/admin.ts";
import type { ReceivableSettings, SendableSettings } from "../../core/engine/entity-settings.ts";
import { withProperties } from "../policy/relabelled-envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { DeadLetterMark } from "../policy/dead-letter.ts";
import { brokerDeadLetter } from "../policy/dead-letter.ts";
import { Entity } from "./entity.ts";
import { type Incoming, changed, moved } from "./incoming.ts";
import { MessageQueue } from "./message-queue.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { Memory, Meter } from "./meter.ts";
import type { QueuePolicy } from "./queue-policy.ts";
import { noSessionId, timeToLiveOver } from "../policy/dead-letter-marks.ts";
import { entityDisabled, invalidOperation } from "../../core/engine/refusals.ts";
import type { Timeline } from "./timeline.ts";
import { subQueueSuffix } from "../../core/engine/address.ts";
import type { EntityFacts } from "./entity-facts.ts";
import type { Numbering } from "./message-log.ts";
import type { Part } from "./store.ts";

/** Moves messages between entities. */
export interface Transfer {
  /** The memory of all entities together. */
  readonly memory: Memory;
  /** Forwards a message; if the target refuses it, it goes to the transfer dead-letter queue of `from`. */
  forward(from: ReceivableEntity, incoming: Incoming, target: string, now: number): void;
}

/** The size limits of an entity. */
export type Limits = Pick<SendableSettings, "maxMessageSizeInBytes" | "maxSizeInMegabytes">;

/** The latest time that a `Date` can represent, in milliseconds since 1970. */
const lastTime = 8.64e15;

/** A queue or subscription: messages to receive, and sub-queues. */
export abstract class ReceivableEntity extends Entity implements QueuePolicy {
  abstract override settings: ReceivableSettings;
  readonly canDeadLetter: boolean = true;
  readonly #transfer: Transfer;
  #deadLetters: MessageQueue | undefined;
  #transferDeadLetters: MessageQueue | undefined;

  constructor(address: string, timeline: Timeline, transfer: Transfer) {
    super(address, timeline);
    this.#transfer = transfer;
  }

  /** Maximum time to live of a message here, in milliseconds. */
  protected get longestTimeToLive(): number {
    return this.settings.defaultMessageTimeToLive;
  }

  /** The maximum sizes of a session state and of the entity. */
  abstract get limits(): Limits;

  get lockDuration(): number {
    return this.settings.lockDuration;
  }

  get maxDeliveryCount(): number {
    return this.settings.maxDeliveryCount;
  }

  get keepsExpired(): boolean {
    return this.settings.deadLetteringOnMessageExpiration;
  }

  get requiresSession(): boolean {
    return this.settings.requiresSession;
  }

  /** The dead-letter queue; created on first use. */
  get deadLetters(): MessageQueue {
    this.#deadLetters ??= new MessageQueue(new SubQueuePolicy(this, "deadLetters"), this.timeline);
    return this.#deadLetters;
  }

  /** The transfer dead-letter queue, for messages that could not be forwarded; created on first use. */
  get transferDeadLetters(): MessageQueue {
    this.#transferDeadLetters ??= new MessageQueue(new SubQueuePolicy(this, "transferDeadLetters"), this.timeline);
    return this.#transferDeadLetters;
  }

  /** Bytes of the entity's contents. */
  get bytes(): number {
    const subQueues = (this.#deadLetters?.store.bytes ?? 0) + (this.#transferDeadLetters?.store.bytes ?? 0);
    return this.messages.store.bytes + (this.messages.sessions?.stateBytes ?? 0) + subQueues;
  }

  get awaited(): boolean {
    return this.queues().some((queue) => queue.awaited);
  }

  /** @throws SobreError `MessagingEntityDisabled`, or `InvalidOperation` when the entity forwards its messages. */
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

  arrive(incoming: Incoming, now: number): void {
    const { size, enqueuedSequenceNumber, deadLetter } = incoming;
    const { sessionId, partitionKey, timeToLive = Infinity } = incoming.envelope.brokerProperties;
    const { forwardTo, requiresSession } = this.settings;
    if (forwardTo !== undefined || (requiresSession && sessionId === undefined)) {
      const numbered = { ...incoming, enqueuedSequenceNumber: this.firstNumber(incoming) };
      if (forwardTo === undefined) this.deadLetterArrival(numbered, noSessionId, now);
      else this.#transfer.forward(this, numbered, forwardTo, now);
      return;
    }
    const expiresAt = now + Math.min(timeToLive, this.longestTimeToLive);
    const isReplaced = requiresSession && sessionId !== undefined && partitionKey !== undefined;
    this.messages.enqueue(
      {
        // On session entities the session id is the partition key.
        envelope:
          isReplaced && partitionKey !== sessionId
            ? withProperties(incoming.envelope, { partitionKey: sessionId })
            : incoming.envelope,
        size,
        enqueuedAt: now,
        // A time that a Date cannot represent means never.
        expiresAt: expiresAt > lastTime ? Infinity : expiresAt,
        deliveryCount: 0,
        enqueuedSequenceNumber,
        deadLetter,
      },
      now,
    );
  }

  activated(message: QueuedMessage, number: bigint, now: number): void {
    this.arrive(moved(message, number), now);
  }

  deadLetter(message: QueuedMessage, mark: DeadLetterMark, now: number): void {
    const number = this.messages.store.numberOf(message);
    this.#bury({ ...moved(message, number), size: sizeOfEnvelope(message.envelope) }, mark, message, now);
  }

  expired(message: QueuedMessage, now: number): void {
    if (!this.settings.deadLetteringOnMessageExpiration) return;
    message.envelope = brokerDeadLetter(message.envelope, timeToLiveOver);
    this.deadLetter(message, timeToLiveOver, now);
  }

  /** Dead-letters a message that the entity did not accept. */
  deadLetterArrival(incoming: Incoming, mark: DeadLetterMark, now: number): void {
    const envelope = brokerDeadLetter(incoming.envelope, mark);
    this.#bury(changed(incoming, envelope), mark, { enqueuedAt: now, deliveryCount: 0 }, now);
  }

  /** Accepts a message that could not be forwarded. */
  failTransfer(incoming: Incoming, mark: DeadLetterMark, now: number): void {
    const envelope = brokerDeadLetter(incoming.envelope, mark);
    const { enqueuedSequenceNumber } = incoming;
    const source = incoming.deadLetter?.source;
    const arrival = { envelope, enqueuedAt: now, expiresAt: Infinity, deliveryCount: 0, enqueuedSequenceNumber };
    this.transferDeadLetters.enqueue({ ...arrival, deadLetter: { ...mark, source } }, now);
  }

  /** Puts a message with a marked envelope into the dead-letter queue, or forwards it if dead letters are forwarded. */
  #bury(
    incoming: Incoming,
    mark: DeadLetterMark,
    { enqueuedAt, deliveryCount }: Pick<QueuedMessage, "enqueuedAt" | "deliveryCount">,
    now: number,
  ): void {
    const target = this.settings.forwardDeadLetteredMessagesTo;
    if (target !== undefined) {
      const deadLetter = { ...mark, source: this.address };
      this.#transfer.forward(this, { ...incoming, deadLetter }, target, now);
      return;
    }
    const { envelope, size, enqueuedSequenceNumber } = incoming;
    const arrival = { enqueuedAt, expiresAt: Infinity, deliveryCount, enqueuedSequenceNumber, deadLetter: mark };
    this.deadLetters.enqueue({ envelope, size, ...arrival }, now);
  }

  /** After a change of settings: ends every lock and, if the entity now forwards, forwards the ready messages. */
  override settingsChanged(now: number): void {
    super.settingsChanged(now);
    const refusal = this.#receiveRefusal();
    if (refusal !== undefined) this.messages.refuseWaiting(refusal);
    for (const queue of this.queues()) queue.release(undefined, now);
    this.forwardReady();
  }

  /** Forwards the ready messages, if the settings say so. */
  forwardReady(): void {
    if (this.settings.forwardTo === undefined) return;
    this.messages.drainReady((message, at) => this.arrive(moved(message, this.messages.store.numberOf(message)), at));
  }

  /** The message counts by state and queue. */
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
      ...this.times,
    };
  }

  /** The queues created so far. */
  queues(): readonly MessageQueue[] {
    const subQueues = [this.#deadLetters, this.#transferDeadLetters];
    return [this.messages, ...subQueues.filter((queue) => queue !== undefined)];
  }

  clear(now: number): void {
    for (const queue of this.queues()) queue.clear(now);
  }

  destroy(refusal: SobreError): void {
    for (const queue of this.queues()) queue.destroy(refusal);
  }
}

type SubQueuePart = Exclude<Part, "messages">;

/** The ends of the addresses of the queues of an entity. */
export const suffixes: Readonly<Record<Part, string>> = {
  messages: "",
  deadLetters: subQueueSuffix.deadLetter,
  transferDeadLetters: subQueueSuffix.transferDeadLetter,
};

/** A sub-queue has its entity's lock duration; its messages do not expire and are not dead-lettered or scheduled. */
class SubQueuePolicy implements QueuePolicy {
  readonly address: string;
  readonly maxDeliveryCount: number = Infinity;
  readonly requiresSession: boolean = false;
  readonly canDeadLetter: boolean = false;
  readonly keepsExpired: boolean = false;
  readonly numbering: Numbering;
  readonly meter: Meter;
  readonly part: SubQueuePart;
  readonly #entity: Pick<QueuePolicy, "lockDuration" | "facts">;

  constructor(
    entity: Pick<QueuePolicy, "address" | "lockDuration" | "meter" | "numbering" | "facts">,
    part: SubQueuePart,
  ) {
    this.#entity = entity;
    this.meter = entity.meter;
    this.numbering = { partitioned: false, first: entity.numbering.first };
    this.part = part;
    this.address = `${entity.address}${suffixes[part]}`;
  }

  get facts(): EntityFacts | undefined {
    return this.#entity.facts;
  }

  get lockDuration(): number {
    return this.#entity.lockDuration;
  }

  deadLetter(): void {}
  expired(): void {}
  activated(): void {}
}
