import { checkEnvelopes, checkReceiveOptions, checkState } from "../../core/engine/arguments.ts";
import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type {
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  ReceiveOptions,
  SendOptions,
} from "../../core/engine/engine.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { closed, messageTooLarge, sessionLockLost } from "../../core/engine/refusals.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { LinkOwner } from "../policy/broker-verbs.ts";
import { limitsOf, type SendableEntity } from "../policy/entities.ts";
import type { SendRoute } from "../policy/router.ts";
import { type MessageClaim, claim, claimOfSession, type ClaimedSession } from "./claim.ts";
import type { Enlisted } from "./enlisted.ts";
import type { EntityRow, TableQueue } from "./entities.ts";
import type { Home } from "./home.ts";
import { sent } from "./incoming.ts";
import { queueKey } from "./queue-state.ts";
import type { Routing } from "./routing.ts";
import { readState, releaseSession, renewSession, writeState } from "./sessions.ts";
import { inTransaction } from "./sweep.ts";
import { type PendingWait, startWait } from "./waits.ts";

/** A connection as its links see it. */
export interface TableLinkOwner extends Pick<LinkOwner<Enlisted>, "closed" | "enlisted"> {
  readonly home: Home;
  /** Records locked messages, so that closing releases them. */
  took(queue: TableQueue, deliveries: readonly Delivery[]): void;
  /** Releases messages that no receiver is waiting for any more. */
  giveUp(queue: TableQueue, deliveries: readonly Delivery[]): Promise<void>;
  /** The positions of the messages under the lock of a session that a transaction has settled. */
  settledInSession(mark: bigint): ReadonlySet<bigint>;
}

/** The sending end of a link to a queue or topic. */
export class PostgresSender implements EngineSender {
  readonly #owner: TableLinkOwner;
  readonly #route: SendRoute<EntityRow>;
  #closed = false;

  constructor(owner: TableLinkOwner, route: SendRoute<EntityRow>) {
    this.#owner = owner;
    this.#route = route;
  }

  get maxMessageSize(): number {
    const first = this.#first;
    return limitsOf(this.#owner.home.store.directory.byId(first.id) ?? first).maxMessageSizeInBytes;
  }

  async send(envelopes: readonly Envelope[], options?: SendOptions): Promise<void> {
    if (this.#closed) throw closed("sender");
    checkEnvelopes(envelopes);
    const messages = envelopes.map(sent);
    const { home } = this.#owner;
    const { store } = home;
    const first = this.#first;
    // The entities may have changed meanwhile, so they are looked up again.
    const check = async (routing: Routing, reserved = 0): Promise<number> =>
      routing.checkSend(store.route(this.#route), messages, reserved);
    let cost = 0;
    const route = async (routing: Routing): Promise<void> => {
      cost = await check(routing);
      await routing.send(store.route(this.#route), messages);
    };
    try {
      if (options?.transaction !== undefined) {
        const work = this.#owner.enlisted(options.transaction);
        await work.inTurn(async () => {
          await home.catchUp();
          return work.addSend({ entity: first.id, check, passed: [], route });
        });
        return;
      }
      await home.catchUp();
      if (messages.length === 0) {
        await check(store.routing());
        return;
      }
      await store.touch(first);
      await store.send(() => store.sendable(first), route);
      store.room.added(first, cost);
    } catch (error) {
      if (options?.settled !== true || !(error instanceof SobreError)) throw error;
    }
  }

  /** The entity that accepts the messages first. */
  get #first(): SendableEntity<EntityRow> {
    return this.#route.through ?? this.#route.target;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#owner.closed(this);
  }

  async abort(): Promise<void> {
    await this.close();
  }
}

/** The receiving end of a link to a queue, subscription or sub-queue. */
export class PostgresReceiver implements EngineReceiver {
  protected readonly home: Home;
  protected readonly owner: TableLinkOwner;
  protected readonly queue: TableQueue;
  protected readonly receiveMode: ReceiveMode;
  readonly #pending = new Set<PendingWait<readonly Delivery[]>>();
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
      await store.touch(store.current(this.queue).entity);
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
      giveUp: (deliveries) => this.owner.giveUp(this.queue, deliveries),
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
    this.owner.took(this.queue, deliveries);
    if (deliveries.length > 0) this.home.active();
    return deliveries;
  }

  /** Releases the link's locks; called once. */
  protected async released(): Promise<void> {}

  protected claimOf(maxMessages: number): MessageClaim {
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
  #held: ClaimedSession;

  constructor(
    owner: TableLinkOwner,
    {
      queue,
      receiveMode,
      held,
    }: { readonly queue: TableQueue; readonly receiveMode: ReceiveMode; readonly held: ClaimedSession },
  ) {
    super(owner, queue, receiveMode);
    this.sessionId = held.id;
    this.#held = held;
  }

  /** The session's lock. */
  get held(): ClaimedSession {
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
      const { maxMessageSizeInBytes } = limitsOf(entity);
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
    this.owner.took(this.queue, deliveries);
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
      releaseSession(returning, this.#held, this.owner.settledInSession(this.#held.mark)),
    );
  }

  async #enter(): Promise<Home> {
    this.checkOpen();
    await this.home.catchUp();
    return this.home;
  }
}
