import type { TableQueue } from "./entities.ts";
import { completeHeld } from "./held.ts";
import type { PostgresStore } from "./store.ts";

/** Maximum number of completions per statement. */
const maxCompletionsPerStatement = 500;

/** Maximum number of statements at the same time: while one waits for the disk, the next one runs. */
const maxStatements = 2;

interface PendingCompletion {
  readonly token: bigint;
  readonly seq: bigint;
  readonly resolve: (isHeld: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** The completions of a queue, batched: those requested while statements are running are carried out together by the next one. */
export class Completions {
  readonly #store: PostgresStore;
  readonly #queue: TableQueue;
  #waiting: PendingCompletion[] = [];
  #running = 0;

  constructor(store: PostgresStore, queue: TableQueue) {
    this.#store = store;
    this.#queue = queue;
  }

  /** Completes a message; resolves to whether the token held the message. */
  complete(token: bigint, seq: bigint): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ token, seq, resolve, reject });
      if (this.#running < maxStatements) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running++;
    // Completions of the same turn of the event loop share the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#take();
      try {
        const lost = await this.#completeAll(batch);
        for (const { seq, resolve } of batch) resolve(!lost.has(seq));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running--;
  }

  /** The next batch, with at most one completion per message: of two holders of one message, the second goes into a later batch. */
  #take(): readonly PendingCompletion[] {
    const batch = new Map<bigint, PendingCompletion>();
    const later: PendingCompletion[] = [];
    for (const completion of this.#waiting)
      if (batch.has(completion.seq) || batch.size === maxCompletionsPerStatement) later.push(completion);
      else batch.set(completion.seq, completion);
    this.#waiting = later;
    return [...batch.values()];
  }

  #completeAll(batch: readonly PendingCompletion[]): Promise<ReadonlySet<bigint>> {
    const { database, schema, directory } = this.#store;
    return this.#store.fresh(async () => {
      const queue = this.#store.current(this.#queue);
      return completeHeld(database, schema, { queue, version: directory.version, now: this.#store.now() }, batch);
    });
  }
}
