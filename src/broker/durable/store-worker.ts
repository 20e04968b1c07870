import { isMainThread, type MessagePort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { headOf } from "./message-row.ts";
import { RowBytes } from "./row-bytes.ts";
import { StoreDatabase } from "./store-database.ts";
import {
  type StoreAnswer,
  answers,
  type CommitRequest,
  AnswerPace,
  places,
  type StoreRequest,
  type StoreThreadSetup,
} from "./store-messages.ts";

/** Bytes of rows that are loaded at a time. */
const chunkSize = 2 ** 20;

/** Batches that share a commit at most; each may have waited for all of it. */
const maxBatches = 64;

/** How long a commit waits for a batch that is to share it, in milliseconds. */
const maxFollowTime = 2;

/** Syncs that take longer than this, in milliseconds, are worth delaying so that more batches share them. */
const longSync = 2;

/** How often a full disk is tried again, in milliseconds. */
const probeEvery = 100;

/**
 * How long the thread looks for the next request before it sleeps, in milliseconds. It only does so while most have come that
 * fast: waking a sleeping thread takes a quarter of a lone sender's time.
 */
const maxWatchTime = 0.5;

/**
 * The thread of a store. Only it waits for the disk; it waits for requests without an event loop, which would wake it
 * late.
 */
class StoreThread {
  readonly #directory: string;
  readonly #shared: Int32Array<SharedArrayBuffer>;
  readonly #slot: Uint8Array<SharedArrayBuffer>;
  readonly #port: MessagePort;
  /** A copy of the batch in the slot, since not everything reads shared memory. */
  readonly #batch: Uint8Array<ArrayBuffer>;
  #database: StoreDatabase | undefined;
  #rows = new RowBytes();
  #loading: Generator<void> | undefined;
  /** One that was received and is still to be done. */
  #next: StoreRequest | undefined;
  /** The numbers of the last request, and of the last one in the slot. */
  #last = 0;
  #lastInSlot = 0;
  readonly #pace = new AnswerPace(maxWatchTime);
  /** Why nothing is committed until the engine knows that it lost a batch. */
  #failure: SobreError | undefined;

  constructor({ directory, shared, slot, port }: StoreThreadSetup) {
    this.#directory = directory;
    this.#shared = shared;
    this.#slot = slot;
    this.#batch = new Uint8Array(slot.byteLength);
    this.#port = port;
  }

  /** Does what is asked, until it is closed. */
  run(): void {
    for (;;) {
      const posted = this.#posted;
      const request = this.#receive();
      if (request === undefined) this.#sleep(posted);
      else this.#handle(request);
      if (request?.kind === "close") return;
    }
  }

  /** Waits until something is posted. */
  #sleep(posted: number): void {
    const began = performance.now();
    if (this.#pace.isQuick) while (this.#posted === posted && performance.now() - began < maxWatchTime);
    Atomics.wait(this.#shared, places.posted, posted);
    this.#pace.took(performance.now() - began);
  }

  get #posted(): number {
    return Atomics.load(this.#shared, places.posted);
  }

  #receive(): StoreRequest | undefined {
    const request = this.#next;
    this.#next = undefined;
    if (request !== undefined) return request;
    const size = Atomics.exchange(this.#shared, places.size, 0);
    if (size > 0) {
      this.#lastInSlot = ++this.#last;
      this.#batch.set(this.#slot.subarray(0, size));
      return { id: this.#last, kind: "commit", batch: this.#batch.subarray(0, size), isFollowed: false };
    }
    const received: { readonly message: StoreRequest } | undefined = receiveMessageOnPort(this.#port);
    this.#last = received?.message.id ?? this.#last;
    return received?.message;
  }

  #handle(request: StoreRequest): void {
    let { id } = request;
    try {
      if (request.kind === "commit") {
        const spare = this.#spareOf(request);
        this.#commit(request, (joined) => {
          ({ id } = joined);
          spare.push(...this.#spareOf(joined));
        });
        if (id !== this.#lastInSlot || !this.#giveAnswer()) this.#answer({ id, spare }, spare);
        this.#database?.tidy();
        return;
      }
      const rows = this.#do(request);
      this.#answer({ id, rows }, rows === undefined ? [] : [rows.buffer]);
    } catch (error) {
      const { code, message } = asSobreError(error);
      this.#answer({ id, error: { code, message } });
    }
  }

  #spareOf({ batch: { buffer } }: CommitRequest): ArrayBuffer[] {
    return buffer === this.#batch.buffer ? [] : [buffer];
  }

  /** Answers the batch in the slot, if its answer is awaited there. */
  #giveAnswer(): boolean {
    const { awaited, given } = answers;
    return Atomics.compareExchange(this.#shared, places.answer, awaited, given) === awaited;
  }

  #answer(answer: StoreAnswer, transfer: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(answer, transfer);
  }

  #do(request: Exclude<StoreRequest, { readonly kind: "commit" }>): Uint8Array<ArrayBuffer> | undefined {
    switch (request.kind) {
      case "open":
        this.#database = new StoreDatabase(this.#directory);
        return undefined;
      case "load":
        return this.#load(request.begins);
      case "read": {
        const rows = new RowBytes();
        for (const record of request.records) this.#open.read(record, rows);
        return rows.take();
      }
      case "recovered":
        this.#recover();
        return undefined;
      case "backup":
        this.#open.backup(request.directory);
        return undefined;
      case "close":
        this.#database?.close();
        this.#database = undefined;
        return undefined;
      default:
        return request satisfies never;
    }
  }

  get #open(): StoreDatabase {
    if (this.#database === undefined) throw closed();
    return this.#database;
  }

  /** Commits a batch with those that have come after it, which `joined` takes. */
  #commit(first: CommitRequest, joined: (request: CommitRequest) => void): void {
    if (this.#failure !== undefined) throw this.#failure;
    let batches = 1;
    let { isFollowed } = first;
    const next = (): Uint8Array | undefined => {
      if (batches++ >= maxBatches) return undefined;
      const posted = this.#posted;
      let request = this.#receive();
      if (request === undefined && isFollowed && this.#open.lastSync > longSync) {
        Atomics.wait(this.#shared, places.posted, posted, maxFollowTime);
        request = this.#receive();
      }
      if (request?.kind === "commit") {
        joined(request);
        ({ isFollowed } = request);
        return request.batch;
      }
      this.#next = request;
      return undefined;
    };
    try {
      this.#open.commit(first.batch, next);
    } catch (error) {
      this.#failure = asSobreError(error);
      throw this.#failure;
    }
  }

  /** Waits until the disk takes commits again. */
  #recover(): void {
    while (!this.#open.hasRecovered()) {
      const posted = this.#posted;
      this.#next = this.#receive();
      if (this.#next?.kind === "close") throw closed();
      Atomics.wait(this.#shared, places.posted, posted, probeEvery);
    }
    this.#failure = undefined;
  }

  #load(begins: boolean): Uint8Array<ArrayBuffer> {
    this.#rows = new RowBytes(chunkSize * 1.25);
    if (begins) this.#loading = this.#open.rows(() => this.#rows, headOf);
    while (this.#rows.size < chunkSize && this.#loading !== undefined)
      if (this.#loading.next().done === true) this.#loading = undefined;
    return this.#rows.take();
  }
}

const closed = (): SobreError => new SobreError("Closed", "The store is closed.");

const asSobreError = (error: unknown): SobreError =>
  error instanceof SobreError ? error : new SobreError("GeneralError", `The store failed: ${String(error)}`);

if (!isMainThread) {
  const setup: StoreThreadSetup = workerData;
  new StoreThread(setup).run();
}
