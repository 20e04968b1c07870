import type {
  AcceptSessionOptions,
  ConnectOptions,
  DeleteOptions,
  Engine,
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  ListSessionsOptions,
  OpenReceiverOptions,
  OpenSenderOptions,
  PeekOptions,
  ReceiveDeferredOptions,
  Transaction,
  TransactionOption,
} from "../../core/engine/engine.ts";
import {
  checkEngineOptions,
  checkEnvelopes,
  checkSequenceNumbers,
  checkSettlement,
} from "../../core/engine/arguments.ts";
import { boundedSender } from "../../core/engine/bounded-sender.ts";
import { type Capabilities, nativeCapabilities } from "../../core/engine/capabilities.ts";
import type { Delivery, LockToken, Settlement } from "../../core/engine/delivery.ts";
import type { EngineAdmin } from "../../core/engine/admin.ts";
import type { EngineInspection } from "../../core/engine/inspection.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { closed, invalidOperation, lockLost, sessionLockLost } from "../../core/engine/refusals.ts";
import { acceptSession } from "./accept-session.ts";
import { touch } from "./admin.ts";
import {
  cancelScheduled,
  deleteMessages,
  listSessions,
  peek,
  receiveDeferred,
  scheduleNow,
  scheduleIn,
} from "./browse.ts";
import { hasSessions, type Lane, lockDuration, receiveRefusal, type Sendable } from "./entities.ts";
import { lostLock, readAllHeld, renewHeld } from "./held.ts";
import type { Enlisted } from "./enlisted.ts";
import type { Home } from "./home.ts";
import { Holdings } from "./holdings.ts";
import { postgresInspection } from "./inspection.ts";
import { type Closable, PostgresReceiver, PostgresSender, PostgresSessionReceiver } from "./links.ts";
import { readToken } from "./messages.ts";
import { OwnTransaction, OwnWork } from "./own-transaction.ts";
import { postgresAdmin } from "./postgres-admin.ts";
import { giveBackClosed } from "./returns.ts";
import { checkHeld, settleHeld } from "./settling.ts";
import { inTransaction } from "./sweep.ts";
import { PostgresTransaction } from "./transaction.ts";

/** Maximum number of messages released per transaction. */
const mostReleased = 500;

/** A connection to a namespace; closing it releases its locks. */
export class PostgresConnection implements Engine {
  readonly name = "postgres";
  readonly capabilities: Capabilities = nativeCapabilities;
  readonly admin: EngineAdmin;
  readonly inspection: EngineInspection;
  readonly #home: Home;
  readonly #name: string | undefined;
  /** Links and connections that close with this one. */
  readonly #open = new Set<Closable>();
  readonly #transactions = new Set<PostgresTransaction>();
  readonly #holdings = new Holdings();
  #closed = false;

  constructor(home: Home, { name }: ConnectOptions = {}) {
    this.#home = home;
    this.#home.holdings.add(this.#holdings);
    this.#name = name;
    this.admin = postgresAdmin(home, () => this.#enter());
    this.inspection = postgresInspection(home.store, async (entity) => {
      await this.#enter();
      return this.#lane(entity);
    });
  }

  async openSender(entity: string, options: OpenSenderOptions = {}): Promise<EngineSender> {
    await this.#enter();
    checkEngineOptions.openSender(options);
    const { via, maxInFlight } = options;
    const { directory } = this.#home.store;
    const target = await this.#home.find(() => directory.sendable(entity));
    const through = via === undefined ? undefined : await this.#home.find(() => directory.queue(via));
    const sender = this.#keep(new PostgresSender(this.#home, this, { target, through }));
    return maxInFlight === undefined ? sender : boundedSender(sender, maxInFlight);
  }

  async openReceiver(entity: string, options: OpenReceiverOptions): Promise<EngineReceiver> {
    await this.#enter();
    checkEngineOptions.openReceiver(options);
    const lane = await this.#receivable(entity);
    if (hasSessions(lane)) throw invalidOperation(`'${entity}' requires sessions. Accept a session instead.`);
    return this.#keep(new PostgresReceiver(this.#home, this, lane, options.receiveMode));
  }

  async acceptSession(entity: string, options: AcceptSessionOptions): Promise<EngineSessionReceiver> {
    if (this.#closed) throw closed("engine");
    checkEngineOptions.acceptSession(options);
    const deadline = this.#home.store.now() + options.maxWaitTimeInMs;
    await this.#enter();
    const lane = await this.#home.find(() => {
      this.#home.store.directory.receivable(entity);
      return this.#home.store.directory.lane(entity);
    });
    const onWait = (end: () => void): (() => void) => {
      const waiting = { close: async () => end(), abort: async () => end() };
      this.#open.add(waiting);
      return () => void this.#open.delete(waiting);
    };
    const held = await acceptSession(this.#home, lane, { options, holder: this.#name, deadline, onWait });
    const { receiveMode } = options;
    return this.#keep(new PostgresSessionReceiver(this.#home, this, { lane, receiveMode, held }));
  }

  async peek(entity: string, options: PeekOptions): Promise<readonly Delivery[]> {
    await this.#enter();
    checkEngineOptions.peek(options);
    return peek(this.#home.store, await this.#lane(entity), options);
  }

  async receiveDeferred(
    entity: string,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
  ): Promise<readonly Delivery[]> {
    await this.#enter();
    checkEngineOptions.receiveDeferred(options);
    checkSequenceNumbers(sequenceNumbers);
    const lane = await this.#receivable(entity);
    await touch(this.#home.store, lane.entity);
    const held = hasSessions(lane) ? this.#sessionOf(lane, options.sessionId) : undefined;
    const { receiveMode } = options;
    const deliveries = await receiveDeferred(this.#home.store, lane, sequenceNumbers, { receiveMode, held });
    this.took(lane, deliveries);
    return deliveries;
  }

  async schedule(
    entity: string,
    envelopes: readonly Envelope[],
    options: TransactionOption = {},
  ): Promise<readonly bigint[]> {
    if (this.#closed) throw closed("engine");
    checkEngineOptions.schedule(options);
    checkEnvelopes(envelopes);
    const { store } = this.#home;
    const targeted = async (): Promise<Sendable> => {
      await this.#enter();
      const target = await this.#home.find(() => store.directory.sendable(entity));
      if (envelopes.some(({ brokerProperties }) => brokerProperties.scheduledEnqueueTimeUtc === undefined))
        throw invalidOperation("A scheduled message needs a scheduledEnqueueTimeUtc.");
      return target;
    };
    if (options.transaction === undefined) return scheduleNow(store, await targeted(), envelopes);
    const work = this.enlist(options.transaction);
    return work.inTurn(async () => scheduleIn(store, await targeted(), envelopes, work));
  }

  async cancel(entity: string, sequenceNumbers: readonly bigint[]): Promise<void> {
    await this.#enter();
    checkSequenceNumbers(sequenceNumbers);
    await cancelScheduled(this.#home.store, await this.#lane(entity), sequenceNumbers);
  }

  async settle(
    entity: string,
    lockToken: LockToken,
    settlement: Settlement,
    options?: TransactionOption,
  ): Promise<void> {
    const { store } = this.#home;
    if (options?.transaction !== undefined)
      return this.#settleIn(this.enlist(options.transaction), entity, lockToken, settlement);
    // Each step that is not waited for counts: messages are settled one by one.
    if (this.#closed || !this.#home.isCaughtUp) await this.#enter();
    checkSettlement(settlement);
    const lane = store.directory.knownLane(entity) ?? (await this.#lane(entity));
    this.#checkFree(lockToken);
    if (settlement.kind === "complete") await this.#complete(lane, lockToken);
    else await inTransaction(store, lane, store.now(), (returning) => settleHeld(returning, lockToken, settlement));
    this.#holdings.settled(lockToken);
  }

  async #settleIn(work: Enlisted, entity: string, lockToken: LockToken, settlement: Settlement): Promise<void> {
    // Even if the connection closes before the call is carried out.
    const isNoted = settlement?.kind !== "release" && this.#home.settlesIn(lockToken);
    try {
      await work.inTurn(async () => {
        await this.#enter();
        checkSettlement(settlement);
        const lane = await this.#lane(entity);
        this.#checkFree(lockToken);
        return work.addSettlement({
          lane,
          token: lockToken,
          returns: settlement.kind !== "complete",
          check: (within) => checkHeld(within, lockToken, settlement),
          apply: (returning) => settleHeld(returning, lockToken, settlement),
        });
      });
    } catch (error) {
      if (isNoted && !this.#closed) this.#home.settlesNot(lockToken);
      throw error;
    }
  }

  /** @throws SobreError `InvalidOperation` for a message that an open transaction of this process settles. */
  #checkFree(lockToken: LockToken): void {
    if (!this.#home.isSettling(lockToken)) return;
    throw invalidOperation(
      "The message is already settled in a transaction that is still open. Commit or roll back that one first.",
    );
  }

  async #complete(lane: Lane, text: LockToken): Promise<void> {
    const held = readToken(text);
    const isDone = held !== undefined && (await this.#home.completions(lane).complete(held.token, held.seq));
    if (!isDone) throw await lostLock(this.#home.store.inLane(lane), text);
  }

  async renew(entity: string, lockToken: LockToken): Promise<Date> {
    await this.#enter();
    const lane = await this.#lane(entity);
    const within = this.#home.store.inLane(lane);
    if (hasSessions(lane)) {
      await checkHeld(within, lockToken, { kind: "complete" });
      throw invalidOperation("The session's lock covers its messages. Renew the session's lock instead.");
    }
    const until = within.now + lockDuration(lane);
    // Its row is locked by the transaction, which nobody else gets past.
    if (this.#home.isSettledByCaller(lockToken)) return new Date(until);
    if (!(await renewHeld(within, lockToken, until))) throw lockLost(lane.address);
    this.#holdings.took(lane, [[lockToken, until]], within.now);
    return new Date(until);
  }

  async deleteMessages(entity: string, options: DeleteOptions): Promise<number> {
    await this.#enter();
    checkEngineOptions.deleteMessages(options);
    return deleteMessages(this.#home.store, await this.#lane(entity), options);
  }

  async listSessions(entity: string, options: ListSessionsOptions = {}): Promise<readonly string[]> {
    await this.#enter();
    checkEngineOptions.listSessions(options);
    const lane = await this.#lane(entity);
    if (!hasSessions(lane)) throw invalidOperation(`'${entity}' has no sessions.`);
    return listSessions(this.#home.store, lane, options);
  }

  async begin(): Promise<Transaction> {
    await this.#enter();
    const transaction = new PostgresTransaction(this.#home, (ended) => {
      this.#transactions.delete(ended);
      this.#home.transactions.delete(ended);
    });
    this.#transactions.add(transaction);
    this.#home.transactions.add(transaction);
    return transaction;
  }

  async connect(options?: ConnectOptions): Promise<Engine> {
    await this.#enter();
    if (options !== undefined) checkEngineOptions.connect(options);
    return this.#keep(new PostgresConnection(this.#home, options));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#end();
    await Promise.all([...this.#open].map((link) => link.close()));
    for (const [lane, tokens] of this.#holdings.byQueue(this.#home.store.now())) await this.#release(lane, tokens);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async abort(): Promise<void> {
    if (this.#closed) return;
    this.#end();
    await Promise.all([...this.#open].map((link) => link.abort()));
  }

  /** Removes a link that has closed. */
  closed(link: Closable): void {
    this.#open.delete(link);
  }

  /** Records locked messages, so that closing releases them. */
  took(lane: Lane, deliveries: readonly Delivery[]): void {
    this.#holdings.took(
      lane,
      deliveries.flatMap(({ lockToken, lockedUntilUtc }) =>
        lockToken === undefined || lockedUntilUtc === undefined ? [] : [[lockToken, lockedUntilUtc.getTime()] as const],
      ),
      this.#home.store.now(),
    );
  }

  /** Releases messages that no receiver is waiting for any more. */
  async release(lane: Lane, deliveries: readonly Delivery[]): Promise<void> {
    await this.#release(
      lane,
      deliveries.flatMap(({ lockToken }) => (lockToken === undefined ? [] : [lockToken])),
    );
  }

  /** @throws SobreError `InvalidOperation` unless it is the caller's own, or an open transaction of this connection. */
  enlist(transaction: Transaction): Enlisted {
    if (this.#closed) throw closed("engine");
    if (transaction instanceof OwnTransaction) return new OwnWork(this.#home, transaction);
    if (transaction instanceof PostgresTransaction && transaction.isOpen && this.#transactions.has(transaction))
      return transaction;
    throw invalidOperation(
      "The transaction is over, or it was begun on another connection. Begin one on this connection.",
    );
  }

  settledInSession(mark: bigint): ReadonlySet<bigint> {
    return this.#holdings.settledInSession(mark);
  }

  async #release(lane: Lane, tokens: readonly LockToken[]): Promise<void> {
    const { store } = this.#home;
    if (tokens.length === 0 || store.directory.byId(lane.entity.id) === undefined) return;
    for (let first = 0; first < tokens.length; first += mostReleased) {
      const some = tokens.slice(first, first + mostReleased);
      await inTransaction(store, lane, store.now(), async (returning) =>
        giveBackClosed(returning, await readAllHeld(returning, some), this.#holdings.settledAmong(some)),
      );
    }
  }

  #sessionOf(lane: Lane, sessionId: string | undefined): PostgresSessionReceiver["held"] {
    if (sessionId === undefined)
      throw invalidOperation("Deferred messages of a session entity are received with their sessionId.");
    for (const link of this.#open)
      if (link instanceof PostgresSessionReceiver && link.holds(lane, sessionId)) return link.held;
    throw sessionLockLost(sessionId, lane.address);
  }

  async #receivable(entity: string): Promise<Lane> {
    const { directory } = this.#home.store;
    const owner = await this.#home.find(() => directory.receivable(entity));
    const lane = directory.lane(entity);
    const refusal = lane.part === 0 ? receiveRefusal(owner) : undefined;
    if (refusal !== undefined) throw refusal;
    return lane;
  }

  #lane(entity: string): Promise<Lane> {
    return this.#home.find(() => this.#home.store.directory.lane(entity));
  }

  #end(): void {
    this.#closed = true;
    this.#home.holdings.delete(this.#holdings);
    for (const transaction of this.#transactions) transaction.end();
  }

  #keep<T extends Closable>(link: T): T {
    this.#open.add(link);
    return link;
  }

  /** Applies everything that is due. @throws SobreError `Closed`. */
  async #enter(): Promise<void> {
    if (this.#closed) throw closed("engine");
    await this.#home.catchUp();
  }
}
