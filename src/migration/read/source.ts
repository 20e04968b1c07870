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
  /** For people: a path, or `orders/$DeadLetterQueue of servicebus`. */
  readonly name: string;
  /** How much there is to read, files or bytes, or `undefined` when nobody knows. */
  readonly size: number | undefined;
  /** Reads from the beginning, in order. */
  messages(): AsyncIterable<SourceMessage>;
  /** The same messages, some at a time, before they are parsed, of files that hold captures; threads parse them. Default: the source cannot offer them. */
  pieces?(): AsyncIterable<readonly SourcePiece[]>;
}

/** The place of one captured message in a file. */
export interface SourcePiece extends Omit<SourceMessage, "content"> {
  /** Its JSON, or the beginning where it is too long; valid until the next pieces are asked for. */
  readonly bytes: Uint8Array;
  /** The bytes that it has to stay below, of one that is too long. */
  readonly tooLong: number | undefined;
}
