import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { SobreError } from "../../errors/sobre-error.ts";
import { headOf } from "./message-row.ts";
import { RowBytes } from "./row-bytes.ts";
import { StoreDatabase } from "./store-database.ts";
import type { Answer, Request } from "./store-messages.ts";

/** Bytes of rows that are loaded at a time. */
const chunkSize = 2 ** 20;

/** How often a full disk is tried again, in milliseconds. */
const probeEvery = 100;

/** A store's thread, which alone waits for the disk. */
class StoreThread {
  readonly #directory: string;
  readonly #answer: (answer: Answer, transfer?: ArrayBuffer) => void;
  #database: StoreDatabase | undefined;
  #rows = new RowBytes();
  #loading: Generator<void> | undefined;

  constructor(directory: string, answer: (answer: Answer, transfer?: ArrayBuffer) => void) {
    this.#directory = directory;
    this.#answer = answer;
  }

  async handle(request: Request): Promise<void> {
    const { id } = request;
    try {
      const rows = await this.#do(request);
      this.#answer({ id, rows }, rows?.buffer);
    } catch (error) {
      const { code, message } =
        error instanceof SobreError ? error : new SobreError("GeneralError", `The store failed: ${String(error)}`);
      this.#answer({ id, error: { code, message } });
    }
    if (request.kind === "commit") this.#database?.tidy();
  }

  async #do(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
    switch (request.kind) {
      case "open":
        this.#database = new StoreDatabase(this.#directory);
        return undefined;
      case "commit":
        this.#open.commit(request.batch);
        return undefined;
      case "load":
        return this.#load(request.begins);
      case "read": {
        const rows = new RowBytes();
        for (const record of request.records) this.#open.read(record, rows);
        return rows.take();
      }
      case "recovered":
        while (!this.#open.hasRecovered()) await sleep(probeEvery);
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
    if (this.#database === undefined) throw new SobreError("Closed", "The store is closed.");
    return this.#database;
  }

  #load(begins: boolean): Uint8Array<ArrayBuffer> {
    this.#rows = new RowBytes(chunkSize * 1.25);
    if (begins) this.#loading = this.#open.rows(() => this.#rows, headOf);
    while (this.#rows.size < chunkSize && this.#loading !== undefined)
      if (this.#loading.next().done === true) this.#loading = undefined;
    return this.#rows.take();
  }
}

const port = parentPort;
if (port !== null) {
  const { directory }: { readonly directory: string } = workerData;
  const thread = new StoreThread(directory, (answer, transfer) =>
    port.postMessage(answer, transfer === undefined ? [] : [transfer]),
  );
  port.on("message", (request: Request) => void thread.handle(request));
}
