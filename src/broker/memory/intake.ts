import { hasUnequalKeys } from "../policy/partitions.ts";
import { assignedIdSize, withMessageId } from "../policy/relabelled-envelope.ts";
import type { SendableSettings } from "../../core/engine/entity-settings.ts";
import { Duplicates } from "./duplicates.ts";
import type { Entity } from "./entity.ts";
import type { Incoming } from "./incoming.ts";
import type { MessageQueue } from "./message-queue.ts";
import { besidesOf } from "./meter.ts";
import { type MemoryTransaction, sendOperation } from "./transaction.ts";
import {
  entityDisabled,
  invalidOperation,
  messageTooLarge,
  quotaExceeded,
  unequalKeys,
} from "../../core/engine/refusals.ts";

/** The queue or topic of an {@link Intake}. */
export interface IntakeOwner extends Entity {
  readonly settings: SendableSettings;
  readonly requiresSession: boolean;
}

const megabyte = 2 ** 20;

/** Accepts messages into a queue or topic: limits, message ids, duplicates, schedules. */
export class Intake {
  readonly #owner: IntakeOwner;
  readonly #duplicates: Duplicates | undefined;

  constructor(owner: IntakeOwner) {
    this.#owner = owner;
    this.#duplicates = owner.settings.requiresDuplicateDetection ? new Duplicates(owner) : undefined;
  }

  /**
   * Checks that the entity can accept the messages; `reserved` is the number of bytes already promised to others.
   *
   * @returns the bytes that the messages take.
   * @throws SobreError `MessagingEntityDisabled`, `MessageSizeExceeded`, `QuotaExceeded`, `InvalidArgument`.
   */
  check(messages: readonly Incoming[], reserved = 0): number {
    const { address, settings, meter, requiresSession, facts } = this.#owner;
    const isKeyed = settings.enablePartitioning && !requiresSession;
    if (settings.status === "Disabled" || settings.status === "SendDisabled")
      throw entityDisabled(address, settings.status);
    let cost = 0;
    for (const { size, envelope } of messages) {
      if (isKeyed && hasUnequalKeys(envelope)) throw unequalKeys(address);
      if (size > settings.maxMessageSizeInBytes) throw messageTooLarge(size, settings.maxMessageSizeInBytes, address);
      facts?.check(envelope);
      cost += size + besidesOf(envelope);
    }
    if (messages.length === 0) return 0;
    if (meter.cost + reserved + cost > settings.maxSizeInMegabytes * megabyte)
      throw quotaExceeded(address, settings.maxSizeInMegabytes);
    meter.memory.check(cost);
    return cost;
  }

  /**
   * Checks messages from a sender.
   *
   * @returns the bytes that the messages take.
   * @throws SobreError like {@link check}, or `InvalidOperation` without a session id on a session entity.
   */
  checkSend(messages: readonly Incoming[], reserved = 0): number {
    if (this.#owner.requiresSession) {
      const without = messages.some(({ envelope }) => envelope.brokerProperties.sessionId === undefined);
      if (without)
        throw invalidOperation(`Messages to '${this.#owner.address}' need a sessionId, since it requires sessions.`);
    }
    return this.check(messages, reserved);
  }

  /** Accepts a checked message, now or at its `scheduledEnqueueTimeUtc`; a duplicate is discarded. */
  accept(incoming: Incoming, now: number): void {
    const admitted = this.#admit(incoming, now);
    if (admitted === undefined) return;
    const at = admitted.envelope.brokerProperties.scheduledEnqueueTimeUtc?.getTime() ?? 0;
    if (at > now) this.#owner.messages.schedule(arrivalOf(admitted, now), at);
    else this.#owner.arrive(admitted, now);
  }

  /**
   * Schedules a checked message, or enqueues it if its time has come; under `number` if it already has one.
   *
   * @returns its sequence number, 0 when it is a duplicate.
   */
  schedule(incoming: Incoming, now: number, number?: bigint): bigint {
    const admitted = this.#admit(incoming, now);
    if (admitted === undefined) return 0n;
    const at = admitted.envelope.brokerProperties.scheduledEnqueueTimeUtc?.getTime() ?? 0;
    return this.#owner.messages.schedule(arrivalOf(admitted, now), Math.max(at, now), number);
  }

  /** Assigns sequence numbers to checked messages now and schedules them at the commit; a rollback leaves a gap. */
  scheduleIn(transaction: MemoryTransaction, messages: readonly Incoming[]): readonly bigint[] {
    const { messages: queue } = this.#owner;
    const numbers: bigint[] = [];
    const { memory } = this.#owner.meter;
    const operation = sendOperation(
      { memory, cost: this.checkSend(messages) },
      {
        check: (reservations) => {
          queue.checkAlive();
          reservations.reserve(this.#owner, (reserved) => this.checkSend(messages, reserved));
        },
        apply: (now) => messages.forEach((message, index) => this.schedule(message, now, numbers[index])),
      },
    );
    transaction.add(operation);
    for (const { envelope } of messages) numbers.push(queue.store.skipNumber(envelope));
    return numbers;
  }

  /** Removes the recorded message ids. */
  clear(now: number): void {
    if (this.#duplicates === undefined) return;
    this.#duplicates.clear();
    this.#owner.facts?.forgotten(now);
  }

  /** Removes everything; called when the entity is deleted. */
  destroy(): void {
    this.#duplicates?.clear();
  }

  /** Records an id that was seen before a restart. */
  restoreSeen(key: string, at: number): void {
    this.#duplicates?.restore(key, at);
  }

  #admit(incoming: Incoming, now: number): Incoming | undefined {
    this.#owner.touch(now);
    const envelope = withMessageId(incoming.envelope);
    const { messageId = "", sessionId, partitionKey } = envelope.brokerProperties;
    const key = this.#owner.settings.enablePartitioning ? (sessionId ?? partitionKey) : undefined;
    if (this.#duplicates?.seen(messageId, key, now) === true) return undefined;
    return envelope === incoming.envelope ? incoming : { ...incoming, envelope, size: incoming.size + assignedIdSize };
  }
}

/** The bookkeeping of a scheduled message. */
function arrivalOf(incoming: Incoming, now: number): Parameters<MessageQueue["schedule"]>[0] {
  return {
    envelope: incoming.envelope,
    size: incoming.size,
    enqueuedAt: now,
    expiresAt: Infinity,
    deliveryCount: 0,
    enqueuedSequenceNumber: incoming.enqueuedSequenceNumber,
    deadLetter: undefined,
  };
}
