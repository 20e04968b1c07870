import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { JournalEntry } from "../journal-entry.ts";
import { readJournal } from "../journal.ts";
import { SourceCompletion, type KnownMessage, type MessageLeft } from "./source-completion.ts";

/** Options of {@link completeSource}. */
export interface CompleteSourceOptions {
  readonly engine: Engine;
  /** The queue, subscription or dead-letter queue from which the messages were migrated. */
  readonly entity: string;
  /** The output of the migration; its journal is next to it. */
  readonly output: string;
  /** Whether a line of the output, from 1 up, has been sent. Default: all have. */
  readonly isSent?: ((line: number) => boolean) | undefined;
  /** Whether a message that failed may be completed as well, e.g. because it has been archived. Default: none may. */
  readonly isArchived?: ((entry: JournalEntry) => boolean) | undefined;
  /** Whether messages that lost information are left. Default: false. */
  readonly leaveLossy?: boolean | undefined;
  /** Whether to only report what would be done. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Called for each message that was completed, or would be. */
  readonly onCompleted?: ((sequenceNumber: bigint) => void) | undefined;
}

/** The result of {@link completeSource}. */
export interface CompletedSource {
  /** The source that the journal names. */
  readonly source: string;
  readonly dryRun: boolean;
  /** Messages that were completed, or would be. */
  readonly completed: number;
  /** Messages of the journal that were no longer in the source. */
  readonly gone: number;
  /** Every message that is still in the source. */
  readonly left: readonly MessageLeft[];
}

/**
 * Removes the messages of a migration from their source: exactly those whose sequence number, message id and SHA-256 of the
 * payload are in the journal. Everything else stays, and its delivery count with it. After an interruption, the same call continues.
 *
 * @throws SobreError `InvalidArgument` when there is no journal, or it has no sequence numbers; and what the engine throws.
 */
export async function completeSource(options: CompleteSourceOptions): Promise<CompletedSource> {
  checkOptions(options, completeSourceChecks, { needed: ["engine", "entity", "output"] });
  const { engine, output, dryRun = false } = options;
  const { source, entries } = await readJournal(output);
  const journal = await sequenced(entries(), options);
  // A separate connection: closing it releases what it holds without counting a delivery.
  const own = await engine.connect();
  try {
    return { source, dryRun, ...(await new SourceCompletion(own, { ...options, journal }).run()) };
  } finally {
    await own.close();
  }
}

const completeSourceChecks: OptionChecks<CompleteSourceOptions> = {
  engine: is.engine,
  entity: is.entityName,
  output: is.name,
  isSent: is.aFunction,
  isArchived: is.aFunction,
  leaveLossy: is.flag,
  dryRun: is.flag,
  onCompleted: is.aFunction,
};

async function sequenced(
  entries: AsyncIterable<JournalEntry>,
  options: CompleteSourceOptions,
): Promise<ReadonlyMap<bigint, KnownMessage>> {
  const { isSent = always, isArchived = never, leaveLossy = false } = options;
  const known = new Map<bigint, KnownMessage>();
  let [line, all] = [0, 0];
  for await (const entry of entries) {
    const { sequenceNumber, messageId, sha256, outcome, losses } = entry;
    all++;
    if (outcome !== "failed") line++;
    if (sequenceNumber === undefined) continue;
    const keep =
      outcome === "failed"
        ? isArchived(entry)
          ? undefined
          : "failed"
        : leaveLossy && losses.length > 0
          ? "lossy"
          : isSent(line)
            ? undefined
            : "unsent";
    known.set(sequenceNumber, { messageId, sha256, keep });
  }
  if (known.size > 0 || all === 0) return known;
  throw new SobreError(
    "InvalidArgument",
    "The journal has no sequence numbers, so its messages cannot be found in a queue. Migrate from a capture, or from the queue itself.",
  );
}

const always = (): boolean => true;
const never = (): boolean => false;
