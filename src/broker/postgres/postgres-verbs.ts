import type { Delivery, LockToken, ReceiveMode, Settlement } from "../../core/engine/delivery.ts";
import type {
  ConnectOptions,
  DeleteOptions,
  ListSessionsOptions,
  PeekOptions,
  ReceiveDeferredOptions,
  Transaction,
} from "../../core/engine/engine.ts";
import type {
  DeadLetterSums,
  SessionInspection,
  StateCounts,
  SumDeadLettersOptions,
} from "../../core/engine/inspection.ts";
import { lockLost, sessionLockLost } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { EntityMeasure } from "../policy/administration.ts";
import type { BrokerVerbs, Closable, LinkOwner, SessionRequest } from "../policy/broker-verbs.ts";
import { BrokerConnection } from "../policy/connection.ts";
import type { Directory, EntityLookup } from "../policy/directory.ts";
import type { SendableEntity } from "../policy/entities.ts";
import type { EntityChange } from "../policy/entity-changes.ts";
import { lockedBySession, settledInTransaction } from "../policy/refusals.ts";
import type { SendRoute } from "../policy/router.ts";
import { acceptSession } from "./accept-session.ts";
import { changeEntities, clearEntity } from "./admin.ts";
import {
  cancelScheduled,
  deleteMessages,
  listSessions,
  peek,
  receiveDeferred,
  scheduleIn,
  scheduleNow,
} from "./browse.ts";
import type { ClaimedSession } from "./claim.ts";
import type { Enlisted } from "./enlisted.ts";
import type { EntityRow, TableEntity, TableQueue } from "./entities.ts";
import { lostLock, readAllHeld, renewHeld } from "./held.ts";
import { Holdings } from "./holdings.ts";
import type { Home } from "./home.ts";
import { countsOf, deadLettersOf, measureEntity, sessionsOf } from "./inspection.ts";
import { PostgresReceiver, PostgresSender, PostgresSessionReceiver, type TableLinkOwner } from "./links.ts";
import { readToken } from "./messages.ts";
import { OwnTransaction, OwnWork } from "./own-transaction.ts";
import { giveBackClosed } from "./returns.ts";
import { checkHeld, settleHeld } from "./settling.ts";
import { inTransaction } from "./sweep.ts";
import { PostgresTransaction } from "./transaction.ts";

/** Maximum number of messages released per transaction. */
const mostReleased = 500;

type Owner = LinkOwner<Enlisted>;

/** The verbs of a connection, carried out in the database. */
class PostgresVerbs implements BrokerVerbs<EntityRow, TableQueue, Enlisted> {
  readonly name = "postgres";
  readonly #home: Home;
  readonly #label: string | undefined;
  readonly #holdings = new Holdings();

  constructor(home: Home, { name }: ConnectOptions = {}) {
    this.#home = home;
    this.#label = name;
    home.holdings.add(this.#holdings);
  }

  catchUp(): Promise<void> | undefined {
    return this.#home.isCaughtUp ? undefined : this.#home.catchUp();
  }

  now(): number {
    return this.#home.store.now();
  }

  find<T>(look: (entities: Directory<EntityRow, TableQueue>) => T): T | Promise<T> {
    return this.#home.find(look);
  }

  knownQueue(address: string): TableQueue | undefined {
    const { directory } = this.#home.store;
    return directory.knows(address) ? directory.queue(address) : undefined;
  }

  async look<T>(find: (entities: EntityLookup<EntityRow>) => T): Promise<T> {
    const { directory } = this.#home.store;
    // Another node may have changed the entities.
    await directory.refresh();
    return find(directory);
  }

  async change(decide: (entities: EntityLookup<EntityRow>) => EntityChange<EntityRow>): Promise<void> {
    await changeEntities(this.#home.store, decide);
    this.#home.wakeAll();
  }

  measure(entity: TableEntity): Promise<EntityMeasure> {
    return measureEntity(this.#home.store, entity);
  }

  async clear(find: (entities: EntityLookup<EntityRow>) => TableEntity): Promise<void> {
    const { store } = this.#home;
    await this.#home.find(find);
    await clearEntity(store, () => find(store.directory));
    this.#home.wakeAll();
  }

  counts(queue: TableQueue): Promise<StateCounts> {
    return countsOf(this.#home.store, queue);
  }

  sessions(queue: TableQueue, skip: number, maxSessions: number): Promise<readonly SessionInspection[]> {
    return sessionsOf(this.#home.store, queue, skip, maxSessions);
  }

  deadLetters(queue: TableQueue, options: SumDeadLettersOptions): Promise<DeadLetterSums> {
    return deadLettersOf(this.#home.store, queue, options);
  }

  openSender(route: SendRoute<EntityRow>, owner: Owner): PostgresSender {
    return new PostgresSender(this.#ownerOf(owner), route);
  }

  openReceiver(queue: TableQueue, receiveMode: ReceiveMode, owner: Owner): PostgresReceiver {
    return new PostgresReceiver(this.#ownerOf(owner), queue, receiveMode);
  }

  async acceptSession(queue: TableQueue, request: SessionRequest, owner: Owner): Promise<PostgresSessionReceiver> {
    const held = await acceptSession(this.#home, queue, request, this.#label);
    const { receiveMode } = request;
    return new PostgresSessionReceiver(this.#ownerOf(owner), { queue, receiveMode, held });
  }

  async peek(queue: TableQueue, options: PeekOptions): Promise<readonly Delivery[]> {
    await this.#home.store.touchIfWatched(queue.entity);
    return peek(this.#home.store, queue, options);
  }

  async receiveDeferred(
    queue: TableQueue,
    sequenceNumbers: readonly bigint[],
    { receiveMode, sessionId = "" }: ReceiveDeferredOptions,
    { links }: Owner,
  ): Promise<readonly Delivery[]> {
    const { store } = this.#home;
    await store.touch(queue.entity);
    const held = queue.requiresSession ? sessionHeld(links, queue, sessionId) : undefined;
    const deliveries = await receiveDeferred(store, queue, sequenceNumbers, { receiveMode, held });
    this.#took(queue, deliveries);
    return deliveries;
  }

  schedule(
    entity: SendableEntity<EntityRow>,
    envelopes: readonly Envelope[],
    transaction: Enlisted | undefined,
  ): Promise<readonly bigint[]> {
    const { store } = this.#home;
    if (transaction === undefined) return scheduleNow(store, entity, envelopes);
    return scheduleIn(store, entity, envelopes, transaction);
  }

  async cancel(queue: TableQueue, sequenceNumbers: readonly bigint[]): Promise<void> {
    await this.#home.store.touchIfWatched(queue.entity);
    return cancelScheduled(this.#home.store, queue, sequenceNumbers);
  }

  async settle(queue: TableQueue, token: LockToken, settlement: Settlement): Promise<void> {
    const { store } = this.#home;
    if (this.#home.isSettling(token)) throw settledInTransaction();
    if (settlement.kind === "complete") await this.#complete(queue, token);
    else await inTransaction(store, queue, store.now(), (returning) => settleHeld(returning, token, settlement));
    this.#holdings.settled(token);
  }

  async settleIn(work: Enlisted, queue: TableQueue, token: LockToken, settlement: Settlement): Promise<void> {
    if (this.#home.isSettling(token)) throw settledInTransaction();
    await work.addSettlement({
      queue,
      token,
      returns: settlement.kind !== "complete",
      check: async (within) => void (await checkHeld(within, token, settlement)),
      apply: (returning) => settleHeld(returning, token, settlement),
    });
  }

  noteSettlement(token: LockToken, settlement: Settlement): () => void {
    const isNoted = settlement?.kind !== "release" && this.#home.settlesIn(token);
    return () => {
      if (isNoted) this.#home.settlesNot(token);
    };
  }

  async #complete(queue: TableQueue, text: LockToken): Promise<void> {
    const held = readToken(text);
    const isDone = held !== undefined && (await this.#home.completions(queue).complete(held.token, held.seq));
    if (!isDone) throw await lostLock(this.#home.store.inQueue(queue), text);
  }

  async renew(queue: TableQueue, lockToken: LockToken): Promise<Date> {
    const within = this.#home.store.inQueue(queue);
    await this.#home.store.touchIfWatched(queue.entity);
    if (queue.requiresSession) {
      await checkHeld(within, lockToken, { kind: "complete" });
      throw lockedBySession();
    }
    const until = within.now + queue.lockDuration;
    // Its row is locked by the transaction, which nobody else gets past.
    if (this.#home.isSettledByCaller(lockToken)) return new Date(until);
    if (!(await renewHeld(within, lockToken, until))) throw lockLost(queue.address);
    this.#holdings.took(queue, [[lockToken, until]], within.now);
    return new Date(until);
  }

  async deleteMessages(queue: TableQueue, options: DeleteOptions): Promise<number> {
    await this.#home.store.touchIfWatched(queue.entity);
    return deleteMessages(this.#home.store, queue, options);
  }

  async listSessions(queue: TableQueue, options: ListSessionsOptions): Promise<readonly string[]> {
    await this.#home.store.touchIfWatched(queue.entity);
    return listSessions(this.#home.store, queue, options);
  }

  begin(onEnd: (ended: Transaction) => void): PostgresTransaction {
    const transaction = new PostgresTransaction(this.#home, (ended) => {
      onEnd(ended);
      this.#home.transactions.delete(ended);
    });
    this.#home.transactions.add(transaction);
    return transaction;
  }

  foreign(transaction: Transaction): Enlisted | undefined {
    return transaction instanceof OwnTransaction ? new OwnWork(this.#home, transaction) : undefined;
  }

  connect(options: ConnectOptions | undefined): PostgresVerbs {
    return new PostgresVerbs(this.#home, options);
  }

  inTurn<T>(work: Enlisted, call: () => Promise<T>): Promise<T> {
    return work.inTurn(call);
  }

  end(): void {
    this.#home.holdings.delete(this.#holdings);
  }

  async release(linksClosed: Promise<unknown>): Promise<void> {
    await linksClosed;
    for (const [queue, tokens] of this.#holdings.byQueue(this.now())) await this.#release(queue, tokens);
  }

  #ownerOf({ closed, enlisted }: Owner): TableLinkOwner {
    return {
      home: this.#home,
      closed,
      enlisted,
      took: (queue, deliveries) => this.#took(queue, deliveries),
      settledInSession: (mark) => this.#holdings.settledInSession(mark),
      giveUp: (queue, deliveries) =>
        this.#release(
          queue,
          deliveries.flatMap(({ lockToken }) => lockToken ?? []),
        ),
    };
  }

  #took(queue: TableQueue, deliveries: readonly Delivery[]): void {
    this.#holdings.took(
      queue,
      deliveries.flatMap(({ lockToken, lockedUntilUtc }) =>
        lockToken === undefined || lockedUntilUtc === undefined ? [] : [[lockToken, lockedUntilUtc.getTime()] as const],
      ),
      this.now(),
    );
  }

  async #release(queue: TableQueue, tokens: readonly LockToken[]): Promise<void> {
    const { store } = this.#home;
    if (tokens.length === 0 || store.directory.byId(queue.entity.id) === undefined) return;
    for (let first = 0; first < tokens.length; first += mostReleased) {
      const some = tokens.slice(first, first + mostReleased);
      await inTransaction(store, queue, store.now(), async (returning) =>
        giveBackClosed(returning, await readAllHeld(returning, some), this.#holdings.settledAmong(some)),
      );
    }
  }
}

/** @throws SobreError `SessionLockLost` when none of the links holds the session. */
function sessionHeld(links: Iterable<Closable>, queue: TableQueue, sessionId: string): ClaimedSession {
  for (const link of links)
    if (link instanceof PostgresSessionReceiver && link.holds(queue, sessionId)) return link.held;
  throw sessionLockLost(sessionId, queue.address);
}

/** The root connection to a database: closing it closes the engine. */
export class PostgresConnection extends BrokerConnection<EntityRow, TableQueue, Enlisted> {
  readonly home: Home;

  constructor(home: Home) {
    super(new PostgresVerbs(home), () => home.close());
    this.home = home;
  }
}
