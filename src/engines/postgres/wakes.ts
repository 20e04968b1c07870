import { systemClock, type Timer } from "../../time/clock.ts";
import { listen, type Listener, type Session } from "./database.ts";

/** The channel of all namespaces of a database. */
const channel = "sobre";

/** Milliseconds for which wake-ups are gathered: a notification commits alone, one after the other. */
const gathered = 5;

/** Milliseconds until a lost connection is opened again; polling finds messages meanwhile. */
const reconnectAfter = 1000;

/** Queues that one notification names at most: its text is limited to 8,000 bytes. */
const mostQueues = 400;

/** Stands for every queue, since entities have changed. */
const anyQueue = -1;

/** How a process says that queues have got messages, and hears it. */
export interface WakesSetup {
  readonly session: Session;
  /** Names the namespace. */
  readonly schema: string;
  /** Where to listen; without it, polling alone finds what others send. */
  readonly connectionString: string | undefined;
  /** Called with the queues that have got messages elsewhere; `undefined` may be any, and entities have changed. */
  readonly onWake: (queues: ReadonlySet<number> | undefined) => void;
}

/** Wake-ups between processes, never in the transaction of a send: there they would queue up behind each other. */
export class Wakes {
  readonly #setup: WakesSetup;
  /** Distinguishes its own notifications from those of others. */
  readonly #node: string = crypto.randomUUID();
  #pending = new Set<number>();
  #timer: Timer | undefined;
  #reconnecting: Timer | undefined;
  #listener: Listener | undefined;
  #closed = false;

  constructor(setup: WakesSetup) {
    this.#setup = setup;
  }

  /** Begins to listen; a failure is tried again later. */
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
    // Notifications are missed while nobody listens.
    this.#setup.onWake(undefined);
  }

  /** Says, within milliseconds, that entities have changed. */
  notifyChange(): void {
    this.notify([anyQueue]);
  }

  /** Says, within milliseconds, that queues have got messages. */
  notify(queues: Iterable<number>): void {
    if (this.#closed) return;
    for (const queue of queues) this.#pending.add(queue);
    if (this.#pending.size > 0) this.#timer ??= systemClock.setTimer(Date.now() + gathered, () => this.#flush());
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
    const queues = [...this.#pending];
    this.#pending = new Set();
    const { session, schema } = this.#setup;
    for (let first = 0; first < queues.length; first += mostQueues) {
      const payload = [this.#node, schema, ...queues.slice(first, first + mostQueues)].join(" ");
      // Polling finds what a failed wake-up was for.
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
    this.#reconnecting = systemClock.setTimer(Date.now() + reconnectAfter, () => void this.start());
  }
}
