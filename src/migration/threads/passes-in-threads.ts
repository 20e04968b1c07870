import { messageOfPiece } from "../read/captured-message.ts";
import type { DoneBefore } from "../done-before.ts";
import type { MigrationOptions } from "../migration-options.ts";
import { type Keeper, type Passes, progressOf } from "../passes.ts";
import type { SourcePiece } from "../read/source.ts";
import { TypeProfiles } from "../infer/type-profile.ts";
import { type UnpackedPiece, unpacked } from "./packed-batch.ts";
import { freeBytes } from "./free-bytes.ts";
import { MigrationThreads } from "./migration-threads.ts";
import { batched, type PieceBatch, pieceOf } from "./piece-batch.ts";

/** Minimum source size in bytes at which threads save more time than they need to start. */
const leastSize = 4_194_304;

/** The passes of a migration in threads, or `undefined` if none are requested, or the source is small or cannot be split. */
export function passesInThreads(options: MigrationOptions): Passes | undefined {
  const { source, threads, quarantine, openJsonText = true, hex = false, samples = false } = options;
  if (threads === undefined || source.pieces === undefined || (source.size ?? 0) < leastSize) return undefined;
  const { module, data, count } = threads;
  const rules = { openJsonText, hex, samples, keepsFailed: quarantine !== undefined };
  const work = new MigrationThreads({ module: module.href, data, target: options.target, ...rules }, count);
  return new ThreadPasses(options, source.pieces.bind(source), work);
}

/** A batch whose answer has arrived or is pending. */
interface OpenBatch<Answer> {
  readonly batch: PieceBatch;
  readonly answer: Promise<Answer>;
  isReady: boolean;
}

/** Maximum number of open batches: others continue while one thread takes longer, and the number of waiting results is bounded. */
const maxOpenBatches = 8;

class ThreadPasses implements Passes {
  readonly #options: MigrationOptions;
  readonly #pieces: () => AsyncIterable<readonly SourcePiece[]>;
  readonly #threads: MigrationThreads;

  constructor(
    options: MigrationOptions,
    pieces: () => AsyncIterable<readonly SourcePiece[]>,
    threads: MigrationThreads,
  ) {
    this.#options = options;
    this.#pieces = pieces;
    this.#threads = threads;
  }

  async infer(): Promise<TypeProfiles> {
    const progress = progressOf("infer", this.#options);
    await this.#inOrder(
      batched(this.#sampled()),
      (batch) => this.#threads.infer(batch),
      ({ done }, found) => {
        this.#threads.add(found);
        for (const read of done) progress(read);
      },
    );
    return TypeProfiles.from(JSON.parse(await this.#threads.all()));
  }

  async migrate(profiles: TypeProfiles, done: DoneBefore, keeper: Keeper): Promise<void> {
    this.#threads.begin(JSON.stringify(profiles));
    const progress = progressOf("migrate", this.#options);
    await this.#inOrder(
      batched(this.#notDone(done, progress)),
      (batch) => this.#threads.migrate(batch),
      (batch, migrated) => {
        keepBatch(batch, unpacked(migrated), keeper);
        keeper.flush();
        freeBytes(migrated.entries);
        freeBytes(migrated.output);
        for (const read of batch.done) progress(read);
      },
    );
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  /** The pieces of the source, up to the sample size. */
  async *#sampled(): AsyncGenerator<readonly SourcePiece[]> {
    let { sample: left = Infinity } = this.#options;
    if (left <= 0) return;
    for await (const pieces of this.#pieces()) {
      yield pieces.length > left ? pieces.slice(0, left) : pieces;
      left -= pieces.length;
      if (left <= 0) return;
    }
  }

  /** The pieces that no earlier run has migrated. */
  async *#notDone(done: DoneBefore, progress: (done: number) => void): AsyncGenerator<readonly SourcePiece[]> {
    for await (const pieces of this.#sampled()) {
      const left: SourcePiece[] = [];
      for (const piece of pieces) {
        if (done.isOver || !(await done.has(messageOfPiece(piece)))) left.push(piece);
        else progress(piece.done);
      }
      yield left;
    }
  }

  /** Processes batches concurrently, and takes the answers in order. */
  async #inOrder<Answer>(
    batches: AsyncIterable<PieceBatch>,
    work: (batch: PieceBatch) => Promise<Answer>,
    take: (batch: PieceBatch, answer: Answer) => void,
  ): Promise<void> {
    const open: OpenBatch<Answer>[] = [];
    const takeFirst = async (): Promise<void> => {
      const first = open.shift();
      if (first !== undefined) take(first.batch, await first.answer);
    };
    for await (const batch of batches) {
      const one = { batch, answer: work(batch), isReady: false };
      // The first failure is thrown in its turn; the later ones are not awaited by anyone.
      one.answer.then(
        () => void (one.isReady = true),
        () => undefined,
      );
      open.push(one);
      while (open[0]?.isReady === true || open.length >= maxOpenBatches) await takeFirst();
    }
    while (open.length > 0) await takeFirst();
  }
}

function keepBatch(batch: PieceBatch, migrated: Iterable<UnpackedPiece>, keeper: Keeper): void {
  let next = 0;
  for (const { outcome, failed = noBytes } of migrated) {
    const index = next++;
    keeper.keep(() => messageOfPiece(pieceOf(batch, index, failed)), outcome);
  }
}

const noBytes = new Uint8Array();
