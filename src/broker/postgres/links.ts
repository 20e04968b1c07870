import type { Delivery, LockToken, ReceiveMode } from "../../core/engine/delivery.ts";
import type { ReceiveOptions } from "../../core/engine/engine.ts";
import type { ReceiveVerbs } from "../policy/broker-verbs.ts";
import { checkStateSize } from "../policy/entities.ts";
import { type MessageClaim, claim, claimOfSession, type ClaimedSession } from "./claim.ts";
import type { TableQueue } from "./entities.ts";
import type { Holdings } from "./holdings.ts";
import type { Home } from "./home.ts";
import { queueKey } from "./queue-state.ts";
import { heldRow, readState, releaseSession, renewSession, writeState } from "./sessions.ts";
import type { PostgresStore } from "./store.ts";
import { inTransaction } from "./sweep.ts";
import { type PendingWait, startWait } from "./waits.ts";

/** The receiving end of a link to a queue, subscription or sub-queue. */
export interface TableLink {
  readonly queue: TableQueue;
  readonly receiveMode: ReceiveMode;
  readonly pending: Set<PendingWait<readonly Delivery[]>>;
  sessionLock: ClaimedSession | undefined;
}

/** A connection as its links see it. */
export interface LinkHome {
  readonly home: Home;
  /** The locks that closing the connection releases. */
  readonly holdings: Holdings;
  /** The links that hold sessions. */
  readonly sessionLinks: Set<TableLink>;
  /** Releases messages that no receiver is waiting for any more. */
  readonly release: (queue: TableQueue, tokens: readonly LockToken[]) => Promise<void>;
}

/** The verbs of receivers, carried out in the database. */
export function receiveVerbs(of: LinkHome): ReceiveVerbs<TableLink> {
  const { home, holdings, sessionLinks } = of;
  const { store } = home;
  return {
    receive: (link, options) => receive(of, link, options),
    endReceives(link) {
      sessionLinks.delete(link);
      for (const pending of link.pending) pending.end();
    },
    async releaseLink({ queue, sessionLock }) {
      if (sessionLock === undefined) return;
      await home.catchUp();
      if (store.directory.byId(queue.entity.id) === undefined) return;
      await inTransaction(store, queue, store.now(), (returning) =>
        releaseSession(returning, sessionLock, holdings.settledInSession(sessionLock.mark)),
      );
    },
    async renewSession(link) {
      link.sessionLock = await renewSession(store.inQueue(store.current(link.queue)), link.sessionLock);
    },
    sessionState: ({ queue, sessionLock }) => readState(store.inQueue(queue), sessionLock),
    async setSessionState({ queue, sessionLock }, state) {
      const { entity } = store.current(queue);
      if (state !== undefined) {
        checkStateSize(entity, state.byteLength);
        await store.room.check(entity, state.byteLength);
      }
      await writeState(store.inQueue(queue), sessionLock, state);
    },
  };
}

async function receive(of: LinkHome, link: TableLink, options: ReceiveOptions): Promise<readonly Delivery[]> {
  const { home, release } = of;
  const { store } = home;
  const { queue, pending, sessionLock } = link;
  const { maxMessages, maxWaitTimeInMs, abortSignal } = options;
  if (abortSignal?.aborted === true) return [];
  const attempt = async (): Promise<readonly Delivery[]> => {
    await home.catchUp();
    await store.touch(store.current(queue).entity);
    return take(of, link, maxMessages);
  };
  if (maxWaitTimeInMs === 0) return attempt();
  const wait = startWait(home.state(queue), {
    // Receives that wait for the same messages share the key.
    key: sessionLock === undefined ? queueKey : `session ${sessionLock.mark}`,
    clock: store.clock,
    deadline: store.now() + maxWaitTimeInMs,
    abortSignal,
    attempt: async () => {
      const deliveries = await attempt();
      return deliveries.length === 0 ? undefined : deliveries;
    },
    giveUp: (deliveries) =>
      release(
        queue,
        deliveries.flatMap(({ lockToken }) => lockToken ?? []),
      ),
  });
  pending.add(wait);
  const deliveries = await wait.outcome.finally(() => pending.delete(wait));
  return deliveries ?? [];
}

async function take({ home, holdings }: LinkHome, link: TableLink, maxMessages: number): Promise<readonly Delivery[]> {
  const { store } = home;
  const { database, schema } = store;
  const { queue, sessionLock } = link;
  const state = home.state(queue);
  if (sessionLock === undefined) state.lookBack();
  const deliveries = await store.fresh(async () => {
    const request = claimOf(store, link, maxMessages);
    return sessionLock === undefined
      ? claim(database, schema, request, state)
      : claimOfSession(database, schema, request, sessionLock);
  });
  holdings.took(queue, deliveries, store.now());
  if (sessionLock === undefined) {
    if (deliveries.length > 0) home.active();
  } else if (deliveries.length === 0) await heldRow(store.inQueue(queue), sessionLock);
  return deliveries;
}

function claimOf(store: PostgresStore, { queue: given, receiveMode }: TableLink, maxMessages: number): MessageClaim {
  const queue = store.current(given);
  const { receiveRefusal } = queue;
  if (receiveRefusal !== undefined) throw receiveRefusal;
  return { queue, version: store.directory.version, receiveMode, maxMessages, now: store.now() };
}
