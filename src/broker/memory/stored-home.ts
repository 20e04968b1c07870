import type { Delivery } from "../../core/engine/delivery.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { memoryConnection } from "./memory-verbs.ts";
import { FactJournal } from "./journal.ts";
import { createEntities, type MemoryEngineOptions } from "./memory-engine.ts";
import { MemoryNamespace } from "./namespace.ts";
import { Pager } from "./pager.ts";
import { restore } from "./restoration.ts";
import type { MemoryStore } from "./store.ts";

/** Options of a memory engine with a store. */
export interface StoredEngineOptions extends MemoryEngineOptions {
  /** Maximum bytes of envelopes in memory; the rest stays in the store. */
  readonly memoryBudget: number;
}

/**
 * A memory engine with its store: no operation resolves before it is durable.
 *
 * After a failed commit, the engine is ahead of its store. It is then abandoned, with every lock, and another one
 * is loaded from the store as soon as that accepts commits again.
 */
export class StoredHome {
  readonly #store: MemoryStore;
  readonly #options: MemoryEngineOptions;
  readonly #clock: Clock;
  readonly #memoryBudget: number;
  #namespace: MemoryNamespace;
  #journal: FactJournal;
  #root: Engine;
  #failure: SobreError | undefined;
  /** Incremented for every engine created. */
  generation = 0;

  private constructor(store: MemoryStore, options: StoredEngineOptions) {
    this.#memoryBudget = options.memoryBudget;
    this.#store = store;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    [this.#namespace, this.#journal] = this.#make();
    this.#root = memoryConnection(this.#namespace);
  }

  /** @throws SobreError from the store, or `InvalidArgument` naming an option. */
  static async open(store: MemoryStore, options: StoredEngineOptions): Promise<StoredHome> {
    const home = new StoredHome(store, options);
    await restore(home.#namespace, store, home.#journal);
    const namespace = home.#namespace;
    createEntities(namespace, options, (address) => namespace.directory.find(address) !== undefined);
    await home.#journal.synced();
    return home;
  }

  /** @throws SobreError The reason when there is no engine. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Whether there is no engine. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** The root connection of the current engine. */
  get root(): Engine {
    return this.#root;
  }

  /** Runs an operation that takes effect immediately, and resolves when it is durable. */
  async run<T, R>(of: Renewed<T>, operation: (inner: T) => Promise<R>): Promise<R> {
    const entering = this.#enter(of);
    // Calls made in the same turn of the event loop take effect in the same turn.
    const inner = entering instanceof Promise ? await entering : entering;
    const result = operation(inner);
    // Facts recorded later belong to other callers.
    const synced = this.#journal.synced();
    this.#journal.stepEnded();
    const value = await result;
    await synced;
    return value;
  }

  /** Runs an operation that may first wait for other callers, and resolves when it is durable. */
  async runWaiting<T, R>(of: Renewed<T>, operation: (inner: T) => Promise<R>): Promise<R> {
    const entering = this.#enter(of);
    const inner = entering instanceof Promise ? await entering : entering;
    const journal = this.#journal;
    const value = await operation(inner);
    await journal.synced();
    return value;
  }

  /** Fills in the envelopes that stayed in the store. */
  fill(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    return this.#journal.pager.fill(deliveries);
  }

  /** Waits until everything due has been applied, including to messages that must be read first. */
  #enter<T>(of: Renewed<T>): T | Promise<T> {
    const { current } = of;
    this.#namespace.timeline.now();
    const { settled } = this.#journal.pager;
    return settled === undefined && current !== undefined ? current : this.#entered(of, settled);
  }

  async #entered<T>(of: Renewed<T>, settled: Promise<void> | undefined): Promise<T> {
    for (let waiting = settled; waiting !== undefined; waiting = this.#journal.pager.settled) await waiting;
    return of.current ?? (await of.renew());
  }

  /** Closes something that may no longer exist. */
  async runEnd<T>(of: Renewed<T>, end: (inner: T) => Promise<void>): Promise<void> {
    if (of.isCurrent) await this.run(of, end);
    else await end(of.last);
  }

  /** Closes or aborts the engine, with every event until then in the store. */
  async end(how: "close" | "abort"): Promise<void> {
    const journal = this.#journal;
    if (this.#failure === undefined) {
      await this.#root[how]();
      await journal.pager.settled;
      this.#failure = new SobreError("Closed", "The engine was closed before. Open another one.");
      this.#namespace.timeline.hold();
      await journal.close();
      this.#namespace.abandon(this.#failure);
    }
    await this.#store.close();
  }

  #make(): readonly [MemoryNamespace, FactJournal] {
    const pager = new Pager(this.#store, this.#memoryBudget);
    const journal: FactJournal = new FactJournal(this.#store, pager, (error) => {
      // Callbacks must not run while a commit is being finished.
      if (journal === this.#journal) this.#fail(error);
    });
    return [
      new MemoryNamespace({
        clock: this.#clock,
        firstSequenceNumber: this.#options.firstSequenceNumber ?? 1n,
        journal,
      }),
      journal,
    ];
  }

  #fail(error: unknown): void {
    const failure =
      error instanceof SobreError
        ? error
        : new SobreError("Closed", "The store has failed. Restart the process.", { cause: error });
    this.#failure = failure;
    this.#namespace.abandon(failure);
    if (failure.retryable) void this.#recover();
  }

  async #recover(): Promise<void> {
    try {
      await this.#store.recovered();
      const [namespace, journal] = this.#make();
      this.#journal = journal;
      await restore(namespace, this.#store, journal);
      this.#namespace = namespace;
      this.#root = memoryConnection(namespace);
      this.generation++;
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure?.code === "Closed") return;
      this.#failure =
        error instanceof SobreError ? error : new SobreError("Closed", "The store did not recover.", { cause: error });
    }
  }
}

/** A connection, link or transaction of the current engine; it is reopened when the engine is replaced. */
export class Renewed<T> {
  readonly #home: StoredHome;
  readonly #open: () => Promise<T>;
  #inner: T;
  #generation: number;

  /** @param open Opens a replacement, or throws when it cannot be replaced. */
  constructor(home: StoredHome, inner: T, open: () => Promise<T>) {
    this.#home = home;
    this.#inner = inner;
    this.#open = open;
    this.#generation = home.generation;
  }

  get isCurrent(): boolean {
    return !this.#home.failed && this.#generation === this.#home.generation;
  }

  /** @throws SobreError The reason when there is no engine. */
  get current(): T | undefined {
    this.#home.check();
    return this.#generation === this.#home.generation ? this.#inner : undefined;
  }

  /** The most recent one, even if its engine was abandoned. */
  get last(): T {
    return this.#inner;
  }

  async renew(): Promise<T> {
    const { generation } = this.#home;
    const inner = await this.#open();
    this.#inner = inner;
    this.#generation = generation;
    return inner;
  }
}
