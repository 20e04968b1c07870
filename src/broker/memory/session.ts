import type { Labelled } from "./bytes/handed-envelope.ts";
import { Lane, type LaneQueue } from "./lane.ts";
import type { Linked } from "../../core/time/linked-list.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { TimedEvent } from "./timeline.ts";

/**
 * Whether the end of a lock counts a delivery. `countedIfSettled`, of an orderly close, counts it only if a transaction
 * had settled the message: its receiver has worked on it.
 */
export type Counting = "counted" | "uncounted" | "countedIfSettled";

/** Whether a delivery counts when the locks of a holder, who closes, or of all end. */
export const countingOf = (holder: object | undefined): Counting =>
  holder === undefined ? "uncounted" : "countedIfSettled";

/** The table that a session is in. */
export interface SessionOwner {
  /** Makes a session available or removes it, depending on its state. */
  settle(session: MemorySession): void;
  /** Renews a lock; returns its new end. @throws SobreError `SessionLockLost`. */
  renew(lock: SessionLock, now: number): number;
  setState(session: MemorySession, state: Uint8Array | undefined, now: number): void;
  /** Ends a lock: its messages return to the lane, and its waiting receives are refused. */
  lose(lock: SessionLock, counting: Counting, now: number): void;
}

/** The messages of one session id, the lock on all of them, and the state that outlives them. */
export class MemorySession extends Lane implements Linked<MemorySession> {
  readonly id: string;
  readonly table: SessionOwner;
  lock: SessionLock | undefined = undefined;
  state: Uint8Array | undefined = undefined;
  /** When the state was set last, in milliseconds since 1970. */
  stateSetAt: number = -Infinity;
  /** The number of ready, locked and deferred messages. */
  messageCount = 0;
  previous: MemorySession | undefined = undefined;
  next: MemorySession | undefined = undefined;
  #locked: Set<QueuedMessage> | undefined;
  #deferred: Set<QueuedMessage> | undefined;
  #overdue: Set<QueuedMessage> | undefined;

  constructor(id: string, table: SessionOwner, queue: LaneQueue) {
    super(queue);
    this.id = id;
    this.table = table;
  }

  override get sessionId(): string {
    return this.id;
  }

  /** Messages that the holder of the session has received and not settled. */
  get locked(): Set<QueuedMessage> {
    this.#locked ??= new Set();
    return this.#locked;
  }

  get deferred(): Set<QueuedMessage> {
    this.#deferred ??= new Set();
    return this.#deferred;
  }

  /** Messages that have expired while nobody held the session. */
  get overdue(): Set<QueuedMessage> {
    this.#overdue ??= new Set();
    return this.#overdue;
  }

  /** Its ready, locked and deferred messages that may be the first of all. */
  get foremost(): readonly QueuedMessage[] {
    const { first } = this;
    return [...(first === undefined ? [] : [first]), ...(this.#locked ?? []), ...(this.#deferred ?? [])];
  }

  /** Whether its messages expire as soon as it is accepted. */
  get expired(): boolean {
    return this.#overdue !== undefined && this.#overdue.size > 0;
  }

  /** Whether it can be removed without losing anything. */
  get forgettable(): boolean {
    return this.messageCount === 0 && this.state === undefined && this.lock === undefined;
  }

  /** Records that a message has left for good. */
  forget(message: QueuedMessage): void {
    this.#deferred?.delete(message);
    this.#overdue?.delete(message);
    this.messageCount--;
    if (this.lock === undefined) this.table.settle(this);
  }

  override wake(): void {
    if (this.lock === undefined) this.table.settle(this);
    else super.wake();
  }
}

/** The exclusive lock of one link on a session; once lost, it stays lost. */
export class SessionLock implements TimedEvent {
  dueIndex = -1;
  readonly session: MemorySession;
  /** The connection. */
  readonly holder: Labelled;
  /** The prefix of the tokens of its messages, which identifies late tokens of a lost lock. */
  readonly mark: string = crypto.randomUUID().slice(0, 8);
  /** Milliseconds since 1970. */
  until = 0;

  constructor(session: MemorySession, holder: Labelled) {
    this.session = session;
    this.holder = holder;
  }

  /** The session's. */
  get id(): string {
    return this.session.id;
  }

  /** Whether it is still the lock of its session. */
  get held(): boolean {
    return this.session.lock === this;
  }

  due(now: number): void {
    this.session.table.lose(this, "counted", now);
  }
}
