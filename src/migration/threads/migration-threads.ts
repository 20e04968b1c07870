import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { PieceBatch } from "./piece-batch.ts";
import type { PackedBatch } from "./packed-batch.ts";
import type { Inferred, ThreadRequest, MigrationThreadSetup } from "./thread-protocol.ts";

/** Threads that migrate batches of messages. Batches may finish in any order; their results do not depend on the number of threads. */
export class MigrationThreads {
  readonly #threads: readonly Thread[];
  #profiles: string | undefined;

  constructor(setup: MigrationThreadSetup, count: number = availableParallelism()) {
    this.#threads = Array.from({ length: Math.min(count, maxThreads) }, () => new Thread(setup));
  }

  /** Infers the profiles of a batch, for {@link add}. */
  infer(batch: PieceBatch): Promise<Uint8Array<ArrayBuffer>> {
    return inferredFrom(this.#idlest().ask({ kind: "infer", batch }, batch.bytes));
  }

  /** Adds the profiles of the next batch to those before. One of the threads does it, since its objects are collected sooner. */
  add(inferred: Uint8Array<ArrayBuffer>): void {
    // A thread that has failed fails `all`, too.
    this.#threads[0]?.ask({ kind: "add", inferred }, inferred).catch(() => undefined);
  }

  /** The profiles of all batches as JSON. */
  async all(): Promise<string> {
    const [first] = this.#threads;
    if (first === undefined) throw outOfStep();
    return Buffer.from(await inferredFrom(first.ask({ kind: "all" }))).toString("utf8");
  }

  /** Passes on the profiles of all messages, before any is migrated. */
  begin(profiles: string): void {
    this.#profiles = profiles;
  }

  async migrate(batch: PieceBatch): Promise<PackedBatch> {
    const thread = this.#idlest();
    const profiles = thread.hasProfiles ? undefined : this.#profiles;
    thread.hasProfiles = true;
    const answer = await thread.ask({ kind: "migrate", batch, profiles }, batch.bytes);
    if ("entries" in answer) return answer;
    throw outOfStep();
  }

  /** Terminates the threads, even when busy. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #idlest(): Thread {
    return this.#threads.reduce((best, thread) => (thread.waiting < best.waiting ? thread : best));
  }
}

async function inferredFrom(asked: Promise<ThreadAnswer>): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await asked;
  if ("inferred" in answer) return answer.inferred;
  throw outOfStep();
}

function outOfStep(): Error {
  return new Error("A thread of the migration has answered something else than it was asked.");
}

/** Each takes tens of megabytes. */
const maxThreads = 8;

type ThreadAnswer = Inferred | PackedBatch;

class Thread {
  readonly #worker: Worker;
  readonly #waiting: { readonly resolve: (answer: ThreadAnswer) => void; readonly reject: (error: Error) => void }[] =
    [];
  #failure: Error | undefined;
  hasProfiles = false;

  constructor(setup: MigrationThreadSetup) {
    // The extension is .ts when running from sources, and .js when built.
    const file = `./migration-worker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`;
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: setup, resourceLimits: limits });
    this.#worker.on("message", (answer: ThreadAnswer) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", (code) => this.#fail(new Error(`A thread of the migration ended with ${code}.`)));
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Asks a question, with the bytes in it that are moved to the thread. */
  ask(request: ThreadRequest, moved?: Uint8Array<ArrayBuffer>): Promise<ThreadAnswer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request, moved === undefined ? [] : [moved.buffer]);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}

/** In a migration, nearly all objects die young: a young generation for some hundred messages is enough. */
const limits = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 2000 };
