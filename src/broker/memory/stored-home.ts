import type { Delivery } from "../../core/engine/delivery.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import type { Answer } from "../policy/answer.ts";
import type { SendRoute } from "../policy/router.ts";
import type { EntityContents } from "./entity.ts";
import { FactJournal } from "./journal.ts";
import { createEntities, type MemoryEngineOptions } from "./memory-engine.ts";
import type { MessageQueue } from "./message-queue.ts";
import { MemoryNamespace, type NamespaceHome } from "./namespace.ts";
import { Pager } from "./pager.ts";
import { restore } from "./restoration.ts";
import type { MemoryStore } from "./store.ts";
import type { Timeline } from "./timeline.ts";

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
export class StoredHome implements NamespaceHome {
  readonly #store: MemoryStore;
  readonly #options: MemoryEngineOptions;
  readonly #clock: Clock;
  readonly #memoryBudget: number;
  #namespace: MemoryNamespace;
  #journal: FactJournal;
  #failure: SobreError | undefined;

  private constructor(store: MemoryStore, options: StoredEngineOptions) {
    this.#memoryBudget = options.memoryBudget;
    this.#store = store;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    [this.#namespace, this.#journal] = this.#make();
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

  /** The entities of the current engine. */
  get namespace(): MemoryNamespace {
    return this.#namespace;
  }

  /** Whether there is no engine. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Whether something belongs to the current engine. */
  isCurrent({ timeline }: { readonly timeline: Timeline }): boolean {
    return timeline === this.#namespace.timeline;
  }

  /** The queue of the current engine at the same address. */
  currentQueue(queue: MessageQueue): MessageQueue {
    return this.isCurrent(queue) ? queue : this.#namespace.directory.queue(queue.address);
  }

  /** The route between entities of the current engine with the same names. */
  currentRoute({ target, through }: SendRoute<EntityContents>): SendRoute<EntityContents> {
    if (this.isCurrent(target)) return { target, through };
    const { directory } = this.#namespace;
    const via = through === undefined ? undefined : directory.queueEntity(through.address);
    return { target: directory.sendable(target.address), through: via };
  }

  /**
   * Applies everything due, including to messages that must be read first; `undefined` when that needs no waiting, so that
   * calls made in the same turn of the event loop take effect in the same turn.
   *
   * @throws SobreError The reason when there is no engine.
   */
  catchUp(): Promise<void> | undefined {
    this.#check();
    this.#namespace.timeline.now();
    const { settled } = this.#journal.pager;
    return settled === undefined ? undefined : this.#unparked(settled);
  }

  async #unparked(settled: Promise<void>): Promise<void> {
    for (
      let waiting: Promise<void> | undefined = settled;
      waiting !== undefined;
      waiting = this.#journal.pager.settled
    ) {
      await waiting;
      this.#check();
      this.#namespace.timeline.now();
    }
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves to an answer when everything that took effect with it is durable. */
  async confirm<T>(answer: Answer<T>): Promise<T> {
    // Facts recorded later belong to other callers.
    const synced = this.#journal.synced();
    this.#journal.stepEnded();
    const value = await answer;
    await synced;
    return value;
  }

  /** Runs a call that takes effect immediately, and resolves when it is durable. */
  async run<T>(call: () => Answer<T>): Promise<T> {
    const due = this.catchUp();
    if (due !== undefined) await due;
    return this.confirm(call());
  }

  /** Runs a call that may first wait for other callers, and resolves when it is durable. */
  async afterWait<T>(call: () => Answer<T>): Promise<T> {
    const due = this.catchUp();
    if (due !== undefined) await due;
    const journal = this.#journal;
    const value = await call();
    await journal.synced();
    return value;
  }

  /** Closes a link of a queue, whose engine may no longer be there. */
  runEnd(queue: MessageQueue, end: () => Answer<void>): Answer<void> {
    return this.failed || !this.isCurrent(queue) ? end() : this.run(end);
  }

  /** Fills in the envelopes that stayed in the store. */
  async fill(deliveries: Answer<readonly Delivery[]>): Promise<readonly Delivery[]> {
    return this.#journal.pager.fill(await deliveries);
  }

  /** Closes the store, with every event until then in it. */
  async end(): Promise<void> {
    const journal = this.#journal;
    if (this.#failure === undefined) {
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
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure?.code === "Closed") return;
      this.#failure =
        error instanceof SobreError ? error : new SobreError("Closed", "The store did not recover.", { cause: error });
    }
  }
}
