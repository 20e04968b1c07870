import type { NbfxCursor } from "./cursor.ts";

/** The strings to which records refer by id. */
export interface NbfxDictionaryOptions {
  /**
   * Strings of the static dictionary: the one at index n has the id 2n. Default: those of SOAP (MC-NBFS 2.1) for a message
   * that is declared as WCF's or starts like one, and none for other documents.
   */
  readonly dictionary?: readonly string[] | undefined;
  /** Strings of the session: the one at index n has the id 2n + 1; those of the payload's own table follow. Default: none. */
  readonly session?: readonly string[] | undefined;
}

/** Reads the string table in front of a document of a session (MC-NBFSE 2.1). @throws SobreError `DecodeFailed`, `TruncatedPayload`. */
export function readStringTable(cursor: NbfxCursor): readonly string[] {
  const size = cursor.multiByteInt31();
  const end = cursor.at + size;
  if (end > cursor.bytes.length) throw cursor.truncated();
  const strings: string[] = [];
  while (cursor.at < end) {
    const start = cursor.at;
    strings.push(cursor.text(cursor.multiByteInt31()));
    if (cursor.at > end) throw cursor.broken("has a string table that its last string is longer than", start);
  }
  return strings;
}

/** Looks up strings by id. */
export class NbfxDictionaries {
  readonly #static: readonly string[];
  #session: readonly string[];

  constructor({ dictionary = [], session = [] }: NbfxDictionaryOptions) {
    this.#static = dictionary;
    this.#session = session;
  }

  /** Adds the strings of a payload's own table. */
  add(strings: readonly string[]): void {
    this.#session = [...this.#session, ...strings];
  }

  /** Reads an id and returns its string. @throws SobreError `DecodeFailed` for an id that is not in the dictionaries. */
  lookup(cursor: NbfxCursor): string {
    const start = cursor.at;
    const id = cursor.multiByteInt31();
    const text = (id % 2 === 0 ? this.#static : this.#session)[id >> 1];
    if (text !== undefined) return text;
    throw cursor.broken(
      id % 2 === 0
        ? `names the string ${id}, which the static dictionary does not have`
        : `names the string ${id} of its session, which an earlier message of the connection had; pass the strings as the option "session"`,
      start,
    );
  }
}
