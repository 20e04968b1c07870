import type { DoneBefore } from "./done-before.ts";
import type { JournalEntry, PlainEntry } from "./journal-entry.ts";
import type { MigrationOptions, MigrationProgress } from "./migration-options.ts";
import type { SourceMessage } from "./read/source.ts";
import type { TypeProfiles } from "./infer/type-profile.ts";

/** The outcome of a message. */
export interface PassOutcome {
  /** Its whole entry of the journal, or only the counts if reports need nothing else of it. */
  readonly entry: JournalEntry | PlainEntry;
  /** Its entry in the journal as JSON. */
  readonly json: Uint8Array;
  /** Its line in the output, unless it failed. */
  readonly line: Uint8Array | undefined;
}

/** Keeps the outcomes of messages. */
export interface Keeper {
  keep(message: () => SourceMessage, outcome: PassOutcome): void;
  /** Writes everything kept, whose bytes are not needed any more. */
  flush(): void;
}

/** The two passes of a migration over its source, and where they run. */
export interface Passes {
  /** Reads all messages to build the profiles of their types. */
  infer(): Promise<TypeProfiles>;
  /** Migrates each message that is not done yet, in source order. */
  migrate(profiles: TypeProfiles, done: DoneBefore, keeper: Keeper): Promise<void>;
  close(): Promise<void>;
}

/** The messages of a source, up to the sample size. */
export function sampled(
  messages: AsyncIterable<SourceMessage>,
  { sample }: Pick<MigrationOptions, "sample">,
): AsyncIterable<SourceMessage> {
  return sample === undefined ? messages : firstOf(messages, sample);
}

async function* firstOf(messages: AsyncIterable<SourceMessage>, most: number): AsyncGenerator<SourceMessage> {
  let left = most;
  if (left <= 0) return;
  for await (const message of messages) {
    yield message;
    if (--left <= 0) return;
  }
}

/** Counts the messages of a pass, and reports each. */
export function progressOf(
  pass: MigrationProgress["pass"],
  { onProgress }: Pick<MigrationOptions, "onProgress">,
): (done: number) => void {
  let messages = 0;
  return (done) => onProgress?.({ pass, messages: ++messages, done });
}
