import { Arrivals } from "./arrivals.ts";
import { systemClock, type Timer } from "../../core/time/clock.ts";
import type { Listener, ListenerEvents, DatabaseSession } from "./database.ts";

/** The channel of all namespaces of a database. */
const channel = "sobre";

/** Milliseconds for which wake-ups are batched: PostgreSQL serializes the commits of notifying transactions. */
const gathered = 5;

/** Milliseconds for which a process counts as waiting for a queue once it has said so, and after which it says so again. */
const waitsFor = 20_000;
const repeatedAfter = 8000;

/** Milliseconds for which arrivals are kept at least for processes that begin to wait meanwhile. */
const keptFor = 500;

/** Milliseconds until a lost connection is reopened; polling finds messages meanwhile. */
const reconnectAfter = 1000;

/** Maximum number of queues per notification: its payload is limited to 8,000 bytes. */
const maxQueues = 200;

/** Stands for every queue, when entities have changed. */
const anyQueue = -1;

/** How a process announces that queues have received messages, and listens for such announcements. */
export interface WakesSetup {
  readonly session: DatabaseSession;
  /** Identifies the namespace. */
  readonly schema: string;
  /** Opens the connection for listening; without it, polling alone finds what others send. */
  readonly listen: ((channel: string, events: ListenerEvents) => Promise<Listener>) | undefined;
  /** Called with the queues that have received messages from other processes; `undefined` means any queue, after entities have changed. */
  readonly onWake: (arrivals: Arrivals | undefined) => void;
  /** Whether calls of this process wait for a queue, and whether it is for any of its messages: others hear of those that they leave. */
  readonly isAwaited: (queue: number) => boolean;
  readonly isTaking: (queue: number) => boolean;
  /** Whether receivers of this process have got past a position of a queue. */
  readonly isPassed: (queue: number, position: bigint) => boolean;
}

/**
 * Wake-ups between processes, never sent within the transaction of a send, whose commits they would serialize.
 *
 * Each of them wakes every process and its connection, so a queue's arrivals are announced only while another process has
 * said that it waits for the queue, unless they are late.
 */
export class Wakes {
  readonly #setup: WakesSetup;
  /** Distinguishes its own notifications from those of others. */
  readonly #node: string = crypto.randomUUID();
  #pending = new Arrivals();
  /** Arrivals that nobody has waited for, of this period and of the one before. */
  #kept: readonly [now: Arrivals, before: Arrivals] = [new Arrivals(), new Arrivals()];
  #keptSince = -Infinity;
  /** Until when other processes wait for queues. */
  readonly #wanted = new Map<number, number>();
  /** Until when some may wait that have not been heard. */
  #deafUntil = Infinity;
  /** The queues that this process has said it waits for. */
  readonly #asked = new Set<number>();
  #asking: Timer | undefined;
  #timer: Timer | undefined;
  #flushedAt = -Infinity;
  #reconnecting: Timer | undefined;
  #listener: Listener | undefined;
  #closed = false;

  constructor(setup: WakesSetup) {
    this.#setup = setup;
  }

  /** Starts listening; retries later after a failure. */
  async start(): Promise<void> {
    const { listen } = this.#setup;
    if (listen === undefined || this.#closed) return;
    try {
      const listener = await listen(channel, {
        onPayload: (payload) => this.#heard(payload),
        onEnd: () => this.#reconnect(),
      });
      this.#listener = listener;
      this.#deafUntil = performance.now() + repeatedAfter + reconnectAfter;
      if (this.#isClosed()) await listener.close();
    } catch {
      this.#reconnect();
    }
    // Notifications were missed while the connection was down.
    this.#setup.onWake(undefined);
  }

  /** Announces, within milliseconds, that entities have changed. */
  notifyChange(): void {
    const any = new Arrivals();
    any.add(anyQueue);
    this.notify(any);
  }

  /**
   * Announces that queues have received messages: at once, unless the last announcement was milliseconds ago, or
   * receivers of this process may take them all.
   *
   * @param areLate Whether receivers may have passed their numbers long ago: then every process hears of them.
   */
  notify(arrivals: Arrivals, areLate = false): void {
    if (this.#closed) return;
    const now = performance.now();
    this.#forget(now);
    this.#kept[0].addAll(arrivals);
    const queues = Array.from(arrivals, ([queue]) => queue);
    this.#announce(areLate ? queues : queues.filter((queue) => this.#isWanted(queue, now)));
  }

  /** Says, unless it has lately, that this process waits for a queue, whose arrivals others announce from now on. */
  wait(queue: number): void {
    if (!this.#closed && this.#listener !== undefined && !this.#asked.has(queue)) this.#ask([queue]);
  }

  #ask(queues: readonly number[]): void {
    for (const queue of queues) this.#asked.add(queue);
    this.#tell(queues.map((queue) => `?${queue}`));
    this.#asking ??= systemClock.setTimer(Date.now() + repeatedAfter, () => {
      this.#asking = undefined;
      const awaited = [...this.#asked].filter(this.#setup.isAwaited);
      this.#asked.clear();
      if (awaited.length > 0) this.#ask(awaited);
    });
  }

  /** Forgets arrivals that a process which begins to wait now finds by itself, and processes that have not asked lately. */
  #forget(now: number): void {
    const age = now - this.#keptSince;
    if (age < keptFor) return;
    for (const [queue, until] of this.#wanted) if (until <= now) this.#wanted.delete(queue);
    this.#kept = [new Arrivals(), age < keptFor * 2 ? this.#kept[0] : new Arrivals()];
    this.#keptSince = now;
  }

  #isWanted(queue: number, now: number): boolean {
    return queue === anyQueue || now < this.#deafUntil || now < (this.#wanted.get(queue) ?? 0);
  }

  #announce(queues: readonly number[]): void {
    const arrivals = new Arrivals();
    for (const queue of queues) for (const kept of this.#kept) kept.move(queue, arrivals);
    if (arrivals.size === 0) return;
    this.#pending.addAll(arrivals);
    const { isTaking } = this.#setup;
    const mayStay = Array.from(arrivals).every(([queue, { highest }]) => highest !== undefined && isTaking(queue));
    const after = Math.max(this.#flushedAt + gathered - performance.now(), mayStay ? gathered : 0);
    if (after <= 0) this.#flush();
    else this.#timer ??= systemClock.setTimer(Date.now() + after, () => this.#flush());
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of [this.#timer, this.#asking, this.#reconnecting]) timer?.cancel();
    await this.#listener?.close();
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const { isPassed } = this.#setup;
    const queues = Array.from(this.#pending).flatMap(([queue, { lowest, highest }]) => {
      if (highest !== undefined && isPassed(queue, highest)) return [];
      return lowest === undefined ? `${queue}` : `${queue}:${lowest}`;
    });
    this.#pending = new Arrivals();
    if (queues.length > 0) this.#flushedAt = performance.now();
    this.#tell(queues);
  }

  #tell(queues: readonly string[]): void {
    const { session, schema } = this.#setup;
    for (let first = 0; first < queues.length; first += maxQueues) {
      const payload = [this.#node, schema, ...queues.slice(first, first + maxQueues)].join(" ");
      // If a wake-up fails or is lost, polling finds the messages: no disk needs to be waited for.
      const statement = "select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";
      session.query(statement, [channel, payload]).catch(() => {});
    }
  }

  #heard(payload: string): void {
    const [node, schema, ...queues] = payload.split(" ");
    if (node === this.#node || schema !== this.#setup.schema) return;
    const arrivals = new Arrivals();
    const wanted: number[] = [];
    let isAny = false;
    for (const named of queues) {
      // Anyone who may connect can notify, and an uncaught error in a listener ends the process.
      if (/^\?\d+$/.test(named)) wanted.push(Number(named.slice(1)));
      if (!/^-?\d+(?::\d+)?$/.test(named)) continue;
      const [queue, lowest] = named.split(":");
      isAny ||= Number(queue) === anyQueue;
      arrivals.add(Number(queue), lowest === undefined ? undefined : BigInt(lowest));
    }
    const now = performance.now();
    for (const queue of wanted) this.#wanted.set(queue, now + waitsFor);
    this.#forget(now);
    this.#announce(wanted);
    if (isAny || arrivals.size > 0) this.#setup.onWake(isAny ? undefined : arrivals);
  }

  #reconnect(): void {
    this.#listener = undefined;
    this.#deafUntil = Infinity;
    if (this.#closed) return;
    this.#reconnecting?.cancel();
    this.#reconnecting = systemClock.setTimer(Date.now() + reconnectAfter, () => void this.start());
  }
}
