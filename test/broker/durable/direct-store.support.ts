import type { Envelope } from "../../../src/core/envelope/envelope.ts";
import { checkProperties } from "../../../src/wire/amqp/message/kept-envelope.ts";
import { EnvelopeSink, FactSink, writeFact } from "../../../src/broker/durable/fact-rows.ts";
import { headOf } from "../../../src/broker/durable/message-row.ts";
import { RowBytes } from "../../../src/broker/durable/row-bytes.ts";
import { StoreDatabase } from "../../../src/broker/durable/store-database.ts";
import type { StoreFact, MemoryStore } from "../../../src/broker/memory/store.ts";

/** The durable store without its thread: it opens in a few milliseconds, and `kill` ends it between two commits. */
export class DirectStore implements MemoryStore {
  readonly #database: StoreDatabase;
  #killed = false;

  constructor(directory: string) {
    this.#database = new StoreDatabase(directory);
  }

  async *load(): AsyncGenerator<readonly StoreFact[]> {
    const sink = new FactSink();
    for (const _row of this.#database.rows(() => sink, headOf)) continue;
    yield sink.facts;
  }

  check(envelope: Envelope): void {
    checkProperties(envelope);
  }

  async commit(facts: readonly StoreFact[], _isFollowed = false): Promise<void> {
    if (this.#killed) throw new Error("The process is gone.");
    const rows = new RowBytes();
    for (const fact of facts) writeFact(rows, fact);
    const bytes = rows.take();
    // As far away as a thread.
    await new Promise(setImmediate);
    if (this.#killed) throw new Error("The process is gone.");
    this.#database.commit(bytes);
    this.#database.tidy();
  }

  async read(record: number): Promise<Envelope> {
    const sink = new EnvelopeSink();
    this.#database.read(record, sink);
    const envelope = sink.byRecord.get(record);
    if (envelope === undefined || envelope instanceof Error) throw envelope ?? new Error("Nothing was read.");
    return envelope;
  }

  async recovered(): Promise<void> {
    while (!this.#database.hasRecovered()) await new Promise(setImmediate);
  }

  turnEnded(): Promise<void> {
    return new Promise(setImmediate);
  }

  async close(): Promise<void> {
    this.kill();
  }

  /** Ends it as the end of a process would: what was not committed is lost. */
  kill(): void {
    if (this.#killed) return;
    this.#killed = true;
    this.#database.close();
  }
}
