import type { Delivery, LockToken, ReceiveMode } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { DeadLetterMark } from "../policy/dead-letter.ts";
import { type Entity, EntityQueue, type Part } from "../policy/entities.ts";
import { type Arrival, changed, type Incoming } from "../policy/incoming.ts";
import { Lane, type LaneQueue } from "./lane.ts";
import { LockTable } from "./lock-table.ts";
import { besides } from "./meter.ts";
import { MessageStore } from "./message-store.ts";
import type { HoldingConnection } from "./bytes/handed-envelope.ts";
import { moved, QueuedMessage } from "./queued-message.ts";
import type { QueueOwner } from "./queue-owner.ts";
import { tooManyDeliveries } from "../policy/dead-letter-marks.ts";
import { lockLost, messageNotFound, sessionLockLost } from "../../core/engine/refusals.ts";
import { type Counting, countingOf, MemorySession, type SessionLock } from "./session.ts";
import { EntitySessions } from "./session-table.ts";
import type { StoredMessage } from "./store.ts";
import type { Timeline } from "./timeline.ts";

/** The receiving end of a link, as a queue sees it. */
export interface QueueReceiveLink {
  readonly receiveMode: ReceiveMode;
  /** The connection that holds the locks taken through it. */
  readonly holder: HoldingConnection;
  /** The session that the link holds. */
  readonly sessionLock?: SessionLock | undefined;
}

/** The messages of one queue, subscription or sub-queue: sequence numbers, locks, expiry and delivery order. */
export class MessageQueue extends EntityQueue<QueueOwner> implements LaneQueue {
  readonly timeline: Timeline;
  /** On session entities only. */
  readonly sessions: EntitySessions | undefined;
  readonly store: MessageStore;
  readonly #lane: Lane = new Lane(this);
  readonly locks: LockTable = new LockTable();
  #position = 0;
  #refusal: SobreError | undefined;

  constructor(entity: Entity<QueueOwner>, part: Part) {
    super(entity, part);
    this.timeline = entity.timeline;
    this.sessions = this.requiresSession ? new EntitySessions(this) : undefined;
    this.store = new MessageStore(this);
  }

  /** Appends a message, ready for delivery. */
  enqueue(arrival: Arrival<bigint>, now: number): void {
    const { sessionId } = arrival.envelope.brokerProperties;
    const session = sessionId === undefined ? undefined : this.sessions?.session(sessionId);
    const message = new QueuedMessage(session ?? this.#lane, arrival);
    if (session !== undefined) session.messageCount++;
    message.position = this.#position++;
    this.store.add(message);
    this.entity.facts?.added(this.part, message, 0);
    this.#makeReady(message, "fresh", now);
  }

  /** Stores a message until its scheduled time; returns its sequence number. */
  schedule(arrival: Arrival<bigint>, at: number, number?: bigint): bigint {
    const message = new QueuedMessage(this.#lane, arrival);
    message.state = "scheduled";
    this.store.add(message, number);
    this.entity.facts?.added(this.part, message, at);
    this.timeline.schedule(message, at);
    return this.store.numberOf(message);
  }

  /** Restores a message from before a restart; one that had been delivered stays out of its lane until {@link giveBack}. */
  restore(stored: StoredMessage): QueuedMessage {
    const { sessionId, state } = stored;
    // A scheduled message joins its session when it becomes active.
    const session = sessionId === undefined || state === "scheduled" ? undefined : this.sessions?.session(sessionId);
    const message = new QueuedMessage(session ?? this.#lane, { ...stored, envelope: undefined });
    message.state = state;
    message.position = stored.record;
    this.store.restore(message, stored);
    if (state === "scheduled") {
      this.timeline.schedule(message, stored.dueAt);
      return message;
    }
    if (session !== undefined) session.messageCount++;
    if (stored.delivered) return message;
    if (state === "deferred") session?.deferred.add(message);
    else message.place.append(message);
    this.timeline.schedule(message, message.expiresAt);
    if (session !== undefined) session.table.settle(session);
    return message;
  }

  /** Cancels scheduled messages, all or none. @throws SobreError `MessageNotFound`. */
  cancel(sequenceNumbers: readonly bigint[]): void {
    for (const message of this.#find(sequenceNumbers, "scheduled")) this.remove(message);
  }

  /** The lane from which a link receives. @throws SobreError `SessionLockLost`. */
  laneOf(link: QueueReceiveLink): Lane {
    if (link.sessionLock === undefined) return this.#lane;
    this.timeline.catchUp(link.sessionLock);
    if (!link.sessionLock.held) throw sessionLockLost(link.sessionLock.session.id, this.address);
    return link.sessionLock.session;
  }

  /** Takes up to `maxMessages` ready messages for a link, locking or deleting them according to its mode. */
  take(link: QueueReceiveLink, maxMessages: number, now: number): Delivery[] {
    const lane = this.laneOf(link);
    const first = this.#next(lane, link, now);
    if (first === undefined) return [];
    const deliveries = [first];
    while (deliveries.length < maxMessages) {
      const delivery = this.#next(lane, link, now);
      if (delivery === undefined) break;
      deliveries.push(delivery);
    }
    return deliveries;
  }

  #next(lane: Lane, link: QueueReceiveLink, now: number): Delivery | undefined {
    for (let message = lane.shift(); message !== undefined; message = lane.shift()) {
      if (message.expiresAt > now) return this.#handOver(message, link, now);
      this.#expire(message, now);
    }
    return undefined;
  }

  /** Receives deferred messages, all or none. @throws SobreError `MessageNotFound`. */
  takeDeferred(sequenceNumbers: readonly bigint[], link: QueueReceiveLink, now: number): Delivery[] {
    const lane = this.laneOf(link);
    const messages = this.#find(sequenceNumbers, "deferred");
    const foreign = messages.findIndex((message) => message.place !== lane);
    if (foreign !== -1) throw messageNotFound(sequenceNumbers[foreign] ?? 0n, "deferred", this.address);
    return messages.map((message) => this.#handOver(message, link, now));
  }

  /** The unlocked messages with these numbers, except expired ones. @throws SobreError `MessageNotFound`. */
  #find(sequenceNumbers: readonly bigint[], state: "scheduled" | "deferred"): readonly QueuedMessage[] {
    for (const message of this.store.find(sequenceNumbers, state)) this.timeline.catchUp(message);
    return this.store.find(sequenceNumbers, state);
  }

  /** Delivers ready messages to the waiting receives in order of arrival. */
  serve(lane: Lane): void {
    const now = this.timeline.now();
    for (let first = lane.waiting.first; first !== undefined && lane.size > 0; first = lane.waiting.first) {
      const deliveries = first.take(now);
      if (deliveries.length === 0) return;
      first.end(deliveries, now);
    }
  }

  /** The message held under a token. @throws SobreError `MessageLockLost`, or `SessionLockLost` when its session is lost. */
  held(token: LockToken): QueuedMessage {
    this.checkAlive();
    const locked = this.locks.get(token);
    if (locked !== undefined) this.timeline.catchUp(sessionOf(locked)?.lock ?? locked);
    if (locked?.lock !== undefined) return locked;
    const isToken = typeof token === "string";
    const ofLostSession = isToken && this.sessions !== undefined && !this.sessions.knows(token.slice(0, 8));
    throw ofLostSession ? sessionLockLost(undefined, this.address) : lockLost(this.address);
  }

  renew(message: QueuedMessage, now: number): number {
    const until = now + this.lockDuration;
    if (message.lock !== undefined) message.lock.until = until;
    this.timeline.schedule(message, until);
    return until;
  }

  /** Removes a message for good, with its lock. */
  remove(message: QueuedMessage): void {
    this.#unlock(message);
    this.timeline.cancel(message);
    message.place.remove(message);
    this.store.remove(message);
    sessionOf(message)?.forget(message);
  }

  /** Sets a held message aside; deferring counts as a delivery and never dead-letters. */
  defer(message: QueuedMessage, envelope: Envelope, now: number): void {
    this.store.amend(message, envelope);
    this.#unlock(message);
    message.deliveryCount++;
    this.store.defer(message);
    this.entity.facts?.cameBack(message);
    this.#setAside(message, now);
  }

  /** Moves a message with a marked envelope to the dead-letter queue. */
  bury(message: QueuedMessage, envelope: Envelope, deadLetter: DeadLetterMark, now: number): void {
    const { entity } = this;
    const left = changed(this.#leave(message), envelope);
    if (entity.type !== "topic") entity.router.bury(entity, left, deadLetter, message, now);
  }

  /** Removes a message that goes elsewhere. */
  #leave(message: QueuedMessage): Incoming<bigint> {
    const left = moved(message, this.store.numberOf(message));
    this.remove(message);
    return left;
  }

  /** Ends the lock of a message and returns it to its lane. */
  giveBack(message: QueuedMessage, counting: Counting, now: number): void {
    const counts = counting === "counted" || (counting === "countedIfSettled" && message.lock?.wasSettled === true);
    this.#unlock(message);
    if (counts && ++message.deliveryCount >= this.maxDeliveryCount) {
      const { entity } = this;
      const mark = tooManyDeliveries(message.deliveryCount);
      this.#whenLoaded(message, now, (at) => {
        if (entity.type !== "topic") entity.router.deadLetter(entity, this.#leave(message), mark, message, at);
      });
      return;
    }
    this.entity.facts?.cameBack(message);
    if (message.state === "deferred") this.#setAside(message, now);
    else this.#makeReady(message, "returned", now);
  }

  /** Ends every lock of a holder, who closes, or of all. */
  release(holder: object | undefined, now: number): void {
    this.sessions?.release(holder, now);
    for (const message of this.locks.heldBy(holder)) this.giveBack(message, countingOf(holder), now);
  }

  /** Deletes messages that nobody holds and that are not scheduled, oldest first; returns how many. */
  deleteMessages(maxMessages: number, wanted: (message: QueuedMessage) => boolean): number {
    let deleted = 0;
    for (const message of this.store.from(undefined)) {
      if (deleted >= maxMessages) break;
      if (message.lock !== undefined || message.state === "scheduled" || !wanted(message)) continue;
      this.remove(message);
      deleted++;
    }
    return deleted;
  }

  /** Removes every ready message, oldest first; for forwarding. */
  drainReady(take: (message: QueuedMessage, now: number) => void): void {
    const now = this.timeline.now();
    for (const message of this.store.from(undefined)) {
      if (!message.ready) continue;
      this.#whenLoaded(message, now, (at) => {
        this.remove(message);
        take(message, at);
      });
    }
  }

  /** Called by the timeline for a message that is due: its lock or time to live has ended, or its scheduled time has come. */
  messageDue(message: QueuedMessage, now: number): void {
    const session = sessionOf(message);
    // A session's lock has its own timer, so the message must have expired.
    if (message.lock !== undefined && session !== undefined) this.expireSession(session, now);
    else if (message.lock !== undefined) this.giveBack(message, "counted", now);
    else if (message.state === "scheduled") this.#activate(message, now);
    else this.#expire(message, now);
  }

  /** Expires every unlocked message of a session in order, including one just taken out of its lane. */
  expireSession(session: MemorySession, now: number, taken?: QueuedMessage): void {
    const expired = new Set(taken === undefined ? [] : [taken]);
    for (let message = session.shift(); message !== undefined; message = session.shift()) expired.add(message);
    for (const message of session.deferred) if (message.lock === undefined) expired.add(message);
    for (const message of [...expired].toSorted((left, right) => left.position - right.position))
      this.#expireAlone(message, now);
  }

  /** @throws SobreError `MessagingEntityNotFound` once its entity is deleted. */
  checkAlive(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** Deletes every message, lock and session state; receives keep waiting, and messages in an open transaction stay with it. */
  clear(now: number): void {
    // Backwards, since the items scheduled last are the cheapest to remove from the timeline.
    for (const message of Array.from(this.store.from(undefined)).toReversed())
      if (message.lock?.transaction === undefined) this.remove(message);
    this.sessions?.clear(now);
  }

  /** Deletes everything and refuses the waiting receives. */
  destroy(refusal: SobreError): void {
    this.#refusal = refusal;
    for (const message of this.store.from(undefined)) {
      this.timeline.cancel(message);
      this.entity.facts?.pager.left(message);
      message.leave();
    }
    this.entity.meter.memory.used -= this.locks.size * besides.lock;
    this.locks.clear();
    this.store.clear();
    this.refuseWaiting(refusal);
    this.sessions?.destroy();
  }

  /** Refuses waiting receives and accepts. */
  refuseWaiting(refusal: SobreError): void {
    for (const waiting of this.#lane.waiting) waiting.refuse(refusal);
    this.sessions?.refuseWaiting(refusal);
  }

  /** Whether a receive or an accept is waiting. */
  get awaited(): boolean {
    return this.#lane.waiting.first !== undefined || this.sessions?.awaited === true;
  }

  #activate(message: QueuedMessage, now: number): void {
    this.entity.touch(now);
    this.#whenLoaded(message, now, (at) => this.entity.router.arrive(this.entity, this.#leave(message), at));
  }

  /** Continues with a message that needs its envelope: synchronously, or once it has been read from the store. */
  #whenLoaded(message: QueuedMessage, now: number, goOn: (now: number) => void): void {
    const { facts } = this.entity;
    if (message.isLoaded || facts === undefined) {
      goOn(now);
      return;
    }
    this.timeline.cancel(message);
    message.place.remove(message);
    facts.pager.park(message, () => {
      // The event counts as having happened at `now`, however long the read took.
      if (this.#refusal === undefined && !message.isGone) goOn(now);
    });
  }

  #handOver(message: QueuedMessage, link: QueueReceiveLink, now: number): Delivery {
    if (link.receiveMode === "receiveAndDelete") {
      const delivery = this.store.describe(message, link.holder);
      this.remove(message);
      return delivery;
    }
    const { sessionLock, holder } = link;
    const until = sessionLock?.until ?? now + this.lockDuration;
    const lock = this.locks.add(message, until, holder, sessionLock?.mark);
    this.entity.meter.memory.used += besides.lock;
    this.entity.facts?.status(message);
    if (sessionLock === undefined) this.timeline.schedule(message, until);
    else sessionLock.session.locked.add(message);
    return this.store.describe(message, holder, lock);
  }

  #makeReady(message: QueuedMessage, as: "fresh" | "returned", now: number): void {
    const { place } = message;
    if (as === "fresh") place.append(message);
    else place.giveBack(message);
    this.#await(message, now);
    place.wake();
  }

  #setAside(message: QueuedMessage, now: number): void {
    sessionOf(message)?.deferred.add(message);
    this.#await(message, now);
  }

  /** Schedules the message's expiry, or expires it now. */
  #await(message: QueuedMessage, now: number): void {
    if (message.expiresAt <= now) this.#expire(message, now);
    else if (message.expiresAt !== Infinity) this.timeline.schedule(message, message.expiresAt);
  }

  #expire(message: QueuedMessage, now: number): void {
    const session = sessionOf(message);
    if (session === undefined) this.#expireAlone(message, now);
    else if (session.lock === undefined) {
      session.overdue.add(message);
    } else this.expireSession(session, now, message);
  }

  #expireAlone(message: QueuedMessage, now: number): void {
    const { entity } = this;
    if (entity.type === "topic" || !entity.settings.deadLetteringOnMessageExpiration) {
      this.remove(message);
      return;
    }
    this.#whenLoaded(message, now, (at) => entity.router.expire(entity, this.#leave(message), message, at));
  }

  #unlock(message: QueuedMessage): void {
    if (message.lock === undefined) return;
    this.locks.delete(message.lock);
    this.entity.meter.memory.used -= besides.lock;
    sessionOf(message)?.locked.delete(message);
    message.lock = undefined;
    this.timeline.cancel(message);
  }
}

/** The session that a message belongs to, on session entities. */
export const sessionOf = ({ place }: QueuedMessage): MemorySession | undefined =>
  place instanceof MemorySession ? place : undefined;
