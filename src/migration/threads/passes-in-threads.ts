import { messageOfPiece } from "../captured-message.ts";
import type { DoneBefore } from "../done-before.ts";
import type { MigrationOptions } from "../migration-options.ts";
import { type Keep, type Passes, progressOf, sampled } from "../passes.ts";
import type { SourcePiece } from "../source.ts";
import type { Target } from "../target.ts";
import { TypeProfiles } from "../type-profile.ts";
import { BatchWork, type MigratedPiece } from "./batch-work.ts";
import { BatchPacker, type PackedBatch, unpacked } from "./packed-batch.ts";
import { MigrationThreads } from "./migration-threads.ts";
import { batched, type PieceBatch } from "./piece-batch.ts";

/** Minimum source size in bytes at which threads save more time than they need to start. */
const leastSize = 4_194_304;

/** The passes of a migration in threads, or `undefined` if none are requested, or the source is small or cannot be split. */
export function passesInThreads(options: MigrationOptions, target: Target): Passes | undefined {
  const {
    source,
    threads,
    quarantine,
    serializer,
    hasContract = () => false,
    openJsonText = true,
    hex = false,
    samples = false,
  } = options;
  if (threads === undefined || source.pieces === undefined || (source.size ?? 0) < leastSize) return undefined;
  const { module, data, count } = threads;
  const rules = { openJsonText, hex, samples, keepsFailed: quarantine !== undefined };
  const others = new MigrationThreads({ module: module.href, data, target: options.target, ...rules }, count);
  const own = new BatchWork({ serializer, hasContract, target, ...rules });
  return new ThreadPasses(options, source.pieces.bind(source), { others, own });
}

/** The other threads, and the work of this one while they are busy. */
interface Workers {
  readonly others: MigrationThreads;
  readonly own: BatchWork;
}

/** How the work on a batch is done by another thread, and by this one. */
interface Work<Answer> {
  readonly there: (batch: PieceBatch) => Promise<Answer>;
  readonly here: (batch: PieceBatch) => Answer;
}

/** A batch whose answer has arrived or is pending. */
interface OpenBatch<Answer> {
  readonly batch: PieceBatch;
  readonly answer: Promise<Answer>;
  isReady: boolean;
}

/** Maximum number of open batches: others continue while one thread takes longer, and the number of waiting results is bounded. */
const mostOpen = 8;

class ThreadPasses implements Passes {
  readonly #options: MigrationOptions;
  readonly #pieces: () => AsyncIterable<SourcePiece>;
  readonly #threads: MigrationThreads;
  readonly #own: BatchWork;

  constructor(options: MigrationOptions, pieces: () => AsyncIterable<SourcePiece>, { others, own }: Workers) {
    this.#options = options;
    this.#pieces = pieces;
    this.#threads = others;
    this.#own = own;
  }

  async infer(): Promise<TypeProfiles> {
    const profiles = new TypeProfiles();
    const progress = progressOf("infer", this.#options);
    await this.#inOrder(
      batched(sampled(this.#pieces(), this.#options)),
      {
        there: async (batch) => TypeProfiles.from(JSON.parse(await this.#threads.infer(batch))),
        here: (batch) => this.#own.infer(batch),
      },
      ({ pieces }, found) => {
        profiles.add(found);
        for (const { done } of pieces) progress(done);
      },
    );
    return profiles;
  }

  async migrate(profiles: TypeProfiles, done: DoneBefore, keep: Keep): Promise<void> {
    this.#threads.begin(JSON.stringify(profiles));
    await this.#own.begin(profiles);
    const progress = progressOf("migrate", this.#options);
    const packer = new BatchPacker();
    await this.#inOrder<PackedBatch>(
      batched(this.#notDone(done, progress)),
      {
        there: (batch) => this.#threads.migrate(batch),
        here: (batch) => packer.pack(this.#own.migrate(batch)),
      },
      (batch, migrated) => {
        keepBatch(batch, unpacked(migrated), keep);
        for (const { done: read } of batch.pieces) progress(read);
      },
    );
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  /** The pieces that no earlier run has migrated. */
  async *#notDone(done: DoneBefore, progress: (done: number) => void): AsyncGenerator<SourcePiece> {
    for await (const piece of sampled(this.#pieces(), this.#options)) {
      if (done.isOver || !(await done.has(messageOfPiece(piece)))) yield piece;
      else progress(piece.done);
    }
  }

  /** Processes batches concurrently, in this thread too, and takes the answers in order. */
  async #inOrder<Answer>(
    batches: AsyncIterable<PieceBatch>,
    { there, here }: Work<Answer>,
    take: (batch: PieceBatch, answer: Answer) => void,
  ): Promise<void> {
    const open: OpenBatch<Answer>[] = [];
    const takeFirst = async (): Promise<void> => {
      const first = open.shift();
      if (first !== undefined) take(first.batch, await first.answer);
    };
    for await (const batch of batches) {
      const isHere = this.#threads.areBusy;
      const one = { batch, answer: isHere ? Promise.resolve(here(batch)) : there(batch), isReady: isHere };
      // The first failure is thrown in its turn; the later ones are not awaited by anyone.
      one.answer.then(
        () => void (one.isReady = true),
        () => undefined,
      );
      open.push(one);
      while (open[0]?.isReady === true || open.length >= mostOpen) await takeFirst();
    }
    while (open.length > 0) await takeFirst();
  }
}

function keepBatch({ pieces }: PieceBatch, migrated: Iterable<MigratedPiece>, keep: Keep): void {
  let index = 0;
  for (const { entry, line, failed = nothing } of migrated) {
    const piece = pieces[index++];
    if (piece === undefined) throw new RangeError("A thread has answered with more messages than it was given.");
    const { length: _, ...place } = piece;
    keep(() => messageOfPiece({ ...place, bytes: failed }), entry, line);
  }
}

const nothing = new Uint8Array();
