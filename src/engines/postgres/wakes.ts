import { systemClock, type Timer } from "../../time/clock.ts";
import { listen, type Listener, type Session } from "./database.ts";

/** The channel of all namespaces of a database. */
const channel = "sobre";

/** Milliseconds for which wake-ups are batched: PostgreSQL serializes the commits of notifying transactions. */
const gathered = 5;

/** Milliseconds until a lost connection is reopened; polling finds messages meanwhile. */
const reconnectAfter = 1000;

/** Maximum number of queues per notification: its payload is limited to 8,000 bytes. */
const mostQueues = 400;

/** Stands for every queue, when entities have changed. */
const anyQueue = -1;

/** How a process announces that queues have received messages, and listens for such announcements. */
export interface WakesSetup {
  readonly session: Session;
  /** Identifies the namespace. */
  readonly schema: string;
  /** Where to listen; without it, polling alone finds what others send. */
  readonly connectionString: string | undefined;
  /** Called with the queues that have received messages from other processes; `undefined` means any queue, after entities have changed. */
  readonly onWake: (queues: ReadonlySet<number> | undefined) => void;
}

/** Wake-ups between processes, never sent within the transaction of a send, whose commits they would serialize. */
export class Wakes {
  readonly #setup: WakesSetup;
  /** Distinguishes its own notifications from those of others. */
  readonly #node: string = crypto.randomUUID();
  #pending = new Set<number>();
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
    const { connectionString } = this.#setup;
    if (connectionString === undefined || this.#closed) return;
    try {
      const listener = await listen(connectionString, channel, {
        onPayload: (payload) => this.#heard(payload),
        onEnd: () => this.#reconnect(),
      });
      this.#listener = listener;
      if (this.#isClosed()) await listener.close();
    } catch {
      this.#reconnect();
    }
    // Notifications were missed while the connection was down.
    this.#setup.onWake(undefined);
  }

  /** Announces, within milliseconds, that entities have changed. */
  notifyChange(): void {
    this.notify([anyQueue]);
  }

  /** Announces that queues have received messages: at once, unless the last announcement was milliseconds ago. */
  notify(queues: Iterable<number>): void {
    if (this.#closed) return;
    for (const queue of queues) this.#pending.add(queue);
    if (this.#pending.size === 0 || this.#timer !== undefined) return;
    const after = this.#flushedAt + gathered - performance.now();
    if (after <= 0) this.#flush();
    else this.#timer = systemClock.setTimer(Date.now() + after, () => this.#flush());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    this.#reconnecting?.cancel();
    await this.#listener?.close();
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  #flush(): void {
    this.#timer = undefined;
    this.#flushedAt = performance.now();
    const queues = [...this.#pending];
    this.#pending = new Set();
    const { session, schema } = this.#setup;
    for (let first = 0; first < queues.length; first += mostQueues) {
      const payload = [this.#node, schema, ...queues.slice(first, first + mostQueues)].join(" ");
      // If a wake-up fails, polling finds the messages.
      session.query("select pg_notify($1, $2)", [channel, payload]).catch(() => {});
    }
  }

  #heard(payload: string): void {
    const [node, schema, ...queues] = payload.split(" ");
    if (node === this.#node || schema !== this.#setup.schema) return;
    const named = new Set(queues.map(Number));
    this.#setup.onWake(named.has(anyQueue) ? undefined : named);
  }

  #reconnect(): void {
    this.#listener = undefined;
    if (this.#closed) return;
    this.#reconnecting?.cancel();
    this.#reconnecting = systemClock.setTimer(Date.now() + reconnectAfter, () => void this.start());
  }
}
