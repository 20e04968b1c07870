import type { LockToken } from "../../core/engine/delivery.ts";
import { lockLost, sessionLockLost } from "../../core/engine/refusals.ts";
import type { BrokerVerbs } from "../policy/broker-verbs.ts";
import { BrokerConnection } from "../policy/connection.ts";
import { sizedEntity } from "../policy/entities.ts";
import { lockedBySession, settledInTransaction } from "../policy/refusals.ts";
import { acceptSession } from "./accept-session.ts";
import { clearEntity } from "./admin.ts";
import { cancelScheduled, deleteMessages, listSessions, peek, receiveDeferred } from "./browse.ts";
import type { ClaimedSession } from "./claim.ts";
import type { Enlisted } from "./enlisted.ts";
import type { EntityRow, TableQueue } from "./entities.ts";
import { lostLock, readAllHeld, renewHeld } from "./held.ts";
import { Holdings } from "./holdings.ts";
import type { Home } from "./home.ts";
import { countsOf, deadLettersOf, measureEntity, sessionsOf } from "./inspection.ts";
import { receiveVerbs, type TableLink } from "./links.ts";
import { readToken } from "./messages.ts";
import { OwnTransaction, OwnWork } from "./own-transaction.ts";
import { giveBackClosed } from "./returns.ts";
import { schedule, send } from "./sending.ts";
import { checkHeld, settleHeld } from "./settling.ts";
import { inTransaction } from "./sweep.ts";
import { PostgresTransaction } from "./transaction.ts";

/** Maximum number of messages released per transaction. */
const maxReleasedAtOnce = 500;

/** The verbs of a connection, carried out in the database. */
function postgresVerbs(home: Home, label: string | undefined): BrokerVerbs<EntityRow, TableQueue, Enlisted, TableLink> {
  const { store } = home;
  const { directory } = store;
  const holdings = new Holdings();
  home.holdings.add(holdings);
  const release = (queue: TableQueue, tokens: readonly LockToken[]): Promise<void> =>
    releaseHeld(home, holdings, queue, tokens);
  const sessionLinks = new Set<TableLink>();
  return {
    name: "postgres",
    now: () => store.now(),
    catchUp: () => (home.isCaughtUp ? undefined : home.catchUp()),
    find: (look) => home.find(look),
    knownQueue: (address) => (directory.knows(address) ? directory.queue(address) : undefined),

    async look(find) {
      // Another node may have changed the entities.
      await directory.refresh();
      return find(directory);
    },
    change: (decide) => home.change(decide),
    measure: (entity) => measureEntity(store, entity),
    async clear(find) {
      await home.find(find);
      await clearEntity(store, () => find(directory));
      home.wakeAll();
    },
    counts: (queue) => countsOf(store, queue),
    sessions: (queue, skip, maxSessions) => sessionsOf(store, queue, skip, maxSessions),
    deadLetters: (queue, options) => deadLettersOf(store, queue, options),

    maxMessageSize: (entity) => sizedEntity(directory.byId(entity.id) ?? entity).settings.maxMessageSizeInBytes,
    send: (route, envelopes) => send(store, route, envelopes),
    sendIn: (work, route, envelopes) => send(store, route, envelopes, work),
    ...receiveVerbs({ home, holdings, sessionLinks, release }),
    openReceiver: (queue, receiveMode) => ({ queue, receiveMode, pending: new Set(), sessionLock: undefined }),
    async acceptSession(queue, request) {
      const sessionLock = await acceptSession(home, queue, request, label);
      const link = { queue, receiveMode: request.receiveMode, pending: new Set<never>(), sessionLock };
      sessionLinks.add(link);
      return link;
    },

    used: ({ entity }) => (store.uses.isWatched(entity) ? store.touch(entity) : undefined),
    peek: (queue, options) => peek(store, queue, options),
    async receiveDeferred(queue, sequenceNumbers, { receiveMode, sessionId = "" }) {
      await store.touch(queue.entity);
      const held = queue.requiresSession ? sessionHeld(sessionLinks, queue, sessionId) : undefined;
      const deliveries = await receiveDeferred(store, queue, sequenceNumbers, { receiveMode, held });
      holdings.took(queue, deliveries, store.now());
      return deliveries;
    },
    schedule: (entity, envelopes, transaction) => schedule(store, entity, envelopes, transaction),
    cancel: (queue, sequenceNumbers) => cancelScheduled(store, queue, sequenceNumbers),
    async settle(queue, token, settlement) {
      if (home.isSettling(token)) throw settledInTransaction();
      if (settlement.kind === "complete") await complete(home, queue, token);
      else await inTransaction(store, queue, store.now(), (returning) => settleHeld(returning, token, settlement));
      holdings.settled(token);
    },
    async settleIn(work, queue, token, settlement) {
      if (home.isSettling(token)) throw settledInTransaction();
      await work.addSettlement({
        queue,
        token,
        returns: settlement.kind !== "complete",
        check: async (within) => void (await checkHeld(within, token, settlement)),
        apply: (returning) => settleHeld(returning, token, settlement),
      });
    },
    noteSettlement(token, settlement) {
      const isNoted = settlement?.kind !== "release" && home.settlesIn(token);
      return () => {
        if (isNoted) home.settlesNot(token);
      };
    },
    async renew(queue, lockToken) {
      const within = store.inQueue(queue);
      if (queue.requiresSession) {
        await checkHeld(within, lockToken, { kind: "complete" });
        throw lockedBySession();
      }
      const until = within.now + queue.lockDuration;
      // Its row is locked by the transaction, which nobody else gets past.
      if (home.isSettledByCaller(lockToken)) return new Date(until);
      if (!(await renewHeld(within, lockToken, until))) throw lockLost(queue.address);
      const lockedUntilUtc = new Date(until);
      holdings.took(queue, [{ lockToken, lockedUntilUtc }], within.now);
      return lockedUntilUtc;
    },
    deleteMessages: (queue, options) => deleteMessages(store, queue, options),
    listSessions: (queue, options) => listSessions(store, queue, options),

    begin(onEnd) {
      const transaction = new PostgresTransaction(home, (ended) => {
        onEnd(ended);
        home.transactions.delete(ended);
      });
      home.transactions.add(transaction);
      return transaction;
    },
    foreign: (transaction) => (transaction instanceof OwnTransaction ? new OwnWork(home, transaction) : undefined),
    inTurn: (work, call) => work.inTurn(call),
    connect: (options) => postgresVerbs(home, options?.name),
    end: () => void home.holdings.delete(holdings),
    async release(linksClosed) {
      await linksClosed;
      for (const [queue, tokens] of holdings.byQueue(store.now())) await release(queue, tokens);
    },
  };
}

async function complete(home: Home, queue: TableQueue, text: LockToken): Promise<void> {
  const held = readToken(text);
  const isDone = held !== undefined && (await home.completions(queue).complete(held.token, held.seq));
  if (!isDone) throw await lostLock(home.store.inQueue(queue), text);
}

/** @throws SobreError `SessionLockLost` when none of the links holds the session. */
function sessionHeld(links: Iterable<TableLink>, { number, address }: TableQueue, sessionId: string): ClaimedSession {
  for (const { queue, sessionLock } of links)
    if (queue.number === number && sessionLock?.id === sessionId) return sessionLock;
  throw sessionLockLost(sessionId, address);
}

/** Releases messages of a queue whose connection closes, or that nobody is waiting for any more. */
async function releaseHeld(
  { store }: Home,
  holdings: Holdings,
  queue: TableQueue,
  tokens: readonly LockToken[],
): Promise<void> {
  if (tokens.length === 0 || store.directory.byId(queue.entity.id) === undefined) return;
  for (let first = 0; first < tokens.length; first += maxReleasedAtOnce) {
    const some = tokens.slice(first, first + maxReleasedAtOnce);
    await inTransaction(store, queue, store.now(), async (returning) =>
      giveBackClosed(returning, await readAllHeld(returning, some), holdings.settledAmong(some)),
    );
  }
}

/** The root connection to a database: closing it closes the engine. */
export class PostgresConnection extends BrokerConnection<EntityRow, TableQueue, Enlisted, TableLink> {
  readonly home: Home;

  constructor(home: Home) {
    super(postgresVerbs(home, undefined), () => home.close());
    this.home = home;
  }
}
