import { SobreError } from "../core/errors/sobre-error.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { sourceHash } from "./migrate-message.ts";
import type { SourceMessage } from "./read/source.ts";

/** The entries of earlier runs, read in step with the source in constant memory. */
export class DoneBefore {
  readonly #entries: AsyncGenerator<JournalEntry> | undefined;
  #next: JournalEntry | undefined;
  #started = false;
  readonly #note: (entry: JournalEntry) => void;

  /** `note` is called for each entry. */
  constructor(entries: AsyncGenerator<JournalEntry> | undefined, note: (entry: JournalEntry) => void) {
    this.#entries = entries;
    this.#note = note;
  }

  /** Whether all entries have been read. */
  get isOver(): boolean {
    return this.#entries === undefined || (this.#started && this.#next === undefined);
  }

  /**
   * Whether a message was already migrated.
   *
   * @throws SobreError `InvalidOperation` when the source has another message in the place of one already migrated.
   */
  async has(message: SourceMessage): Promise<boolean> {
    const { id, order } = message;
    if (!this.#started) await this.#advance();
    this.#started = true;
    // Messages may have left the queue meanwhile; their migrated form is in the output.
    while (this.#next !== undefined && this.#next.order < order) await this.#advance(this.#next);
    if (this.#next === undefined) return false;
    if (this.#next.order > order || this.#next.id !== id || this.#next.sha256 !== sourceHash(message)) {
      throw new SobreError(
        "InvalidOperation",
        `The source has changed: ${id} differs from when the migration began. Start again with another output.`,
      );
    }
    await this.#advance(this.#next);
    return true;
  }

  /** Reports the entries of messages that are no longer in the source. */
  async end(): Promise<void> {
    if (!this.#started) await this.#advance();
    while (this.#next !== undefined) await this.#advance(this.#next);
  }

  async #advance(passed?: JournalEntry): Promise<void> {
    if (passed !== undefined) this.#note(passed);
    const next = await this.#entries?.next();
    this.#next = next === undefined || next.done === true ? undefined : next.value;
  }
}
