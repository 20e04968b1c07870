import type { DoneBefore } from "./done-before.ts";
import type { JournalEntry } from "./journal-entry.ts";
import type { MigrationOptions, MigrationProgress } from "./migration-options.ts";
import type { SourceMessage } from "./source.ts";
import type { TypeProfiles } from "./type-profile.ts";

/** Receives the outcome of a message, with its line in the output unless it failed. */
export type Keep = (message: () => SourceMessage, entry: JournalEntry, line: Uint8Array | undefined) => void;

/** The two passes of a migration over its source, and where they run. */
export interface Passes {
  /** Reads all messages to build the profiles of their types. */
  infer(): Promise<TypeProfiles>;
  /** Migrates each message that is not done yet, in source order. */
  migrate(profiles: TypeProfiles, done: DoneBefore, keep: Keep): Promise<void>;
  close(): Promise<void>;
}

/** The messages or pieces of a source, up to the sample size. */
export async function* sampled<Item extends Pick<SourceMessage, "done">>(
  items: AsyncIterable<Item>,
  { sample = Infinity }: Pick<MigrationOptions, "sample">,
): AsyncGenerator<Item> {
  let left = sample;
  if (left <= 0) return;
  for await (const item of items) {
    yield item;
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
