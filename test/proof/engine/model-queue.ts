import { type ModelDue, type ModelMessage, type ModelSessionLock, type ModelWait, told } from "./model-message.ts";

/** The settings of a queue of the model. */
export interface ModelOptions {
  readonly lockDuration: number;
  readonly maxDeliveryCount: number;
  readonly timeToLive: number;
  readonly deadLetterExpired: boolean;
  readonly sessions: boolean;
  /** Milliseconds in which a message id counts as seen; 0 switches detection off. */
  readonly duplicateWindow: number;
}

/** The state that the queues of a model share. */
export interface ModelTime {
  now: number;
  /** Nothing is due before. */
  earliest: number;
  /** Counts everything that is set to happen. */
  settings: number;
  locks: number;
}

/** The outcome of a take. */
export interface Taken {
  readonly text: string;
  readonly locks: readonly number[];
}

const byPosition = (left: ModelMessage, right: ModelMessage): number => left.position - right.position;

/** A queue as its promises say, in the simplest way that comes to mind: a list, looked through for everything. */
export class ModelQueue {
  readonly time: ModelTime;
  readonly options: ModelOptions;
  readonly dead: ModelQueue | undefined;
  messages: ModelMessage[] = [];
  waits: ModelWait[] = [];
  sessionLocks: ModelSessionLock[] = [];
  /** Sessions that can be accepted next, in the order in which they became so. */
  available: string[] = [];
  readonly states: Map<string, string> = new Map();
  /** When it was first given something to hand out since the last time, counted as {@link ModelTime.settings}. */
  wokenAt: number = Infinity;
  readonly #seen = new Map<string, number>();
  #number = 0;
  #position = 0;

  constructor(time: ModelTime, options: ModelOptions, dead: ModelQueue | undefined) {
    this.time = time;
    this.options = options;
    this.dead = dead;
  }

  /** Uses up a number. */
  takeNumber(): number {
    return ++this.#number;
  }

  /** Whether the id is a duplicate; remembers it when not. */
  isDuplicate(id: string): boolean {
    const { duplicateWindow } = this.options;
    if (duplicateWindow === 0) return false;
    const seenAt = this.#seen.get(id);
    if (seenAt !== undefined && seenAt + duplicateWindow > this.time.now) return true;
    this.#seen.set(id, this.time.now);
    return false;
  }

  enqueue(id: string, session: string | undefined, timeToLive: number, more: Partial<ModelMessage> = {}): void {
    const { now } = this.time;
    const number = ++this.#number;
    const message: ModelMessage = {
      id,
      session,
      timeToLive,
      position: ++this.#position,
      number,
      firstNumber: number,
      enqueuedAt: now,
      expiresAt: now + Math.min(timeToLive, this.options.timeToLive),
      reason: undefined,
      count: 0,
      state: "ready",
      lock: 0,
      settledUnder: 0,
      lockedUntil: 0,
      holder: 0,
      overdue: false,
      dueAt: Infinity,
      setAs: 0,
      ...more,
    };
    this.messages.push(message);
    this.#waitForExpiry(message);
    this.settleSession(session);
    if (message.state === "ready" && !this.options.sessions) this.wake();
  }

  schedule(id: string, session: string | undefined, timeToLive: number, at: number): number {
    this.enqueue(id, session, timeToLive, { state: "scheduled", expiresAt: Infinity });
    const message = this.messages[this.messages.length - 1];
    if (message !== undefined) this.set(message, at);
    return this.#number;
  }

  take(sessionLock: ModelSessionLock | undefined, max: number, deletes: boolean, holder: number): Taken {
    const ready = this.messages
      .filter(({ state, lock, session }) => state === "ready" && lock === 0 && this.#isIn(session, sessionLock))
      .toSorted(byPosition)
      .slice(0, max);
    return this.handOver(ready, sessionLock, deletes, holder);
  }

  handOver(
    messages: readonly ModelMessage[],
    sessionLock: ModelSessionLock | undefined,
    deletes: boolean,
    holder: number,
  ): Taken {
    const locks: number[] = [];
    const texts = messages.map((message) => {
      if (deletes) {
        const text = told(message, undefined);
        this.remove(message);
        return text;
      }
      message.lock = ++this.time.locks;
      message.holder = holder;
      locks.push(message.lock);
      message.lockedUntil = sessionLock?.dueAt ?? this.time.now + this.options.lockDuration;
      // In a session the time to live goes on.
      if (sessionLock === undefined) this.set(message, message.lockedUntil);
      return told(message, message.lockedUntil);
    });
    return { text: texts.join("|"), locks };
  }

  /** The free messages with these numbers, or `undefined` unless all are there. */
  find(numbers: readonly number[], state: ModelMessage["state"]): ModelMessage[] | undefined {
    const found = numbers.map((number) =>
      this.messages.find((message) => message.number === number && message.state === state && message.lock === 0),
    );
    const there = found.filter((message) => message !== undefined);
    return there.length === numbers.length && new Set(numbers).size === numbers.length ? there : undefined;
  }

  /** @param counts Whether it counts a delivery: always, never, or if a transaction had settled it under its lock. */
  giveBack(message: ModelMessage, counts: boolean | "ifSettled"): void {
    const counted = counts === "ifSettled" ? message.settledUnder === message.lock : counts;
    message.lock = 0;
    if (counted && ++message.count >= this.options.maxDeliveryCount) this.bury(message, "MaxDeliveryCountExceeded");
    else this.#waitForExpiry(message);
    this.settleSession(message.session);
    if (!this.options.sessions) this.wake();
  }

  defer(message: ModelMessage): void {
    message.lock = 0;
    message.count++;
    message.state = "deferred";
    this.#waitForExpiry(message);
  }

  bury(message: ModelMessage, reason: string): void {
    this.remove(message);
    const { id, session, enqueuedAt, count, firstNumber } = message;
    this.dead?.enqueue(id, session, Infinity, { enqueuedAt, count, firstNumber, reason });
  }

  remove(message: ModelMessage): void {
    this.messages.splice(this.messages.indexOf(message), 1);
    this.settleSession(message.session);
  }

  /** The end of a message whose time has come. */
  due(message: ModelMessage): void {
    message.dueAt = Infinity;
    if (message.lock === 0) this.#expire(message);
    else if (this.options.sessions) this.expireSession(message.session ?? "");
    else this.giveBack(message, true);
  }

  expireSession(id: string): void {
    const own = this.messages.filter(
      ({ session, lock, state }) => session === id && lock === 0 && state !== "scheduled",
    );
    for (const message of own.toSorted(byPosition)) this.#expireAlone(message);
  }

  lockOf(id: string | undefined): ModelSessionLock | undefined {
    return this.sessionLocks.find((lock) => lock.id === id);
  }

  grant(id: string, holder: number): ModelSessionLock {
    const lock: ModelSessionLock = { id, holder, held: true, dueAt: Infinity, setAs: 0 };
    this.set(lock, this.time.now + this.options.lockDuration);
    this.sessionLocks.push(lock);
    this.settleSession(id);
    if (this.messages.some(({ session, overdue }) => session === id && overdue)) this.expireSession(id);
    return lock;
  }

  grantNext(holder: number): ModelSessionLock | undefined {
    for (let id = this.available[0]; id !== undefined; id = this.available[0]) {
      const expired = this.messages.some(({ session, overdue }) => session === id && overdue);
      if (!expired) return this.grant(id, holder);
      this.available.shift();
      this.expireSession(id);
    }
    return undefined;
  }

  /** Ends a session lock; who waits in it is refused. */
  lose(lock: ModelSessionLock, counted: boolean | "ifSettled"): void {
    lock.held = false;
    this.sessionLocks.splice(this.sessionLocks.indexOf(lock), 1);
    const locked = this.messages.filter(({ session, lock: held }) => session === lock.id && held !== 0);
    for (const message of locked.toSorted((left, right) => left.lock - right.lock)) this.giveBack(message, counted);
    for (const wait of this.waits.filter(({ sessionLock }) => sessionLock === lock)) this.end(wait, "SessionLockLost");
    this.settleSession(lock.id);
  }

  end(wait: ModelWait, text: string): void {
    this.waits.splice(this.waits.indexOf(wait), 1);
    wait.slot.expected = text;
  }

  set(due: ModelDue, at: number): void {
    due.dueAt = at;
    if (at < this.time.earliest) this.time.earliest = at;
    due.setAs = ++this.time.settings;
  }

  /** Asks to be served: queues that are woken together are served in that order. */
  wake(): void {
    if (this.waits.length > 0 && this.wokenAt === Infinity) this.wokenAt = ++this.time.settings;
  }

  /** Hands out what is ready to those who wait. */
  serve(): void {
    this.wokenAt = Infinity;
    for (const wait of this.waits.slice()) {
      if (wait.max === undefined) {
        const { sessionId, holder } = wait;
        const isFree = sessionId !== undefined && this.lockOf(sessionId) === undefined;
        const lock =
          sessionId === undefined ? this.grantNext(holder) : isFree ? this.grant(sessionId, holder) : undefined;
        if (lock === undefined) continue;
        wait.slot.sessionLock = lock;
        this.end(wait, `session ${lock.id}`);
      } else {
        const taken = this.take(wait.sessionLock, wait.max, wait.deletes, wait.holder);
        if (taken.text === "") continue;
        wait.slot.locks = taken.locks;
        this.end(wait, taken.text);
      }
    }
  }

  settleSession(id: string | undefined): void {
    if (id === undefined || !this.options.sessions) return;
    const ready = this.messages.some(({ session, state, lock }) => session === id && state === "ready" && lock === 0);
    const free = ready && this.lockOf(id) === undefined;
    const listed = this.available.indexOf(id);
    if (free && listed === -1) this.available.push(id);
    if (!free && listed !== -1) this.available.splice(listed, 1);
    const isAwaited = this.waits.some(({ max }) => max === undefined);
    if (isAwaited && this.lockOf(id) === undefined) this.wake();
  }

  #isIn(session: string | undefined, lock: ModelSessionLock | undefined): boolean {
    return !this.options.sessions || session === lock?.id;
  }

  #waitForExpiry(message: ModelMessage): void {
    if (message.expiresAt <= this.time.now) this.#expire(message);
    else this.set(message, message.expiresAt);
  }

  #expire(message: ModelMessage): void {
    if (!this.options.sessions) this.#expireAlone(message);
    else if (this.lockOf(message.session) === undefined) {
      message.overdue = true;
      message.dueAt = Infinity;
    } else this.expireSession(message.session ?? "");
  }

  #expireAlone(message: ModelMessage): void {
    if (this.options.deadLetterExpired) this.bury(message, "TTLExpiredException");
    else this.remove(message);
  }
}
