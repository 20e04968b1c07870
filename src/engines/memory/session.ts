import { Lane } from "./lane.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { SessionLock } from "./session-lock.ts";
import type { SessionTable } from "./session-table.ts";

/** The messages of one session id, the lock on all of them, and the state that outlives them. */
export class Session {
  readonly id: string;
  readonly table: SessionTable;
  readonly lane: Lane;
  lock: SessionLock | undefined = undefined;
  state: Uint8Array | undefined = undefined;
  /** When the state was set last, in milliseconds since 1970. */
  stateSetAt: number = -Infinity;
  /** Messages that are ready, locked or deferred. */
  messageCount = 0;
  previous: Session | undefined = undefined;
  next: Session | undefined = undefined;
  /** Whether it is among those that can be accepted next. */
  available = false;
  #locked: Set<QueuedMessage> | undefined;
  #deferred: Set<QueuedMessage> | undefined;
  #overdue: Set<QueuedMessage> | undefined;

  constructor(id: string, table: SessionTable, queue: MessageQueue) {
    this.id = id;
    this.table = table;
    this.lane = new Lane(queue, this);
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

  /** Takes a message that has left off every list. */
  forget(message: QueuedMessage): void {
    this.#deferred?.delete(message);
    this.#overdue?.delete(message);
  }

  /** Whether nothing would be lost by forgetting it. */
  get forgettable(): boolean {
    return this.messageCount === 0 && this.state === undefined && this.lock === undefined;
  }
}
