import { checkEnvelopes, checkReceiveOptions, checkState } from "../../core/engine/arguments.ts";
import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type {
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  ReceiveOptions,
  SendOptions,
  Transaction,
} from "../../core/engine/engine.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { closed, messageTooLarge, sessionLockLost } from "../../core/engine/refusals.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { touch } from "./admin.ts";
import { type Claim, claim, claimOfSession, type HeldSession } from "./claim.ts";
import type { Enlisted } from "./enlisted.ts";
import { type Lane, limitsOf, type Queue, receiveRefusal, type Sendable } from "./entities.ts";
import type { Home } from "./home.ts";
import type { Intake } from "./intake.ts";
import { queueKey } from "./lanes.ts";
import { sent } from "./incoming.ts";
import { readState, releaseSession, renewSession, writeState } from "./sessions.ts";
import { inTransaction } from "./sweep.ts";
import type { Routing } from "./routing.ts";
import { type Pending, startWait } from "./waits.ts";

/** Anything that a connection closes when it closes. */
export interface Closable {
  close(): Promise<void>;
  /** Closes without releasing locks. */
  abort(): Promise<void>;
}

/** The connection of a link. */
interface LinkOwner {
  /** Removes a link that has closed. */
  closed(link: Closable): void;
  /** Records locked messages, so that closing releases them. */
  took(lane: Lane, deliveries: readonly Delivery[]): void;
  /** Releases messages that no receiver is waiting for any more. */
  release(lane: Lane, deliveries: readonly Delivery[]): Promise<void>;
  enlist(transaction: Transaction): Enlisted;
  /** The positions of the messages under the lock of a session that a transaction has settled. */
  settledInSession(mark: bigint): ReadonlySet<bigint>;
}

/** The entity to which a sender sends, and the entity that it sends via. */
export interface Route {
  readonly target: Sendable;
  readonly through: Queue | undefined;
}

/** The sending end of a link to a queue or topic. */
export class PostgresSender implements EngineSender {
  readonly #home: Home;
  readonly #connection: LinkOwner;
  readonly #route: Route;
  #closed = false;

  constructor(home: Home, connection: LinkOwner, route: Route) {
    this.#home = home;
    this.#connection = connection;
    this.#route = route;
  }

  get maxMessageSize(): number {
    const { through, target } = this.#route;
    const first = through ?? target;
    return limitsOf(this.#home.store.directory.byId(first.id) ?? first).maxMessageSizeInBytes;
  }

  async send(envelopes: readonly Envelope[], options?: SendOptions): Promise<void> {
    if (this.#closed) throw closed("sender");
    checkEnvelopes(envelopes);
    const messages = envelopes.map(sent);
    const { store } = this.#home;
    const { intake } = store;
    const check = async (within: Intake, reserved = 0): Promise<number> =>
      this.#route.through === undefined
        ? within.checkSend(store.sendable(this.#route.target), messages, reserved)
        : within.check(store.sendable(this.#route.through), messages, reserved);
    const { through, target } = this.#route;
    const first = through ?? target;
    let cost = 0;
    // The entities may have changed meanwhile, so they are looked up again.
    const route = async (routing: Routing): Promise<void> => {
      cost = await check(routing.intake);
      for (const message of messages) {
        if (through === undefined) await routing.accept(store.sendable(target), message);
        else await routing.transfer(through, message, target.name);
      }
    };
    try {
      if (options?.transaction !== undefined) {
        const work = this.#connection.enlist(options.transaction);
        await work.inTurn(async () => {
          await this.#home.catchUp();
          return work.addSend({ entity: first.id, check, passed: [], route });
        });
        return;
      }
      await this.#home.catchUp();
      if (messages.length === 0) {
        await check(intake);
        return;
      }
      await touch(store, first);
      await store.send(() => store.sendable(first), route);
      intake.added(first, cost);
    } catch (error) {
      if (options?.settled !== true || !(error instanceof SobreError)) throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#connection.closed(this);
  }

  async abort(): Promise<void> {
    await this.close();
  }
}

/** The receiving end of a link to a queue, subscription or sub-queue. */
export class PostgresReceiver implements EngineReceiver {
  protected readonly home: Home;
  protected readonly connection: LinkOwner;
  protected readonly lane: Lane;
  protected readonly receiveMode: ReceiveMode;
  readonly #pending = new Set<Pending<readonly Delivery[]>>();
  #closed = false;

  constructor(home: Home, connection: LinkOwner, lane: Lane, receiveMode: ReceiveMode) {
    this.home = home;
    this.connection = connection;
    this.lane = lane;
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
      await touch(store, store.current(this.lane).entity);
      return this.take(maxMessages);
    };
    if (maxWaitTimeInMs === 0) return attempt();
    const pending = startWait(this.home.lane(this.lane), {
      key: this.key,
      clock: store.clock,
      deadline: store.now() + maxWaitTimeInMs,
      abortSignal,
      attempt: async () => {
        const deliveries = await attempt();
        return deliveries.length === 0 ? undefined : deliveries;
      },
      giveUp: (deliveries) => this.connection.release(this.lane, deliveries),
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
    this.connection.closed(this);
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
    const lane = this.home.lane(this.lane);
    lane.lookBack();
    const deliveries = await store.fresh(async () =>
      claim(store.database, store.schema, this.claimOf(maxMessages), lane),
    );
    this.connection.took(this.lane, deliveries);
    if (deliveries.length > 0) this.home.active();
    return deliveries;
  }

  /** Releases the link's locks; called once. */
  protected async released(): Promise<void> {}

  protected claimOf(maxMessages: number): Claim {
    const { store } = this.home;
    const { receiveMode } = this;
    const lane = store.current(this.lane);
    const refusal = lane.part === 0 && lane.entity.type !== "topic" ? receiveRefusal(lane.entity) : undefined;
    if (refusal !== undefined) throw refusal;
    return { lane, version: store.directory.version, receiveMode, maxMessages, now: store.now() };
  }
}

/** The receiving end of a link that holds a session. */
export class PostgresSessionReceiver extends PostgresReceiver implements EngineSessionReceiver {
  readonly sessionId: string;
  #held: HeldSession;

  constructor(
    home: Home,
    connection: LinkOwner,
    { lane, receiveMode, held }: { readonly lane: Lane; readonly receiveMode: ReceiveMode; readonly held: HeldSession },
  ) {
    super(home, connection, lane, receiveMode);
    this.sessionId = held.id;
    this.#held = held;
  }

  /** The session's lock. */
  get held(): HeldSession {
    return this.#held;
  }

  /** Whether this link holds the session. */
  holds(lane: Lane, sessionId: string): boolean {
    return this.lane.queue === lane.queue && this.sessionId === sessionId;
  }

  sessionLockedUntilUtc(): Date {
    return new Date(this.#held.until);
  }

  async renewSessionLock(): Promise<Date> {
    const { store } = await this.#enter();
    this.#held = await renewSession(store.inLane(store.current(this.lane)), this.#held);
    return new Date(this.#held.until);
  }

  async getSessionState(): Promise<Uint8Array | undefined> {
    const { store } = await this.#enter();
    return readState(store.inLane(this.lane), this.#held);
  }

  async setSessionState(state: Uint8Array | null | undefined): Promise<void> {
    const given = checkState(state);
    const own = given === undefined ? undefined : new Uint8Array(given);
    const { store } = await this.#enter();
    const { entity } = store.current(this.lane);
    if (own !== undefined) {
      const { maxMessageSizeInBytes } = limitsOf(entity);
      if (own.byteLength > maxMessageSizeInBytes)
        throw messageTooLarge(own.byteLength, maxMessageSizeInBytes, entity.name);
      await store.intake.checkRoom(entity, own.byteLength);
    }
    await writeState(store.inLane(this.lane), this.#held, own);
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
    this.connection.took(this.lane, deliveries);
    if (deliveries.length > 0) return deliveries;
    const [held] = await database.query(
      `select 1 as one from ${schema}.session where queue = $1 and id = $2 and mark = $3 and locked_until > $4`,
      [this.lane.queue, this.#held.id, this.#held.mark, store.now()],
    );
    if (held === undefined) throw sessionLockLost(this.sessionId, this.lane.address);
    return deliveries;
  }

  protected override async released(): Promise<void> {
    const { store } = this.home;
    await this.home.catchUp();
    if (store.directory.byId(this.lane.entity.id) === undefined) return;
    await inTransaction(store, this.lane, store.now(), (returning) =>
      releaseSession(returning, this.#held, this.connection.settledInSession(this.#held.mark)),
    );
  }

  async #enter(): Promise<Home> {
    this.checkOpen();
    await this.home.catchUp();
    return this.home;
  }
}
