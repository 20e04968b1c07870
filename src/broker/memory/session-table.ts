import type { ListSessionsOptions } from "../../core/engine/engine.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { Labelled } from "./bytes/handed-envelope.ts";
import type { LaneQueue } from "./lane.ts";
import { LinkedList } from "../../core/time/linked-list.ts";
import { besides } from "./meter.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { QueueOwner } from "./queue-owner.ts";
import { sessionLockLost } from "../../core/engine/refusals.ts";
import { type Counting, countingOf, MemorySession, SessionLock, type SessionOwner } from "./session.ts";
import type { TimedEvent, Timeline } from "./timeline.ts";

/** The queue of a {@link EntitySessions}. */
interface SessionQueue extends LaneQueue {
  readonly address: string;
  readonly lockDuration: number;
  readonly entity: QueueOwner;
  readonly timeline: Timeline;
  /** Ends the lock of a message and returns it to its lane. */
  giveBack(message: QueuedMessage, counting: Counting, now: number): void;
  /** Expires every unlocked message of a session. */
  expireSession(session: MemorySession, now: number): void;
}

/** An `acceptSession` that waits for the next session. */
export interface WaitingAccept extends TimedEvent {
  /** The requested session; `undefined` means the next available one. */
  readonly sessionId: string | undefined;
  readonly holder: Labelled;
  /** Ends the wait. */
  grant(lock: SessionLock): void;
  refuse(error: SobreError): void;
}

/** The sessions of a queue: their holders, and which can be accepted next. */
export class EntitySessions implements SessionOwner {
  readonly #queue: SessionQueue;
  readonly #sessions = new Map<string, MemorySession>();
  readonly #marks = new Map<string, SessionLock>();
  readonly #waiting = new Set<WaitingAccept>();
  /** How many of the waiting accepts request a session by id. */
  #wanting = 0;
  /** Free sessions with messages, in the order in which they became available. */
  readonly #available = new LinkedList<MemorySession>();
  #waking = false;
  /** Bytes of all session states. */
  stateBytes = 0;

  constructor(queue: SessionQueue) {
    this.#queue = queue;
  }

  /** The session with this id, created if it does not exist. */
  session(id: string): MemorySession {
    let session = this.#sessions.get(id);
    if (session === undefined) {
      session = new MemorySession(id, this, this.#queue);
      this.#sessions.set(id, session);
      this.#queue.entity.meter.memory.used += besides.session;
    }
    return session;
  }

  find(id: string): MemorySession | undefined {
    return this.#sessions.get(id);
  }

  /** The ids of sessions with messages or a state, or of those whose state was set after a time. */
  list({ updatedAfter, skip = 0, maxSessions = 100 }: ListSessionsOptions): readonly string[] {
    const found: string[] = [];
    for (const { id, messageCount, state, stateSetAt } of this.#sessions.values()) {
      const isListed =
        updatedAfter === undefined
          ? messageCount > 0 || state !== undefined
          : state !== undefined && stateSetAt > updatedAfter.getTime();
      if (isListed) found.push(id);
    }
    return found.toSorted().slice(skip, skip + maxSessions);
  }

  /** Sessions with messages, a state or a holder, by id. */
  sorted(skip: number, maxSessions: number): readonly MemorySession[] {
    const ids = [...this.#sessions.keys()].toSorted().slice(skip, skip + maxSessions);
    return ids.map((id) => this.session(id));
  }

  /** Whether a lock with this mark is held. */
  knows(mark: string): boolean {
    return this.#marks.has(mark);
  }

  /** Locks the session with this id, or returns `undefined` when it is held. */
  accept(id: string, holder: Labelled, now: number): SessionLock | undefined {
    const held = this.find(id)?.lock;
    if (held !== undefined) this.#queue.timeline.catchUp(held);
    const session = this.session(id);
    return session.lock === undefined ? this.#grant(session, holder, now) : undefined;
  }

  /** Locks the session with messages that has been available longest, or returns `undefined`. */
  acceptNext(holder: Labelled, now: number): SessionLock | undefined {
    for (let session = this.#available.first; session !== undefined; session = this.#available.first) {
      if (!session.expired) return this.#grant(session, holder, now);
      this.#available.remove(session);
      this.#queue.expireSession(session, now);
      this.settle(session);
    }
    return undefined;
  }

  /** Whether an accept is waiting for the next available session. */
  get contended(): boolean {
    return this.#waiting.size > this.#wanting;
  }

  /** Whether an accept is waiting, or a session is held. */
  get awaited(): boolean {
    return this.#waiting.size > 0 || this.#marks.size > 0;
  }

  wait(waiting: WaitingAccept): void {
    this.#waiting.add(waiting);
    if (waiting.sessionId !== undefined) this.#wanting++;
    this.#wake();
  }

  /** Removes a waiting accept; returns whether it was still waiting. */
  leave(waiting: WaitingAccept): boolean {
    if (!this.#waiting.delete(waiting)) return false;
    if (waiting.sessionId !== undefined) this.#wanting--;
    return true;
  }

  settle(session: MemorySession): void {
    const free = session.lock === undefined && session.size > 0;
    if (!free) this.#available.remove(session);
    else if (!this.#available.has(session)) this.#available.append(session);
    if (session.forgettable && this.#sessions.delete(session.id))
      this.#queue.entity.meter.memory.used -= besides.session;
    if (session.lock === undefined) this.#wake();
  }

  renew(lock: SessionLock, now: number): number {
    if (!lock.held) throw sessionLockLost(lock.session.id, this.#queue.address);
    lock.until = now + this.#queue.lockDuration;
    this.#queue.timeline.schedule(lock, lock.until);
    return lock.until;
  }

  lose(lock: SessionLock, counting: Counting, now: number): void {
    if (!lock.held) return;
    const { session } = lock;
    session.lock = undefined;
    this.#marks.delete(lock.mark);
    this.#queue.timeline.cancel(lock);
    for (const message of session.locked) this.#queue.giveBack(message, counting, now);
    const refusal = sessionLockLost(session.id, this.#queue.address);
    for (const waiting of session.waiting) waiting.refuse(refusal);
    this.settle(session);
  }

  /** Ends every lock of a holder, who closes, or of all holders. */
  release(holder: object | undefined, now: number): void {
    const held = [...this.#marks.values()].filter((lock) => holder === undefined || lock.holder === holder);
    for (const lock of held) this.lose(lock, countingOf(holder), now);
  }

  /** `now` is when it was set: before a restart, of a state that is loaded. */
  setState(session: MemorySession, state: Uint8Array | undefined, now: number): void {
    if (session.state === undefined && state === undefined) return;
    const bytes = (state?.byteLength ?? 0) - (session.state?.byteLength ?? 0);
    this.stateBytes += bytes;
    this.#queue.entity.meter.weigh(bytes, 0);
    session.state = state;
    session.stateSetAt = now;
    this.#queue.entity.facts?.sessionState(session.id, state, now);
  }

  /** Refuses the waiting accepts, and the receives of every session. */
  refuseWaiting(refusal: SobreError): void {
    for (const waiting of this.#waiting) waiting.refuse(refusal);
    for (const { session } of this.#marks.values()) for (const waiting of session.waiting) waiting.refuse(refusal);
  }

  /** Ends every lock, and deletes every state. */
  clear(now: number): void {
    this.release(undefined, now);
    for (const session of this.#sessions.values()) {
      this.setState(session, undefined, now);
      this.settle(session);
    }
  }

  /** Removes everything; called when the queue is deleted. */
  destroy(): void {
    const { meter } = this.#queue.entity;
    meter.weigh(-this.stateBytes, 0);
    meter.memory.used -= this.#sessions.size * besides.session;
    this.stateBytes = 0;
    this.#sessions.clear();
    for (const lock of this.#marks.values()) {
      lock.session.lock = undefined;
      this.#queue.timeline.cancel(lock);
    }
    this.#marks.clear();
  }

  #grant(session: MemorySession, holder: Labelled, now: number): SessionLock {
    this.#available.remove(session);
    const lock = new SessionLock(session, holder);
    session.lock = lock;
    this.#marks.set(lock.mark, lock);
    this.renew(lock, now);
    if (session.expired) this.#queue.expireSession(session, now);
    return lock;
  }

  /** In a microtask, so that sessions that became available together are granted in order of waiting. */
  #wake(): void {
    if (this.#waking || this.#waiting.size === 0) return;
    this.#waking = true;
    queueMicrotask(() => {
      this.#waking = false;
      const now = this.#queue.timeline.now();
      for (const waiting of this.#waiting) {
        const { sessionId, holder } = waiting;
        const lock = sessionId === undefined ? this.acceptNext(holder, now) : this.accept(sessionId, holder, now);
        if (lock !== undefined) waiting.grant(lock);
        else if (this.#wanting === 0) return;
      }
    });
  }
}
