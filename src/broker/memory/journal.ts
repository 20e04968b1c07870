import type { Envelope } from "../../core/envelope/envelope.ts";
import type { Pager } from "./pager.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { StoreFact, MemoryStore, StoredMessage } from "./store.ts";
import type { Part } from "../policy/entities.ts";

/**
 * Facts after which a batch is passed to the store even while others are in progress, so that it writes while more are collected.
 * What follows in the same turn of the event loop shares its commit.
 */
const fullBatch = 64;

/** The numbers of one partition. */
interface PartitionNumbers {
  /** The ordinal of the next message. */
  readonly next: number;
}

/** A partition of a queue. */
type PartitionPlace = Pick<StoredMessage, "entity" | "part" | "partition">;

const isIn = (message: StoredMessage, { entity, part, partition }: PartitionPlace): boolean =>
  message.entity === entity && message.part === part && message.partition === partition;

/**
 * Collects the facts of an engine and commits them in order, in batches.
 *
 * While one batch is written, the next one is collected, so any number of callers share one disk sync.
 */
export class FactJournal {
  readonly pager: Pager;
  readonly #store: MemoryStore;
  /** Called once, when a commit has failed; nothing is recorded afterwards. */
  readonly #onFailure: (error: unknown) => void;
  #facts: StoreFact[] = [];
  readonly #numbers = new Map<PartitionNumbers, PartitionPlace>();
  readonly #used = new Map<number, { readonly at: number; readonly counts: boolean }>();
  #gathering: CommitBatch | undefined;
  /** The last batch passed to the store, while it or an earlier one is in progress. */
  #last: CommitBatch | undefined;
  #underWay = 0;
  #isOpen = false;
  #failed = false;
  /** Whether the last batch waits for the one that ends this turn of the event loop. */
  #isFollowed = false;
  #lastRecord = 0;
  #lastEntity = 0;

  constructor(store: MemoryStore, pager: Pager, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.pager = pager;
    this.#onFailure = onFailure;
  }

  /** Starts recording, once the contents of the store have been loaded; ids used there are not reused. */
  open(lastRecord: number, lastEntity: number): void {
    this.#lastRecord = lastRecord;
    this.#lastEntity = lastEntity;
    this.#isOpen = true;
  }

  nextRecord(): number {
    return ++this.#lastRecord;
  }

  nextEntity(): number {
    return ++this.#lastEntity;
  }

  /** @throws SobreError `UnsupportedValue` for an envelope that cannot be kept. */
  check(envelope: Envelope): void {
    this.#store.check(envelope);
  }

  record(fact: StoreFact): void {
    if (!this.#isOpen) return;
    this.#facts.push(fact);
    this.#gather();
  }

  /**
   * Notes that sequence numbers were consumed; the next number is read when the batch is committed. While a store is loaded, those
   * of its messages are noted too: so far, only the rows of these may imply them.
   */
  numbered(entity: number, part: Part, partition: number, numbers: PartitionNumbers): void {
    if (!this.#numbers.has(numbers)) this.#numbers.set(numbers, { entity, part, partition });
    if (this.#isOpen) this.#gather();
  }

  /** Notes when an entity was used. Written with a later batch; if the entity is deleted when idle, this starts one. */
  used(entity: number, at: number, counts: boolean): void {
    if (!this.#isOpen) return;
    this.#used.set(entity, { at, counts });
    if (counts) this.#gather();
  }

  /** Removes the notes on a deleted entity. */
  forget(entity: number): void {
    this.#used.delete(entity);
    for (const [numbers, of] of this.#numbers) if (of.entity === entity) this.#numbers.delete(numbers);
  }

  /** Resolves when everything recorded so far is durable; rejects when it is lost. */
  synced(): Promise<void> {
    return (this.#gathering ?? this.#last)?.promise ?? Promise.resolve();
  }

  /** Commits everything noted, and stops recording. */
  async close(): Promise<void> {
    if (this.#used.size > 0 || this.#numbers.size > 0) this.#gather();
    this.#isOpen = false;
    await this.synced();
  }

  /** Marks the facts recorded so far as complete, e.g. all messages of one send or all steps of a transaction. */
  stepEnded(): void {
    if (this.#facts.length < fullBatch) return;
    if (!this.#isFollowed) {
      this.#isFollowed = true;
      void this.#store.turnEnded().then(() => this.#endTurn());
    }
    this.#commit();
  }

  #endTurn(): void {
    this.#isFollowed = false;
    if (this.#failed || !this.#isOpen || this.#underWay === 0) return;
    // Even an empty batch shows the store that nothing follows.
    this.#gather();
    this.#commit();
  }

  #gather(): void {
    if (this.#gathering !== undefined) return;
    this.#gathering = newBatch();
    // Callers in the same turn of the event loop share a batch.
    if (this.#underWay === 0) queueMicrotask(() => this.#commitWhenIdle());
  }

  #commitWhenIdle(): void {
    if (this.#underWay === 0) this.#commit();
  }

  #commit(): void {
    const batch = this.#gathering;
    if (batch === undefined) return;
    this.#last = batch;
    this.#underWay++;
    this.#gathering = undefined;
    void this.#keep(batch, this.#takeFacts(), this.pager.takeLeaving(), this.#isFollowed);
  }

  async #keep(
    batch: CommitBatch,
    facts: readonly StoreFact[],
    leaving: readonly QueuedMessage[],
    isFollowed: boolean,
  ): Promise<void> {
    try {
      await this.#store.commit(facts, isFollowed);
    } catch (error) {
      this.#fail(batch, error);
      return;
    }
    this.pager.unload(leaving);
    if (--this.#underWay === 0) this.#last = undefined;
    batch.resolve();
    this.#commitWhenIdle();
  }

  #takeFacts(): readonly StoreFact[] {
    const facts = this.#facts;
    this.#facts = [];
    const [only] = facts;
    // The row of a lone message implies both until a later batch may remove it; its sender waits for one row instead of three.
    const added = facts.length === 1 && only?.kind === "message" ? only.message : undefined;
    for (const [numbers, of] of this.#numbers) {
      const { next } = numbers;
      if (added?.ordinal === next - 1 && isIn(added, of)) continue;
      facts.push({ kind: "numbers", ...of, next });
      this.#numbers.delete(numbers);
    }
    for (const [entity, { at, counts }] of this.#used) {
      if (!counts && added?.entity === entity && added.enqueuedAt === at) continue;
      facts.push({ kind: "used", entity, at });
      this.#used.delete(entity);
    }
    return facts;
  }

  #fail(batch: CommitBatch, error: unknown): void {
    const gathering = this.#gathering;
    const isFirst = !this.#failed;
    this.#failed = true;
    this.#isOpen = false;
    this.#gathering = undefined;
    this.#facts = [];
    if (isFirst) this.#onFailure(error);
    batch.reject(error);
    // This batch builds on the lost one, like those in progress, which the store refuses.
    gathering?.reject(error);
  }
}

/** A batch on its way to the store. */
type CommitBatch = PromiseWithResolvers<void>;

function newBatch(): CommitBatch {
  const batch = Promise.withResolvers<void>();
  // Often nobody awaits it; a caller that does still gets the rejection.
  batch.promise.catch(() => {});
  return batch;
}
