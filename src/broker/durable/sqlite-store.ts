import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { StoreFact, MemoryStore } from "../memory/store.ts";
import { FactReader } from "./fact-reader.ts";
import { checkProperties } from "../../wire/amqp/message/kept-envelope.ts";
import { EnvelopeSink, FactSink, writeFact } from "./fact-rows.ts";
import { storeOver } from "./failures.ts";
import { readRows, RowBytes } from "./row-bytes.ts";
import {
  type StoreAnswer,
  answers,
  type CommitRequest,
  AnswerPace,
  places,
  type StoreRequest,
  type StoreThreadSetup,
} from "./store-messages.ts";

/** Bytes of buffers that wait for further batches. */
const maxSpareBytes = 4 * 2 ** 20;

/** Bytes of a batch that needs no message. */
const slotSize = 16 * 1024;

/**
 * How long this thread looks for the answer to a lone commit before it sleeps, in milliseconds, while its event loop turns:
 * waking it takes a quarter of a lone sender's time.
 */
const maxWatchTime = 1;

interface PendingRequest {
  resolve(rows: Uint8Array<ArrayBuffer> | undefined): void;
  reject(error: SobreError): void;
}

interface PendingLoad {
  readonly record: number;
  resolve(envelope: Envelope): void;
  reject(error: unknown): void;
}

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

/** Whether a request is a batch for the slot. */
const isSmall = (request: WithoutId<StoreRequest>): request is WithoutId<CommitRequest> =>
  request.kind === "commit" &&
  !request.isFollowed &&
  request.batch.byteLength > 0 &&
  request.batch.byteLength <= slotSize;

/** A store in a directory: SQLite in its own thread, so that this one never waits for a disk. */
export class SqliteStore implements MemoryStore {
  readonly #directory: string;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  /** See {@link StoreThreadSetup}. */
  readonly #shared = new Int32Array(new SharedArrayBuffer(12));
  readonly #slot = new Uint8Array(new SharedArrayBuffer(slotSize));
  /** By their numbers, which rise. */
  readonly #pending = new Map<number, PendingRequest>();
  /** Buffers of batches that are committed: new ones would be garbage that two threads leave to each other. */
  readonly #spare: ArrayBuffer[] = [];
  #spareBytes = 0;
  #reads: PendingLoad[] = [];
  #id = 0;
  #batchSize = 4096;
  #over: SobreError | undefined;
  /** The number of the last batch in the slot. */
  #lastInSlot = 0;
  /** When the last commit was posted. */
  #posted = 0;
  readonly #pace = new AnswerPace(maxWatchTime);
  #isWatching = false;

  private constructor(directory: string) {
    this.#directory = directory;
    // Sources run as they are, and are built to .js.
    const file = `./store-worker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const setup: StoreThreadSetup = { directory, shared: this.#shared, slot: this.#slot, port: port2 };
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: setup, transferList: [port2] });
    this.#port.on("message", (answer: StoreAnswer) => this.#answered(answer));
    this.#worker.on("error", (error) => this.#ended(error.message));
    this.#worker.on("exit", () => this.#ended("its thread has ended"));
  }

  /** @throws SobreError as {@link StoreDatabase} does. */
  static async open(directory: string): Promise<SqliteStore> {
    const store = new SqliteStore(directory);
    try {
      await store.#ask({ kind: "open" });
      return store;
    } catch (error) {
      await store.#terminate();
      throw error;
    }
  }

  async *load(): AsyncGenerator<readonly StoreFact[]> {
    for (let begins = true; ; begins = false) {
      const rows = await this.#ask({ kind: "load", begins });
      if (rows === undefined || rows.byteLength === 0) return;
      const sink = new FactSink();
      readRows(new FactReader(rows), sink);
      yield sink.facts;
    }
  }

  check(envelope: Envelope): void {
    checkProperties(envelope);
  }

  async commit(facts: readonly StoreFact[], isFollowed: boolean): Promise<void> {
    const rows = new RowBytes(this.#takeSpare() ?? this.#batchSize);
    for (const fact of facts) writeFact(rows, fact);
    // They are about the messages before this commit.
    void this.#read();
    // The next batch is probably as large.
    this.#batchSize = Math.max(4096, rows.size + 512);
    await this.#ask({ kind: "commit", batch: rows.take(), isFollowed });
  }

  read(record: number): Promise<Envelope> {
    return new Promise((resolve, reject) => {
      this.#reads.push({ record, resolve, reject });
      // The reads of one turn are sent together, unless a commit goes before.
      if (this.#reads.length === 1) queueMicrotask(() => void this.#read());
    });
  }

  async #read(): Promise<void> {
    const reads = this.#reads;
    if (reads.length === 0) return;
    this.#reads = [];
    try {
      const rows = await this.#ask({ kind: "read", records: reads.map(({ record }) => record) });
      const envelopes = new EnvelopeSink();
      readRows(new FactReader(rows ?? new Uint8Array()), envelopes);
      for (const read of reads) {
        const envelope = envelopes.byRecord.get(read.record);
        if (envelope instanceof SobreError || envelope === undefined) read.reject(envelope);
        else read.resolve(envelope);
      }
    } catch (error) {
      for (const read of reads) read.reject(error);
    }
  }

  async recovered(): Promise<void> {
    await this.#ask({ kind: "recovered" });
  }

  turnEnded(): Promise<void> {
    return new Promise(setImmediate);
  }

  /** Writes a copy of what is committed into another directory. @throws SobreError when one is there. */
  async backup(directory: string): Promise<void> {
    await this.#ask({ kind: "backup", directory });
  }

  async close(): Promise<void> {
    if (this.#over === undefined) await this.#ask({ kind: "close" });
    this.#over ??= new SobreError("Closed", "The store is closed.");
    await this.#terminate();
  }

  async #terminate(): Promise<void> {
    this.#port.close();
    await this.#worker.terminate();
  }

  /** An idle store keeps no process alive. */
  #holdProcess(holds: boolean): void {
    for (const held of [this.#worker, this.#port])
      if (holds) held.ref();
      else held.unref();
  }

  #ask(request: WithoutId<StoreRequest>): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (this.#pending.size === 1) this.#holdProcess(true);
      if (request.kind === "commit") this.#posted = performance.now();
      if (this.#pending.size === 1 && isSmall(request)) this.#fillSlot(id, request.batch);
      else this.#port.postMessage({ ...request, id }, request.kind === "commit" ? [request.batch.buffer] : []);
      Atomics.add(this.#shared, places.posted, 1);
      Atomics.notify(this.#shared, places.posted);
    });
  }

  #fillSlot(id: number, batch: Uint8Array<ArrayBuffer>): void {
    this.#lastInSlot = id;
    this.#slot.set(batch);
    this.#keepSpare([batch.buffer]);
    const { isQuick } = this.#pace;
    // An answer to the batch before may still be there, where a message came first.
    Atomics.store(this.#shared, places.answer, isQuick ? answers.awaited : answers.message);
    if (isQuick && !this.#isWatching) setImmediate(this.#watch);
    this.#isWatching ||= isQuick;
    Atomics.store(this.#shared, places.size, batch.byteLength);
  }

  /** Looks for the answer in every turn of the event loop, for a while. */
  readonly #watch = (): void => {
    const id = this.#lastInSlot;
    const isOpen = this.#pending.has(id) && performance.now() - this.#posted < maxWatchTime;
    if (isOpen && Atomics.load(this.#shared, places.answer) === answers.awaited) {
      setImmediate(this.#watch);
      return;
    }
    this.#isWatching = false;
    if (Atomics.exchange(this.#shared, places.answer, answers.message) === answers.given)
      this.#answered({ id, spare: [] });
  };

  #takeSpare(): ArrayBuffer | undefined {
    const spare = this.#spare.pop();
    this.#spareBytes -= spare?.byteLength ?? 0;
    return spare;
  }

  #keepSpare(spare: readonly ArrayBuffer[]): void {
    for (const buffer of spare) {
      if (this.#spareBytes + buffer.byteLength > maxSpareBytes) return;
      this.#spare.push(buffer);
      this.#spareBytes += buffer.byteLength;
    }
  }

  #answered(answer: StoreAnswer): void {
    if ("spare" in answer) {
      this.#keepSpare(answer.spare);
      this.#pace.took(performance.now() - this.#posted);
    }
    for (const [id, pending] of this.#pending) {
      if (id > answer.id) break;
      this.#pending.delete(id);
      if ("error" in answer) pending.reject(new SobreError(answer.error.code, answer.error.message));
      else pending.resolve("rows" in answer ? answer.rows : undefined);
    }
    if (this.#pending.size === 0) this.#holdProcess(false);
  }

  #ended(why: string): void {
    // The end of a thread may overtake its last answers.
    for (;;) {
      const left: { readonly message: StoreAnswer } | undefined = receiveMessageOnPort(this.#port);
      if (left === undefined) break;
      this.#answered(left.message);
    }
    this.#over ??= storeOver(this.#directory, why);
    for (const pending of this.#pending.values()) pending.reject(this.#over);
    this.#pending.clear();
  }
}
