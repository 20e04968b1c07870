import { checkReceiveOptions, checkState } from "../../core/engine/arguments.ts";
import type { Delivery, LockToken, ReceiveMode } from "../../core/engine/delivery.ts";
import type { EngineReceiver, EngineSessionReceiver, ReceiveOptions } from "../../core/engine/engine.ts";
import { closed, messageTooLarge, sessionLockLost } from "../../core/engine/refusals.ts";
import type { LinkOwner } from "../policy/broker-verbs.ts";
import { sizedEntity } from "../policy/entities.ts";
import { touch } from "./admin.ts";
import { type Claim, claim, claimOfSession, type HeldSession } from "./claim.ts";
import type { Enlisted } from "./enlisted.ts";
import type { TableQueue } from "./entities.ts";
import type { Holdings } from "./holdings.ts";
import type { Home } from "./home.ts";
import { queueKey } from "./queue-state.ts";
import { readState, releaseSession, renewSession, writeState } from "./sessions.ts";
import { inTransaction } from "./sweep.ts";
import { type Pending, startWait } from "./waits.ts";

/** A connection as its links see it. */
export interface TableLinkOwner extends Pick<LinkOwner<Enlisted>, "closed"> {
  readonly home: Home;
  /** The locks that closing the connection releases. */
  readonly holdings: Holdings;
  /** Releases messages that no receiver is waiting for any more. */
  readonly release: (queue: TableQueue, tokens: readonly LockToken[]) => Promise<void>;
}

/** The receiving end of a link to a queue, subscription or sub-queue. */
export class PostgresReceiver implements EngineReceiver {
  protected readonly home: Home;
  protected readonly owner: TableLinkOwner;
  protected readonly queue: TableQueue;
  protected readonly receiveMode: ReceiveMode;
  readonly #pending = new Set<Pending<readonly Delivery[]>>();
  #closed = false;

  constructor(owner: TableLinkOwner, queue: TableQueue, receiveMode: ReceiveMode) {
    this.home = owner.home;
    this.owner = owner;
    this.queue = queue;
    this.receiveMode = receiveMode;
  }

  async receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    checkReceiveOptions(options);
    this.checkOpen();
    const { maxMessages, maxWaitTimeInMs, abortSignal } = options;
    const { store } = this.home;
    if (abortSignal?.aborted === true) return [];
    const attempt = async (): Promise<readonly Delivery[]> => {
      await this.home.catchUp();
      await touch(store, store.current(this.queue).entity);
      return this.take(maxMessages);
    };
    if (maxWaitTimeInMs === 0) return attempt();
    const pending = startWait(this.home.state(this.queue), {
      key: this.key,
      clock: store.clock,
      deadline: store.now() + maxWaitTimeInMs,
      abortSignal,
      attempt: async () => {
        const deliveries = await attempt();
        return deliveries.length === 0 ? undefined : deliveries;
      },
      giveUp: (deliveries) =>
        this.owner.release(
          this.queue,
          deliveries.flatMap(({ lockToken }) => lockToken ?? []),
        ),
    });
    this.#pending.add(pending);
    const deliveries = await pending.outcome.finally(() => this.#pending.delete(pending));
    return deliveries ?? [];
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#end();
    await this.released();
  }

  /** Closes without releasing any message. */
  async abort(): Promise<void> {
    this.#end();
  }

  #end(): void {
    this.#closed = true;
    this.owner.closed(this);
    for (const pending of this.#pending) pending.end();
  }

  protected checkOpen(): void {
    if (this.#closed) throw closed("receiver");
  }

  /** Receives that wait for the same messages share the key. */
  protected get key(): string {
    return queueKey;
  }

  protected async take(maxMessages: number): Promise<readonly Delivery[]> {
    const { store } = this.home;
    const state = this.home.state(this.queue);
    state.lookBack();
    const deliveries = await store.fresh(async () =>
      claim(store.database, store.schema, this.claimOf(maxMessages), state),
    );
    this.owner.holdings.took(this.queue, deliveries, store.now());
    if (deliveries.length > 0) this.home.active();
    return deliveries;
  }

  /** Releases the link's locks; called once. */
  protected async released(): Promise<void> {}

  protected claimOf(maxMessages: number): Claim {
    const { store } = this.home;
    const { receiveMode } = this;
    const queue = store.current(this.queue);
    const { receiveRefusal } = queue;
    if (receiveRefusal !== undefined) throw receiveRefusal;
    return { queue, version: store.directory.version, receiveMode, maxMessages, now: store.now() };
  }
}

/** The receiving end of a link that holds a session. */
export class PostgresSessionReceiver extends PostgresReceiver implements EngineSessionReceiver {
  readonly sessionId: string;
  #held: HeldSession;

  constructor(
    owner: TableLinkOwner,
    {
      queue,
      receiveMode,
      held,
    }: { readonly queue: TableQueue; readonly receiveMode: ReceiveMode; readonly held: HeldSession },
  ) {
    super(owner, queue, receiveMode);
    this.sessionId = held.id;
    this.#held = held;
  }

  /** The session's lock. */
  get held(): HeldSession {
    return this.#held;
  }

  /** Whether this link holds the session. */
  holds(queue: TableQueue, sessionId: string): boolean {
    return this.queue.number === queue.number && this.sessionId === sessionId;
  }

  sessionLockedUntilUtc(): Date {
    return new Date(this.#held.until);
  }

  async renewSessionLock(): Promise<Date> {
    const { store } = await this.#enter();
    this.#held = await renewSession(store.inQueue(store.current(this.queue)), this.#held);
    return new Date(this.#held.until);
  }

  async getSessionState(): Promise<Uint8Array | undefined> {
    const { store } = await this.#enter();
    return readState(store.inQueue(this.queue), this.#held);
  }

  async setSessionState(state: Uint8Array | null | undefined): Promise<void> {
    const given = checkState(state);
    const own = given === undefined ? undefined : new Uint8Array(given);
    const { store } = await this.#enter();
    const { entity } = store.current(this.queue);
    if (own !== undefined) {
      const { maxMessageSizeInBytes } = sizedEntity(entity).settings;
      if (own.byteLength > maxMessageSizeInBytes)
        throw messageTooLarge(own.byteLength, maxMessageSizeInBytes, entity.address);
      await store.room.check(entity, own.byteLength);
    }
    await writeState(store.inQueue(this.queue), this.#held, own);
  }

  protected override get key(): string {
    return `session ${this.#held.mark}`;
  }

  protected override async take(maxMessages: number): Promise<readonly Delivery[]> {
    const { store } = this.home;
    const { schema, database } = store;
    const deliveries = await store.fresh(async () =>
      claimOfSession(database, schema, this.claimOf(maxMessages), this.#held),
    );
    this.owner.holdings.took(this.queue, deliveries, store.now());
    if (deliveries.length > 0) return deliveries;
    const [held] = await database.query(
      `select 1 as one from ${schema}.session where queue = $1 and id = $2 and mark = $3 and locked_until > $4`,
      [this.queue.number, this.#held.id, this.#held.mark, store.now()],
    );
    if (held === undefined) throw sessionLockLost(this.sessionId, this.queue.address);
    return deliveries;
  }

  protected override async released(): Promise<void> {
    const { store } = this.home;
    await this.home.catchUp();
    if (store.directory.byId(this.queue.entity.id) === undefined) return;
    await inTransaction(store, this.queue, store.now(), (returning) =>
      releaseSession(returning, this.#held, this.owner.holdings.settledInSession(this.#held.mark)),
    );
  }

  async #enter(): Promise<Home> {
    this.checkOpen();
    await this.home.catchUp();
    return this.home;
  }
}
