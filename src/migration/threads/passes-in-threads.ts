import { messageOfPiece } from "../captured-message.ts";
import type { DoneBefore } from "../done-before.ts";
import type { MigrationOptions } from "../migration-options.ts";
import { type Keep, type Passes, progressOf, sampled } from "../passes.ts";
import type { SourcePiece } from "../source.ts";
import { TypeProfiles } from "../type-profile.ts";
import { MigrationThreads } from "./migration-threads.ts";
import { batched, type PieceBatch } from "./piece-batch.ts";
import type { MigratedBatch } from "./thread-protocol.ts";

/** Bytes of a source from which on threads take less time than they need to start. */
const leastSize = 4_194_304;

/** The passes of a migration in threads, or `undefined` where none are asked for or the source is small or has no pieces. */
export function passesInThreads(options: MigrationOptions): Passes | undefined {
  const { source, threads, quarantine, target, openJsonText = true, hex = false } = options;
  if (threads === undefined || source.pieces === undefined || (source.size ?? 0) < leastSize) return undefined;
  const { module, data, count } = threads;
  const keepsFailed = quarantine !== undefined;
  const setup = { module: module.href, data, target, openJsonText, hex, keepsFailed };
  return new ThreadPasses(options, source.pieces.bind(source), new MigrationThreads(setup, count));
}

class ThreadPasses implements Passes {
  readonly #options: MigrationOptions;
  readonly #pieces: () => AsyncIterable<SourcePiece>;
  readonly #threads: MigrationThreads;

  constructor(options: MigrationOptions, pieces: () => AsyncIterable<SourcePiece>, threads: MigrationThreads) {
    this.#options = options;
    this.#pieces = pieces;
    this.#threads = threads;
  }

  async infer(): Promise<TypeProfiles> {
    const profiles = new TypeProfiles();
    const progress = progressOf("infer", this.#options);
    await this.#inOrder(
      batched(sampled(this.#pieces(), this.#options)),
      (batch) => this.#threads.infer(batch),
      ({ pieces }, json) => {
        profiles.add(TypeProfiles.from(JSON.parse(json)));
        for (const { done } of pieces) progress(done);
      },
    );
    return profiles;
  }

  async migrate(profiles: TypeProfiles, done: DoneBefore, keep: Keep): Promise<void> {
    this.#threads.begin(JSON.stringify(profiles));
    const progress = progressOf("migrate", this.#options);
    await this.#inOrder(
      batched(this.#notDone(done, progress)),
      (batch) => this.#threads.migrate(batch),
      (batch, migrated) => {
        keepBatch(batch, migrated, keep);
        for (const { done: read } of batch.pieces) progress(read);
      },
    );
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  /** The pieces that no earlier run has done. */
  async *#notDone(done: DoneBefore, progress: (done: number) => void): AsyncGenerator<SourcePiece> {
    for await (const piece of sampled(this.#pieces(), this.#options)) {
      if (done.isOver || !(await done.has(messageOfPiece(piece)))) yield piece;
      else progress(piece.done);
    }
  }

  /** Has batches worked on at the same time, and takes the answers in their order. */
  async #inOrder<Answer>(
    batches: AsyncIterable<PieceBatch>,
    work: (batch: PieceBatch) => Promise<Answer>,
    take: (batch: PieceBatch, answer: Answer) => void,
  ): Promise<void> {
    const open: { readonly batch: PieceBatch; readonly answer: Promise<Answer> }[] = [];
    const takeFirst = async (): Promise<void> => {
      const first = open.shift();
      if (first !== undefined) take(first.batch, await first.answer);
    };
    for await (const batch of batches) {
      const answer = work(batch);
      // The first failure is thrown when its turn comes; those behind it have no reader.
      answer.catch(() => undefined);
      open.push({ batch, answer });
      if (open.length >= this.#threads.room) await takeFirst();
    }
    while (open.length > 0) await takeFirst();
  }
}

function keepBatch({ pieces }: PieceBatch, { messages, output }: MigratedBatch, keep: Keep): void {
  let at = 0;
  for (const [index, { entry, length, failed = nothing }] of messages.entries()) {
    const piece = pieces[index];
    if (piece === undefined) throw new RangeError("A thread has answered with more messages than it was given.");
    const line = length === 0 ? undefined : output.subarray(at, at + length);
    at += length;
    const { length: _, ...place } = piece;
    keep(() => messageOfPiece({ ...place, bytes: failed }), entry, line);
  }
}

const nothing = new Uint8Array();
