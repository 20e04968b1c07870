import type { SobreError } from "../../errors/sobre-error.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { ReceiveLink } from "./receive-link.ts";
import { sessionCannotBeLocked, sessionLockLost } from "./refusals.ts";
import { Session } from "./session.ts";
import { SessionLock } from "./session-lock.ts";
import type { WaitingAccept } from "./waiting-accept.ts";

/** The sessions of a queue: who holds which, and which can be accepted next. */
export class SessionTable {
  readonly #queue: MessageQueue;
  readonly #sessions = new Map<string, Session>();
  readonly #marks = new Map<string, SessionLock>();
  readonly #waiting = new Set<WaitingAccept>();
  #first: Session | undefined;
  #last: Session | undefined;
  #waking = false;
  /** Bytes of all session states. */
  stateBytes = 0;

  constructor(queue: MessageQueue) {
    this.#queue = queue;
  }

  /** The session of an id, made when it is new. */
  session(id: string): Session {
    let session = this.#sessions.get(id);
    if (session === undefined) {
      session = new Session(id, this, this.#queue);
      this.#sessions.set(id, session);
    }
    return session;
  }

  find(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  all(): Iterable<Session> {
    return this.#sessions.values();
  }

  /** Whether a lock with this mark is held. */
  knows(mark: string): boolean {
    return this.#marks.has(mark);
  }

  /** Locks the session of an id. @throws SobreError `SessionCannotBeLocked`. */
  accept(id: string, link: ReceiveLink, now: number): SessionLock {
    const session = this.session(id);
    if (session.lock !== undefined) throw sessionCannotBeLocked(id, this.#queue.policy.address);
    return this.#grant(session, link, now);
  }

  /** Locks the session that has waited longest with messages, or returns `undefined`. */
  acceptNext(link: ReceiveLink, now: number): SessionLock | undefined {
    for (let session = this.#first; session !== undefined; session = this.#first) {
      if (!session.expired) return this.#grant(session, link, now);
      this.#unlist(session);
      this.#queue.expireSession(session, now);
      this.settle(session);
    }
    return undefined;
  }

  /** Whether somebody waits for a session. */
  get contended(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether somebody waits for a session, or holds one. */
  get awaited(): boolean {
    return this.#waiting.size > 0 || this.#marks.size > 0;
  }

  wait(waiting: WaitingAccept): void {
    this.#waiting.add(waiting);
    this.#wake();
  }

  /** Says whether it was still waiting. */
  leave(waiting: WaitingAccept): boolean {
    return this.#waiting.delete(waiting);
  }

  /** Puts a session among those that can be accepted next, when it is free and has messages, and forgets it when it can. */
  settle(session: Session): void {
    const free = session.lock === undefined && session.lane.size > 0;
    if (free && !session.available) this.#list(session);
    if (!free && session.available) this.#unlist(session);
    if (session.forgettable) this.#sessions.delete(session.id);
    else if (free) this.#wake();
  }

  renew(lock: SessionLock, now: number): number {
    if (!lock.held) throw sessionLockLost(lock.session.id, this.#queue.policy.address);
    lock.until = now + this.#queue.policy.lockDuration;
    this.#queue.timeline.schedule(lock, lock.until);
    return lock.until;
  }

  /** Ends a lock: its messages go back, and its link is told. */
  lose(lock: SessionLock, counting: "counted" | "uncounted", now: number): void {
    if (!lock.held) return;
    const { session } = lock;
    session.lock = undefined;
    this.#marks.delete(lock.mark);
    this.#queue.timeline.cancel(lock);
    for (const message of session.locked) this.#queue.giveBack(message, counting, now);
    const refusal = sessionLockLost(session.id, this.#queue.policy.address);
    for (const waiting of session.lane.waiting) waiting.refuse(refusal);
    this.settle(session);
  }

  /** Ends every lock of a holder, or of all. */
  release(holder: object | undefined, now: number): void {
    const held = [...this.#marks.values()].filter(({ link }) => holder === undefined || link.holder === holder);
    for (const lock of held) this.lose(lock, "uncounted", now);
  }

  /** @param state `undefined` clears it. */
  setState(lock: SessionLock, state: Uint8Array | undefined, now: number): void {
    if (!lock.held) throw sessionLockLost(lock.session.id, this.#queue.policy.address);
    const { session } = lock;
    const bytes = (state?.byteLength ?? 0) - (session.state?.byteLength ?? 0);
    this.stateBytes += bytes;
    this.#queue.policy.meter.bytes += bytes;
    session.state = state;
    session.stateSetAt = now;
  }

  /** Refuses the accepts that wait, and the receives of every session. */
  refuseWaiting(refusal: SobreError): void {
    for (const waiting of this.#waiting) waiting.refuse(refusal);
    for (const { session } of this.#marks.values()) for (const waiting of session.lane.waiting) waiting.refuse(refusal);
  }

  /** Forgets every lock; for a queue that is gone. */
  destroy(): void {
    for (const lock of this.#marks.values()) {
      lock.session.lock = undefined;
      this.#queue.timeline.cancel(lock);
    }
    this.#marks.clear();
  }

  #grant(session: Session, link: ReceiveLink, now: number): SessionLock {
    if (session.available) this.#unlist(session);
    const lock = new SessionLock(session, link);
    session.lock = lock;
    this.#marks.set(lock.mark, lock);
    this.renew(lock, now);
    if (session.expired) this.#queue.expireSession(session, now);
    return lock;
  }

  /** In a microtask, so that what became free together is handed out in order of waiting. */
  #wake(): void {
    if (this.#waking || this.#waiting.size === 0 || this.#first === undefined) return;
    this.#waking = true;
    queueMicrotask(() => {
      this.#waking = false;
      const now = this.#queue.timeline.now();
      for (const waiting of this.#waiting) {
        const lock = this.acceptNext(waiting.link, now);
        if (lock === undefined) return;
        waiting.grant(lock);
      }
    });
  }

  #list(session: Session): void {
    session.available = true;
    session.previous = this.#last;
    if (this.#last === undefined) this.#first = session;
    else this.#last.next = session;
    this.#last = session;
  }

  #unlist(session: Session): void {
    session.available = false;
    if (session.previous === undefined) this.#first = session.next;
    else session.previous.next = session.next;
    if (session.next === undefined) this.#last = session.previous;
    else session.next.previous = session.previous;
    session.previous = undefined;
    session.next = undefined;
  }
}
