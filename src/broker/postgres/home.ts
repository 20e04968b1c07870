import type { LockToken } from "../../core/engine/delivery.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Timer } from "../../core/time/clock.ts";
import type { EntityLookup } from "../policy/directory.ts";
import type { EntityChange } from "../policy/entity-changes.ts";
import { changeEntities, deleteIdle } from "./admin.ts";
import type { Arrivals } from "./arrivals.ts";
import { Completions } from "./completions.ts";
import { listen } from "./database.ts";
import type { TableDirectory } from "./directory.ts";
import { type EntityRow, entityOf, type TableQueue } from "./entities.ts";
import { forwardLeft } from "./give-back-all.ts";
import { Followed, type FollowedWork } from "./followed.ts";
import type { Holdings } from "./holdings.ts";
import { QueueState } from "./queue-state.ts";
import { Prune } from "./prune.ts";
import type { PostgresStore } from "./store.ts";
import { sweep } from "./sweep.ts";
import { Wakes } from "./wakes.ts";

/** Milliseconds between two sweeps while nothing happens: they also find what wake-ups have not announced. */
const idleInterval = 2000;

/** Milliseconds between two polls of a queue that has waiting receives, where sweeps do not find what is new. */
const pollInterval = 1000;

/** Milliseconds between two looks for idle entities, and for messages left in those that forward. */
const idleEntitiesInterval = 10_000;

/** Sweeps take at most one part in this many of the time: what they read grows with dead rows. */
const shareOfSweeps = 10;

/** The same of sweeps that read what cannot be new: under an old transaction, that is every message there was. */
const shareOfWholeSweeps = 50;

/**
 * Milliseconds for which sweeps pause at most. What one took may have been a wait for a connection, behind a pooler for tens of
 * seconds: locks that run out meanwhile must not wait for many times as long.
 */
const maxPause = 5000;

const pauseAfter = (took: number, share: number): number => Math.min(took * share, maxPause);

/** How many positions such a sweep reads at least, and in how many milliseconds, more or fewer the next time. */
const minSweptPositions = 100_000n;
const maxSweptPositions = 2n ** 60n;
const longSweep = 50;

/** Milliseconds by which a message may become due in the past, since it is committed late, to be found by every sweep. */
const dueLate = 5000;

/** An open transaction. */
interface Settling {
  /** Whether it contains a settlement of this token's message. */
  settles(token: LockToken): boolean;
}

/** Shared by the connections of one process: the waiting receives of each queue, and the sweep. */
export class Home {
  readonly store: PostgresStore;
  /** The open transactions: a message that one of them settles cannot be settled elsewhere. */
  readonly transactions: Set<Settling> = new Set();
  /** The locks of each open connection. */
  readonly holdings: Set<Holdings> = new Set();
  readonly #followed: Followed;
  readonly #wakes: Wakes;
  readonly #prune: Prune;
  readonly #sweepInterval: number;
  readonly #queues = new Map<number, QueueState>();
  readonly #completions = new Map<number, Completions>();
  #sweptAt = -Infinity;
  #sweeping: Promise<void> | undefined;
  #timer: Timer | undefined;
  /** When the timer is due, by the clock. */
  #timerAt = Infinity;
  /** Whether messages came or went since the last sweep. */
  #isActive = true;
  /** When the next sweep may read behind the cursors, and look for idle entities, in milliseconds of the process. */
  #readsBehindAt = -Infinity;
  #readsAllAt = -Infinity;
  #below = minSweptPositions;
  #dueFrom = 0;
  #idleEntitiesAt = -Infinity;
  #closed = false;

  /**
   * @param sweepInterval Milliseconds; 0 sweeps before every call, for a test's manual clock.
   * @param connectionString Where to listen for wake-ups; without it there are none.
   */
  constructor(store: PostgresStore, sweepInterval: number, connectionString: string | undefined) {
    this.store = store;
    this.#sweepInterval = sweepInterval;
    this.#prune = new Prune(store);
    const { database: session, schema } = store;
    this.#wakes = new Wakes({
      session,
      schema,
      listen:
        connectionString === undefined ? undefined : (channel, events) => listen(connectionString, channel, events),
      onWake: (arrivals) => this.#heard(arrivals),
      isAwaited: (queue) => this.#queues.get(queue)?.isAwaited === true,
      isTaking: (queue) => this.#queues.get(queue)?.isTaking === true,
      isPassed: (queue, position) => (this.#queues.get(queue)?.at ?? 0n) > position,
    });
    const notice = (arrivals: Arrivals, areLate: boolean): void => {
      this.active();
      this.#arrived(arrivals);
      this.#wakes.notify(arrivals, areLate);
    };
    this.#followed = new Followed(session, (arrivals) => notice(arrivals, true));
    store.onArrival = (arrivals) => notice(arrivals, false);
  }

  /** Starts listening for wake-ups from other processes, and sweeping: schedules and times to live need no receiver. */
  async start(): Promise<void> {
    this.#sweepLater(this.#sweepInterval);
    await this.#wakes.start();
  }

  /** The state of a queue in this process. */
  state({ number }: TableQueue): QueueState {
    let state = this.#queues.get(number);
    if (state === undefined) {
      const isExact = this.#sweepInterval === 0;
      state = new QueueState(this.store.clock, isExact ? pollInterval : undefined, () => this.#wakes.wait(number));
      this.#queues.set(number, state);
      this.#sweepLater(this.#sweepInterval);
    }
    return state;
  }

  /** Gathers the completions of a queue. */
  completions(queue: TableQueue): Completions {
    let completions = this.#completions.get(queue.number);
    if (completions === undefined) {
      completions = new Completions(this.store, queue);
      this.#completions.set(queue.number, completions);
    }
    return completions;
  }

  /** Called when messages come or go: the next sweep is not put off. */
  active(): void {
    this.#isActive = true;
    if (this.#timer !== undefined && this.#timerAt > this.store.now() + this.#sweepInterval)
      this.#sweepLater(this.#sweepInterval);
  }

  /** Whether {@link catchUp} has nothing to do. */
  get isCaughtUp(): boolean {
    return this.#sweepInterval > 0 && this.store.isTimeFresh;
  }

  /** Called before each operation: refreshes the time and, without a sweep interval, applies everything that is due. */
  async catchUp(): Promise<void> {
    await this.store.refreshTime();
    if (this.#sweepInterval > 0 || this.store.now() <= this.#sweptAt) return;
    await this.#sweep();
  }

  /** Runs a lookup in the cached entities, and again after a refresh if the entity is unknown. */
  find<T>(look: (entities: TableDirectory) => T): T | Promise<T> {
    const { directory } = this.store;
    try {
      return look(directory);
    } catch (error) {
      if (!(error instanceof SobreError) || error.code !== "MessagingEntityNotFound") throw error;
      return directory.refresh().then(() => look(directory));
    }
  }

  /** Carries out a change that is decided from the entities, and lets every node know. */
  async change(decide: (entities: EntityLookup<EntityRow>) => EntityChange<EntityRow>): Promise<void> {
    await changeEntities(this.store, decide);
    this.wakeAll();
  }

  /** Retries every wait, here and in other processes, after entities have changed: it is served, or refused if its entity was deleted. */
  wakeAll(): void {
    this.#wakeQueues();
    this.#wakes.notifyChange();
  }

  /** Waits for the end of a caller's transaction: then its sends are there, or its settlements undone. */
  follow(xid: string, followed: FollowedWork): void {
    this.#followed.add(xid, followed);
  }

  /** Whether an open transaction settles the message. */
  isSettling(token: LockToken): boolean {
    if (this.#followed.settles(token)) return true;
    for (const transaction of this.transactions) if (transaction.settles(token)) return true;
    return false;
  }

  /** Notes that a transaction settles the message, whichever connection holds it; returns whether that is new. */
  settlesIn(token: LockToken): boolean {
    let isNew = false;
    for (const holdings of this.holdings) isNew = holdings.settlesIn(token) || isNew;
    return isNew;
  }

  /** Takes back that a transaction settles the message. */
  settlesNot(token: LockToken): void {
    for (const holdings of this.holdings) holdings.settlesNot(token);
  }

  /** Whether an open transaction of the caller's own settles the message. */
  isSettledByCaller(token: LockToken): boolean {
    return this.#followed.settles(token);
  }

  #heard(arrivals: Arrivals | undefined): void {
    if (arrivals !== undefined) this.#arrived(arrivals);
    // If the refresh fails, the statements of the waiting calls detect the stale entities.
    else
      void this.store.directory
        .refresh()
        .catch(() => {})
        .finally(() => this.#wakeQueues());
  }

  #arrived(arrivals: Arrivals): void {
    for (const [number, { lowest }] of arrivals) {
      const state = this.#queues.get(number);
      if (lowest !== undefined) state?.rewind(lowest);
      state?.wake();
    }
  }

  #wakeQueues(): void {
    for (const state of this.#queues.values()) state.wake();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.cancel();
    this.#followed.close();
    await this.#sweeping?.catch(() => {});
    await this.#wakes.close();
    await this.store.database.close();
  }

  async #sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepNow().finally(() => (this.#sweeping = undefined));
    await this.#sweeping;
  }

  async #sweepNow(): Promise<void> {
    const now = this.store.now();
    const isExact = this.#sweepInterval === 0;
    const begun = performance.now();
    const readsBehind = isExact || begun >= this.#readsBehindAt;
    const readsAll = isExact || (readsBehind && begun >= this.#readsAllAt);
    this.#isActive = false;
    const swept = await sweep(this.store, {
      queues: this.#queues,
      behind: readsBehind,
      below: isExact ? maxSweptPositions : readsAll ? this.#below : 0n,
      due: [readsAll ? 0 : this.#dueFrom, now + idleInterval],
    });
    const { took } = swept;
    this.#dueFrom = Math.min(swept.due ?? now, now) - dueLate;
    if (readsBehind) this.#readsBehindAt = begun + pauseAfter(took, shareOfSweeps);
    if (readsAll) {
      this.#readsAllAt = begun + pauseAfter(took, shareOfWholeSweeps);
      this.#below = took < longSweep ? this.#below * 4n : this.#below / 4n;
      this.#below =
        this.#below < minSweptPositions
          ? minSweptPositions
          : this.#below > maxSweptPositions
            ? maxSweptPositions
            : this.#below;
    }
    await this.#prune.run(now);
    const looked = performance.now();
    if (isExact || looked >= this.#idleEntitiesAt) {
      this.#idleEntitiesAt = looked + idleEntitiesInterval;
      for (const [number, { isAwaited }] of this.#queues) {
        const entity = isAwaited ? this.store.directory.byId(entityOf(number)) : undefined;
        if (entity !== undefined && entity.settings.autoDeleteOnIdle !== Infinity) await this.store.touch(entity);
      }
      if (await deleteIdle(this.store, now)) this.wakeAll();
      // Another node may have deleted entities to which only idle links lead here.
      else await this.store.directory.refresh();
      const isMore = await forwardLeft(this.store);
      const spent = performance.now() - looked;
      this.#idleEntitiesAt = Math.max(
        this.#idleEntitiesAt,
        looked + idleEntitiesInterval + pauseAfter(spent, shareOfSweeps),
      );
      if (isMore) this.#idleEntitiesAt = -Infinity;
      this.#isActive ||= isMore;
    }
    const [failure] = swept.failures;
    if (failure !== undefined) throw failure;
    this.#sweptAt = now;
    if (swept.isBusy) this.#isActive = true;
    const after = Math.min((swept.next ?? Infinity) - now, this.#isActive ? 0 : idleInterval);
    this.#sweepLater(Math.max(this.#sweepInterval, after, readsBehind ? 0 : pauseAfter(took, shareOfSweeps)));
  }

  #sweepLater(after: number): void {
    if (this.#closed || this.#sweepInterval === 0) return;
    this.#timer?.cancel();
    const { clock } = this.store;
    this.#timerAt = this.store.now() + after;
    this.#timer = clock.setTimer(this.#timerAt, () => {
      this.#timer = undefined;
      // After a failed sweep, the next one tries again.
      void this.#sweep().catch(() => this.#sweepLater(idleInterval));
    });
  }
}
