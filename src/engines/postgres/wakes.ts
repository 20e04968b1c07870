import { Arrivals } from "./arrivals.ts";
import { systemClock, type Timer } from "../../time/clock.ts";
import { listen, type Listener, type Session } from "./database.ts";

/** The channel of all namespaces of a database. */
const channel = "sobre";

/** Milliseconds for which wake-ups are batched: PostgreSQL serializes the commits of notifying transactions. */
const gathered = 5;

/** Milliseconds until a lost connection is reopened; polling finds messages meanwhile. */
const reconnectAfter = 1000;

/** Maximum number of queues per notification: its payload is limited to 8,000 bytes. */
const mostQueues = 200;

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
  readonly onWake: (arrivals: Arrivals | undefined) => void;
  /** Whether receivers of this process wait for a queue's messages: others hear of those that they leave. */
  readonly isAwaited: (queue: number) => boolean;
  /** Whether receivers of this process have got past a position of a queue. */
  readonly isPassed: (queue: number, position: bigint) => boolean;
}

/** Wake-ups between processes, never sent within the transaction of a send, whose commits they would serialize. */
export class Wakes {
  readonly #setup: WakesSetup;
  /** Distinguishes its own notifications from those of others. */
  readonly #node: string = crypto.randomUUID();
  #pending = new Arrivals();
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
    const any = new Arrivals();
    any.add(anyQueue);
    this.notify(any);
  }

  /**
   * Announces that queues have received messages: at once, unless the last announcement was milliseconds ago, or
   * receivers of this process may take them all.
   */
  notify(arrivals: Arrivals): void {
    if (this.#closed || arrivals.size === 0) return;
    this.#pending.addAll(arrivals);
    const { isAwaited } = this.#setup;
    const mayStay = Array.from(arrivals).every(([queue, { highest }]) => highest !== undefined && isAwaited(queue));
    const after = Math.max(this.#flushedAt + gathered - performance.now(), mayStay ? gathered : 0);
    if (after <= 0) this.#flush();
    else this.#timer ??= systemClock.setTimer(Date.now() + after, () => this.#flush());
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
    this.#timer?.cancel();
    this.#timer = undefined;
    const { session, schema, isPassed } = this.#setup;
    const queues = Array.from(this.#pending).flatMap(([queue, { lowest, highest }]) => {
      if (highest !== undefined && isPassed(queue, highest)) return [];
      return lowest === undefined ? `${queue}` : `${queue}:${lowest}`;
    });
    this.#pending = new Arrivals();
    if (queues.length > 0) this.#flushedAt = performance.now();
    for (let first = 0; first < queues.length; first += mostQueues) {
      const payload = [this.#node, schema, ...queues.slice(first, first + mostQueues)].join(" ");
      // If a wake-up fails or is lost, polling finds the messages: no disk needs to be waited for.
      const statement = "select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";
      session.query(statement, [channel, payload]).catch(() => {});
    }
  }

  #heard(payload: string): void {
    const [node, schema, ...queues] = payload.split(" ");
    if (node === this.#node || schema !== this.#setup.schema) return;
    const arrivals = new Arrivals();
    let isAny = false;
    for (const named of queues) {
      // Anyone who may connect can notify, and an uncaught error in a listener ends the process.
      if (!/^-?\d+(?::\d+)?$/.test(named)) continue;
      const [queue, lowest] = named.split(":");
      isAny ||= Number(queue) === anyQueue;
      arrivals.add(Number(queue), lowest === undefined ? undefined : BigInt(lowest));
    }
    this.#setup.onWake(isAny ? undefined : arrivals);
  }

  #reconnect(): void {
    this.#listener = undefined;
    if (this.#closed) return;
    this.#reconnecting?.cancel();
    this.#reconnecting = systemClock.setTimer(Date.now() + reconnectAfter, () => void this.start());
  }
}
