import type { Delivery } from "../../core/engine/delivery.ts";
import type { PeekOptions } from "../../core/engine/engine.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import { handedTo, type HoldingConnection } from "./bytes/handed-envelope.ts";
import { besides, besidesOf } from "./meter.ts";
import { type MessageLock, type QueuedMessage } from "./queued-message.ts";
import { rangeOf, SequenceLog } from "./sequence-log.ts";
import { partitionCount, partitionKeyOf, partitionOfKey } from "../policy/partitions.ts";
import type { QueueOwner } from "./queue-owner.ts";
import { deliveryOf } from "../policy/delivery.ts";
import type { EntityQueue } from "../policy/entities.ts";
import { messageNotFound } from "../../core/engine/refusals.ts";

/** Every message of a queue by sequence number, with counts and sizes. */
export class MessageStore {
  readonly #queue: EntityQueue<QueueOwner>;
  /** By partition; one without partitions. */
  readonly #logs: readonly SequenceLog<QueuedMessage>[];
  #turn = 0;
  #size = 0;
  #scheduledCount = 0;
  #deferredCount = 0;
  #bytes = 0;
  /** Bytes of overhead of all messages. */
  #more = 0;

  constructor(queue: EntityQueue<QueueOwner>) {
    this.#queue = queue;
    const { isPartitioned, entity } = queue;
    this.#logs = Array.from(
      { length: isPartitioned ? partitionCount : 1 },
      (_, partition) => new SequenceLog<QueuedMessage>(rangeOf(isPartitioned, entity.firstSequenceNumber, partition)),
    );
  }

  /** The number of messages in every state. */
  get size(): number {
    return this.#size;
  }

  /** The number of scheduled messages. */
  get scheduledCount(): number {
    return this.#scheduledCount;
  }

  /** The number of deferred messages. */
  get deferredCount(): number {
    return this.#deferredCount;
  }

  /** Sets a message aside that was active or deferred before. */
  defer(message: QueuedMessage): void {
    if (message.state !== "deferred") this.#deferredCount++;
    message.state = "deferred";
  }

  /** Bytes of all messages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a message under the next number, or under one from {@link skipNumber}. */
  add(message: QueuedMessage, sequenceNumber?: bigint): void {
    this.#count(message);
    if (sequenceNumber === undefined) {
      message.partition = this.#queue.isPartitioned ? this.#partitionOf(partitionKeyOf(message.envelope)) : 0;
      this.#log(message.partition).append(message);
      this.#numbered(message.partition);
      return;
    }
    message.partition = this.#partitionIn(sequenceNumber);
    const log = this.#log(message.partition);
    const ordinal = log.ordinalOf(sequenceNumber);
    if (ordinal === undefined) throw new RangeError(`The number ${sequenceNumber} was not given.`);
    log.place(message, ordinal);
  }

  /** Adds a message at its position from before a restart. */
  restore(message: QueuedMessage, { partition, ordinal }: Pick<QueuedMessage, "partition" | "ordinal">): void {
    this.#count(message);
    message.partition = partition;
    this.resume(partition, ordinal + 1);
    this.#log(partition).place(message, ordinal);
    this.#numbered(partition);
  }

  #count(message: QueuedMessage): void {
    this.#weigh(message.size, this.#besides(message));
    this.#size++;
    if (message.state === "scheduled") this.#scheduledCount++;
    if (message.state === "deferred") this.#deferredCount++;
  }

  /** Continues after the numbers assigned before a restart. */
  resume(partition: number, next: number): void {
    this.#log(partition).resume(next);
  }

  remove(message: QueuedMessage): void {
    this.#log(message.partition).delete(message.ordinal);
    this.#size--;
    this.#weigh(-message.size, -this.#besides(message));
    if (message.state === "scheduled") this.#scheduledCount--;
    if (message.state === "deferred") this.#deferredCount--;
    this.#queue.entity.facts?.removed(message);
    message.leave();
  }

  /** Replaces the envelope of a message. */
  amend(message: QueuedMessage, envelope: Envelope): void {
    if (message.envelope === envelope) return;
    const size = sizeOfEnvelope(envelope);
    const before = message.size;
    const besidesBefore = this.#besides(message);
    message.size = size;
    message.envelope = envelope;
    this.#weigh(size - before, this.#besides(message) - besidesBefore);
    this.#queue.entity.facts?.amended(this.#queue.part, message, before);
  }

  /** Removes everything from the meter when the queue is deleted. */
  clear(): void {
    this.#weigh(-this.#bytes, -this.#more);
  }

  #weigh(bytes: number, more: number): void {
    this.#bytes += bytes;
    this.#more += more;
    this.#queue.entity.meter.weigh(bytes, more);
  }

  /** With a store, an envelope may leave memory without the meter being informed, so only a fixed overhead per message counts. */
  #besides(message: QueuedMessage): number {
    return this.#queue.entity.facts === undefined ? besidesOf(message.envelope) : besides.message;
  }

  /** Consumes a number for a message that is not kept here; `key` determines the partition. */
  skipNumber(key: string | undefined): bigint {
    const partition = this.#partitionOf(key);
    this.#numbered(partition);
    const log = this.#log(partition);
    return log.numberOf(log.skip());
  }

  #numbered(partition: number): void {
    this.#queue.entity.facts?.numbered(this.#queue.part, partition, this.#log(partition));
  }

  numberOf(message: QueuedMessage): bigint {
    return this.#log(message.partition).numberOf(message.ordinal);
  }

  /** The unlocked messages with these numbers. @throws SobreError `MessageNotFound` unless all exist. */
  find(sequenceNumbers: readonly bigint[], state: "scheduled" | "deferred"): QueuedMessage[] {
    const found = new Set<QueuedMessage>();
    for (const number of sequenceNumbers) {
      const message = this.#logs[this.#partitionIn(number)]?.find(number);
      const free = message?.state === state && message.lock === undefined && !found.has(message);
      if (!free) throw messageNotFound(number, state, this.#queue.address);
      found.add(message);
    }
    return [...found];
  }

  /** The messages from a number on, in numeric order, partition by partition; those added or removed meanwhile may be missed. */
  *from(sequenceNumber: bigint | undefined): Generator<QueuedMessage> {
    const first = sequenceNumber === undefined ? 0 : this.#partitionIn(sequenceNumber);
    for (const [partition, log] of this.#logs.entries()) {
      if (partition < first) continue;
      const begin = sequenceNumber === undefined || partition > first ? 0 : log.ordinalOf(sequenceNumber);
      if (begin !== undefined) yield* log.from(begin);
    }
  }

  #partitionIn(sequenceNumber: bigint): number {
    return this.#queue.isPartitioned ? Number(BigInt.asUintN(64, sequenceNumber) >> 48n) : 0;
  }

  /** The partition of a key; without a key, partitions take turns. */
  #partitionOf(key: string | undefined): number {
    if (!this.#queue.isPartitioned) return 0;
    return key === undefined ? this.#turn++ % partitionCount : partitionOfKey(key);
  }

  #log(partition: number): SequenceLog<QueuedMessage> {
    const log = this.#logs[partition];
    if (log === undefined) throw new RangeError(`There is no partition ${partition}.`);
    return log;
  }

  /** A message as a receiver sees it or, without a lock, as peek returns it. */
  describe(message: QueuedMessage, holder: HoldingConnection, lock?: MessageLock): Delivery {
    const number = this.numberOf(message);
    const { facts } = this.#queue.entity;
    if (message.isLoaded || facts === undefined)
      return deliveryOf(message, handedTo(holder, message.envelope), number, lock);
    return facts.pager.describe(
      message,
      (envelope) => deliveryOf(message, envelope, number, lock),
      (envelope) => handedTo(holder, envelope),
    );
  }

  /** Peeks at messages in sequence-number order. */
  peek({ maxMessages, fromSequenceNumber, sessionId }: PeekOptions, holder: HoldingConnection): Delivery[] {
    const found: Delivery[] = [];
    for (const message of this.from(fromSequenceNumber)) {
      if (found.length >= maxMessages) break;
      const fits = sessionId === undefined || message.sessionId === sessionId;
      if (fits) found.push(this.describe(message, holder));
    }
    return found;
  }
}
