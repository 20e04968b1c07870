import { Lane, type LaneQueue } from "./lane.ts";
import type { Linked } from "../../time/linked-list.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { Due } from "./timeline.ts";

/** The table that a session is in. */
export interface SessionOwner {
  /** Lists a session among those that can be accepted, or forgets it, as its state demands. */
  settle(session: Session): void;
  /** Renews a lock; returns its new end. @throws SobreError `SessionLockLost`. */
  renew(lock: SessionLock, now: number): number;
  /** @throws SobreError `SessionLockLost`. */
  setState(lock: SessionLock, state: Uint8Array | undefined, now: number): void;
  /** Ends a lock: its messages go back, and its waiting receives are refused. */
  lose(lock: SessionLock, counting: "counted" | "uncounted", now: number): void;
}

/** The messages of one session id, the lock on all of them, and the state that outlives them. */
export class Session extends Lane implements Linked<Session> {
  readonly id: string;
  readonly table: SessionOwner;
  lock: SessionLock | undefined = undefined;
  state: Uint8Array | undefined = undefined;
  /** When the state was set last, in milliseconds since 1970. */
  stateSetAt: number = -Infinity;
  /** Messages that are ready, locked or deferred. */
  messageCount = 0;
  previous: Session | undefined = undefined;
  next: Session | undefined = undefined;
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

  /** Messages that the holder of the session has taken and not settled. */
  get locked(): Set<QueuedMessage> {
    this.#locked ??= new Set();
    return this.#locked;
  }

  get deferred(): Set<QueuedMessage> {
    this.#deferred ??= new Set();
    return this.#deferred;
  }

  /** Messages that have outlived their time while nobody held the session. */
  get overdue(): Set<QueuedMessage> {
    this.#overdue ??= new Set();
    return this.#overdue;
  }

  /** Whether its messages expire as soon as somebody accepts it. */
  get expired(): boolean {
    return this.#overdue !== undefined && this.#overdue.size > 0;
  }

  /** Whether nothing would be lost by forgetting it. */
  get forgettable(): boolean {
    return this.messageCount === 0 && this.state === undefined && this.lock === undefined;
  }

  /** Notes that a message has left for good. */
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

/** The exclusive hold of one link on a session; over for good once it is lost. */
export class SessionLock implements Due {
  dueIndex = -1;
  readonly session: Session;
  /** The connection. */
  readonly holder: object;
  /** The beginning of the tokens of its messages, by which a late token is known to belong to a lost lock. */
  readonly mark: string = crypto.randomUUID().slice(0, 8);
  /** Milliseconds since 1970. */
  until = 0;

  constructor(session: Session, holder: object) {
    this.session = session;
    this.holder = holder;
  }

  /** Whether it is still the lock of its session. */
  get held(): boolean {
    return this.session.lock === this;
  }

  due(now: number): void {
    this.session.table.lose(this, "counted", now);
  }
}
