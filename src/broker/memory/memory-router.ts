import type { Envelope } from "../../core/envelope/envelope.ts";
import type { Directory } from "../policy/directory.ts";
import type { Part, ReceivableEntity, SendableEntity } from "../policy/entities.ts";
import {
  activeAt,
  type Arrival,
  duplicateKeyIn,
  identified,
  type Incoming,
  scheduledArrival,
} from "../policy/incoming.ts";
import { Router, type SendRoute } from "../policy/router.ts";
import type { EntityContents, MemoryEntity } from "./entity.ts";
import type { MessageQueue } from "./message-queue.ts";
import { besidesOf, checkRoom } from "./meter.ts";
import { moved } from "./queued-message.ts";

type Sendable = SendableEntity<EntityContents>;
type Receivable = ReceivableEntity<EntityContents>;

/** Routes messages at once: every one is in its queue when a call returns. */
export class MemoryRouter extends Router<EntityContents, bigint> {
  readonly #directory: Directory<EntityContents, MessageQueue>;

  constructor(directory: Directory<EntityContents, MessageQueue>) {
    super();
    this.#directory = directory;
  }

  /**
   * Checks that an entity can accept messages of a sender; `reserved` is the number of bytes already promised to others.
   *
   * @returns the bytes that the messages take.
   * @throws SobreError `MessagingEntityNotFound`, `MessagingEntityDisabled`, `MessageSizeExceeded`, `QuotaExceeded`, `InvalidArgument`,
   * `InvalidOperation`.
   */
  check(route: SendRoute<EntityContents>, messages: readonly Incoming<bigint>[], reserved = 0): number {
    const first = route.through ?? route.target;
    first.queue("messages").checkAlive();
    const cost = this.costOfSend(route, messages);
    if (messages.length > 0) checkRoom(first, cost + reserved);
    return cost;
  }

  /** Accepts checked messages of a sender. */
  send({ target, through }: SendRoute<EntityContents>, messages: readonly Incoming<bigint>[], now: number): void {
    through?.touch(now);
    for (const message of messages) {
      if (through === undefined) this.#accept(target, message, now);
      else this.sendVia(through, message, target.address, now);
    }
  }

  /**
   * Schedules a checked message, or enqueues it if its time has come; under `number` if it already has one.
   *
   * @returns its sequence number, 0 when it is a duplicate.
   */
  schedule(entity: Sendable, incoming: Incoming<bigint>, now: number, number?: bigint): bigint {
    const admitted = this.#admitted(entity, incoming, now);
    if (admitted === undefined) return 0n;
    return entity.queue("messages").schedule(scheduledArrival(admitted, now), activeAt(admitted, now), number);
  }

  /** Forwards the ready messages of an entity, if its settings say so. */
  forwardReady(entity: MemoryEntity): void {
    if (entity.type === "topic" || entity.settings.forwardTo === undefined) return;
    const queue = entity.queue("messages");
    queue.drainReady((message, now) => this.arrive(entity, moved(message, queue.store.numberOf(message)), now));
  }

  protected pass(entity: MemoryEntity, key: string | undefined): bigint {
    return entity.queue("messages").store.skipNumber(key);
  }

  protected place(entity: MemoryEntity, part: Part, arrival: Arrival<bigint>, now: number): void {
    entity.queue(part).enqueue(arrival, now);
  }

  protected hold(entity: Sendable, arrival: Arrival<bigint>, at: number): void {
    entity.queue("messages").schedule(arrival, at);
  }

  protected transfer(from: Receivable, incoming: Incoming<bigint>, target: string, now: number): void {
    let entity: Sendable;
    try {
      entity = this.#directory.sendable(target);
      checkRoom(entity, this.costOf(entity, [incoming]));
    } catch (error) {
      return this.refused(from, incoming, error, now);
    }
    this.#accept(entity, incoming, now);
  }

  protected checkEnvelope({ facts }: MemoryEntity, envelope: Envelope): void {
    facts?.check(envelope);
  }

  protected overheadOf(envelope: Envelope): number {
    return besidesOf(envelope);
  }

  #accept(entity: Sendable, incoming: Incoming<bigint>, now: number): void {
    const admitted = this.#admitted(entity, incoming, now);
    if (admitted !== undefined) this.take(entity, admitted, now);
  }

  /** The message with an id, unless it is a duplicate. */
  #admitted(entity: Sendable, incoming: Incoming<bigint>, now: number): Incoming<bigint> | undefined {
    entity.touch(now);
    const message = identified(incoming);
    const key = duplicateKeyIn(entity.settings, message.envelope);
    return key !== undefined && entity.duplicates?.seen(key, now) === true ? undefined : message;
  }
}
