import type { Delivery } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";

/** One message of a source, or the unreadable entry in its place. */
export interface SourceMessage {
  /** Its position for display, e.g. a path, `orders.ndjson:12` or `orders#42`. */
  readonly id: string;
  /** Increases from message to message; a message has the same number when the source is read again. */
  readonly order: bigint;
  /** The message, or why it could not be read. */
  readonly content: SourceContent;
  /** How far the source has been read, in units of {@link MigrationSource.size}. */
  readonly done: number;
}

/** A captured message, or an entry that could not be read as one. */
export type SourceContent =
  | {
      readonly ok: true;
      readonly envelope: Envelope;
      /** The properties that its broker set, if the source has them. */
      readonly delivery?: Delivery | undefined;
    }
  | { readonly ok: false; readonly error: SobreError; readonly bytes: Uint8Array };

/** A source of messages to migrate. It is read twice, one message at a time, and never changed. */
export interface MigrationSource {
  /** Its name for display, e.g. a path, or `orders/$DeadLetterQueue of servicebus`. */
  readonly name: string;
  /** How much there is to read, in files or bytes; `undefined` if that is unknown. */
  readonly size: number | undefined;
  /** Reads from the beginning, in order. */
  messages(): AsyncIterable<SourceMessage>;
  /** The same messages in batches of unparsed JSON, which threads parse; only files of captures offer them. Default: not offered. */
  pieces?(): AsyncIterable<readonly SourcePiece[]>;
}

/** The place of one captured message in a file. */
export interface SourcePiece extends Omit<SourceMessage, "content"> {
  /** Its JSON, or the beginning of it if it is too long; valid until the next pieces are requested. */
  readonly bytes: Uint8Array;
  /** The limit in bytes that it exceeds; `undefined` if it exceeds none. */
  readonly tooLong: number | undefined;
}
