import { messageOfPiece } from "../read/captured-message.ts";
import { envelopeLine } from "../read/envelope-line.ts";
import type { JournalEntry } from "../journal-entry.ts";
import { MessageMigration } from "../migrate-message.ts";
import { SourceMessageReader, type SourceReadRules } from "../read/read-message.ts";
import { loadSchemaChecks } from "../target/schema-check.ts";
import type { MigrationTarget } from "../target/target.ts";
import { TypeProfiles } from "../infer/type-profile.ts";
import { type PieceBatch, piecesOf } from "./piece-batch.ts";

/** The outcome of one piece. */
export interface MigratedPiece {
  readonly entry: JournalEntry;
  /** Its line in the output, unless it failed. */
  readonly line: string | undefined;
  /** The piece of a failed message, if it is to be kept. */
  readonly failed: Uint8Array | undefined;
}

/** Options of {@link BatchWork}. */
export interface BatchWorkOptions extends SourceReadRules {
  readonly target: MigrationTarget;
  readonly hex: boolean;
  readonly samples: boolean;
  /** Whether to return the bytes of failed messages. */
  readonly keepsFailed: boolean;
}

/** The work on batches of pieces, the same in every thread. */
export class BatchWork {
  readonly #options: BatchWorkOptions;
  readonly #reader: SourceMessageReader;
  #migration: MessageMigration | undefined;

  constructor(options: BatchWorkOptions) {
    this.#options = options;
    this.#reader = new SourceMessageReader(options);
  }

  infer(batch: PieceBatch): TypeProfiles {
    const profiles = new TypeProfiles();
    for (const piece of piecesOf(batch)) profiles.read(messageOfPiece(piece), this.#reader);
    return profiles;
  }

  /** Takes the profiles of all messages, before any is migrated. */
  async begin(profiles: TypeProfiles): Promise<void> {
    const schemaChecks = await loadSchemaChecks(this.#options.target, profiles);
    this.#migration = new MessageMigration({ ...this.#options, profiles, schemaChecks });
  }

  *migrate(batch: PieceBatch): Generator<MigratedPiece> {
    const migration = this.#migration;
    if (migration === undefined) throw new Error("A batch was to be migrated before the profiles were there.");
    for (const piece of piecesOf(batch)) {
      const { entry, envelope } = migration.migrate(messageOfPiece(piece));
      const line = envelope && envelopeLine(envelope);
      const failed = line === undefined && this.#options.keepsFailed ? piece.bytes.slice() : undefined;
      yield { entry, line, failed };
    }
  }
}
