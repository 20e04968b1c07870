import { decodeMessage } from "../../wire/amqp/message/decode-message.ts";
import { notify } from "../client/process-error.ts";
import { createRetry, type Retry } from "../client/retry.ts";
import type { Engine, EngineSender, Transaction } from "../../core/engine/engine.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { MaybePromise } from "../../core/message/schema.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOption, checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { durationFrom } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";
import { OutboxEngine, OutboxTransaction } from "./outbox-engine.ts";
import type { OutboxMessage, OutboxStore } from "./outbox-store.ts";
import { transactInTurn } from "./transact.ts";

/** Options of {@link startOutbox}. */
export interface OutboxOptions {
  /** Whether this process relays; several may be willing, and one relays at a time. Default: true. */
  readonly relays?: boolean | undefined;
  /** Time between two looks at the store, at least 1 ms. Default: 500 ms. */
  readonly pollInterval?: DurationLike | undefined;
  /** The maximum number of messages that are read and sent at once. Default: 100. */
  readonly maxBatchSize?: number | undefined;
  /**
   * Time after which another process relays when this one was killed, at least 1 ms. A send without an answer for half
   * of this time has failed. Default: 30 seconds.
   */
  readonly leaseDuration?: DurationLike | undefined;
  /**
   * Called for each error of the store or the broker, which is tried again; errors that it throws are ignored. While a
   * message cannot be sent, later ones for its entity wait.
   */
  readonly onError?: ((error: unknown, message: OutboxMessage | undefined) => void) | undefined;
  /** For pauses. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const outboxChecks: OptionChecks<OutboxOptions> = {
  relays: is.flag,
  pollInterval: durationFrom(1),
  maxBatchSize: is.countFrom(1),
  leaseDuration: durationFrom(1),
  onError: is.aFunction,
  clock: is.clock,
};

/** Sends messages when a transaction of the caller's database has committed. */
export interface Outbox<Tx> extends AsyncDisposable {
  /** For `createClient`: sends in a {@link transaction} are kept, all others go straight to the broker. */
  readonly engine: Engine;
  /**
   * The transaction for `sendMessages`, which is open on your connection; needs no broker. A connection has one
   * transaction at a time: requests that share one use {@link inTransaction}.
   *
   * @throws SobreError `InvalidOperation` when none is open, here or from the first send.
   */
  transaction(transaction: Tx): Transaction;
  /**
   * Runs work in a transaction of your connection: begins it, commits it when the work has resolved, and rolls it back
   * when the work rejected. Those of one connection follow each other, so that concurrent requests can share it; other
   * statements on it join the transaction that is open.
   *
   * @throws what the work throws, and SobreError of the database.
   * @example
   * ```ts
   * const store = memoryOutbox(); // with sqliteOutbox or postgresOutbox: your own connection instead of store.begin()
   * const outbox = startOutbox(engine, store);
   * const sender = createClient({ engine: outbox.engine, serializer }).createSender("orders");
   * await outbox.inTransaction(store.begin(), (transaction) => sender.sendMessages({ body: 7 }, { transaction }));
   * await outbox.close();
   * ```
   */
  inTransaction<T>(connection: Tx, work: (transaction: Transaction) => MaybePromise<T>): Promise<T>;
  /** Stops relaying; what is left is relayed by others or later. The engine stays open. */
  close(): Promise<void>;
}

/**
 * Starts an outbox: messages are sent inside your own database transaction, and relayed in order afterwards, at least
 * once and with the same message id.
 *
 * The order is that of their sends; transactions that overlap have none. The other end drops repetitions by duplicate
 * detection or with `idempotent`.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 * @example
 * ```ts
 * const store = memoryOutbox(); // or sqliteOutbox, postgresOutbox
 * const outbox = startOutbox(engine, store);
 * const sender = createClient({ engine: outbox.engine, serializer }).createSender("orders");
 * const database = store.begin();
 * await sender.sendMessages({ body: { order: 7 } }, { transaction: outbox.transaction(database) });
 * await database.commit();
 * await outbox.close();
 * ```
 */
export function startOutbox<Tx>(engine: Engine, store: OutboxStore<Tx>, options: OutboxOptions = {}): Outbox<Tx> {
  checkOption("engine", engine, is.engine);
  checkOption("store", store, is.methods("an outbox, e.g. memoryOutbox()", "add", "lead", "resign", "read", "remove"));
  checkOptions(options, outboxChecks);
  const relay = new Relay(engine, store, options);
  if (options.relays !== false) relay.start();
  return {
    engine: new OutboxEngine(engine),
    transaction: (transaction) => new OutboxTransaction(store, transaction),
    async inTransaction(connection, work) {
      checkOption("work", work, is.aFunction);
      return transactInTurn(store, connection, work);
    },
    close: () => relay.close(),
    [Symbol.asyncDispose]: () => relay.close(),
  };
}

/** The longest pause of an entity whose messages cannot be sent, in milliseconds. */
const maxPause = 30_000;

/** An entity whose oldest message cannot be sent. */
interface Blocked {
  readonly failures: number;
  readonly until: number;
}

/** Moves messages from a store to a broker. */
class Relay<Tx> {
  readonly #engine: Engine;
  readonly #store: OutboxStore<Tx>;
  readonly #options: OutboxOptions;
  readonly #clock: Clock;
  readonly #leaseInMs: number;
  readonly #pollIntervalInMs: number;
  readonly #limited: Retry;
  readonly #owner = crypto.randomUUID();
  readonly #stop = new AbortController();
  readonly #senders = new Map<string, EngineSender>();
  readonly #blocked = new Map<string, Blocked>();
  #running: Promise<void> = Promise.resolve();
  #renewAt = 0;

  constructor(engine: Engine, store: OutboxStore<Tx>, options: OutboxOptions) {
    this.#engine = engine;
    this.#store = store;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#leaseInMs = toMilliseconds(options.leaseDuration ?? 30_000, "leaseDuration");
    this.#pollIntervalInMs = toMilliseconds(options.pollInterval ?? 500, "pollInterval");
    // A send that outlasted the lead would hold up all other entities, too.
    this.#limited = createRetry(this.#clock, { timeoutInMs: this.#leaseInMs / 2 }, "half of leaseDuration");
  }

  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await Promise.all([...this.#senders.keys()].map((entityPath) => this.#closeSender(entityPath)));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let isBusy = false;
      try {
        isBusy = await this.#relayBatch();
      } catch (error) {
        this.#report(error);
      }
      if (!isBusy) await pause(this.#clock, this.#pollIntervalInMs, signal);
    }
    try {
      await this.#store.resign(this.#owner);
    } catch (error) {
      this.#report(error);
    }
  }

  /** Relays the oldest messages; resolves to whether there may be more. */
  async #relayBatch(): Promise<boolean> {
    const { maxBatchSize = 100 } = this.#options;
    if (!(await this.#leads())) return false;
    const now = this.#clock.now();
    const waiting = [...this.#blocked].filter(([, { until }]) => until > now).map(([entityPath]) => entityPath);
    const messages = await this.#store.read(maxBatchSize, waiting);
    for (const run of runsOf(messages)) {
      if (this.#stop.signal.aborted) return false;
      // A slow broker must not outlast the lead.
      if (!(await this.#leads())) return false;
      await this.#relay(run);
    }
    return messages.length === maxBatchSize;
  }

  /** Whether this process is the one that relays; the store is asked when half of the lease is over. */
  async #leads(): Promise<boolean> {
    const leaseInMs = this.#leaseInMs;
    const now = this.#clock.now();
    if (now < this.#renewAt) return true;
    const leads = await this.#store.lead(this.#owner, leaseInMs);
    this.#renewAt = leads ? now + leaseInMs / 2 : 0;
    return leads;
  }

  /** Sends messages of one entity together, or one by one if they do not fit. */
  async #relay(messages: readonly OutboxMessage[]): Promise<void> {
    const [first] = messages;
    if (first === undefined || this.#isBlocked(first.entityPath)) return;
    try {
      let isOver = false;
      const timedOut = (): void => void (isOver = true);
      await this.#limited.once(() => this.#send(messages, () => isOver), { timedOut });
      this.#blocked.delete(first.entityPath);
    } catch (error) {
      if (messages.length > 1 && error instanceof SobreError && !error.retryable) {
        for (const message of messages) await this.#relay([message]);
        return;
      }
      this.#block(first, error);
    }
  }

  async #send(messages: readonly OutboxMessage[], isOver: () => boolean): Promise<void> {
    const envelopes: Envelope[] = messages.map(({ message }) => decodeMessage(message));
    const [first] = messages;
    if (first === undefined) return;
    const sender = this.#senders.get(first.entityPath) ?? (await this.#engine.openSender(first.entityPath));
    // A link that opens after the time limit is not used: the messages are sent by a later try.
    if (isOver()) return sender.close();
    this.#senders.set(first.entityPath, sender);
    await sender.send(envelopes);
    const ids = messages.map(({ id }) => id);
    if (await this.#store.remove(this.#owner, ids)) return;
    this.#renewAt = 0;
    // The new leader sends them again, with the same ids.
    throw new SobreError("ServiceBusy", "Another process relays the outbox now. The messages are sent again by it.");
  }

  #isBlocked(entityPath: string): boolean {
    const blocked = this.#blocked.get(entityPath);
    return blocked !== undefined && blocked.until > this.#clock.now();
  }

  #block(message: OutboxMessage, error: unknown): void {
    const failures = (this.#blocked.get(message.entityPath)?.failures ?? 0) + 1;
    const until = this.#clock.now() + Math.min(1_000 * 2 ** Math.min(failures - 1, 10), maxPause);
    this.#blocked.set(message.entityPath, { failures, until });
    // Closing may take as long as sending did.
    void this.#closeSender(message.entityPath);
    this.#report(error, message);
  }

  async #closeSender(entityPath: string): Promise<void> {
    const sender = this.#senders.get(entityPath);
    this.#senders.delete(entityPath);
    try {
      await sender?.close();
    } catch {
      // The link is gone either way.
    }
  }

  #report(error: unknown, message?: OutboxMessage): void {
    notify(this.#options.onError, error, message);
  }
}

/** Neighbours for the same entity. */
function runsOf(messages: readonly OutboxMessage[]): readonly (readonly OutboxMessage[])[] {
  const runs: OutboxMessage[][] = [];
  for (const message of messages) {
    const last = runs.at(-1);
    if (last?.[0]?.entityPath === message.entityPath) last.push(message);
    else runs.push([message]);
  }
  return runs;
}
