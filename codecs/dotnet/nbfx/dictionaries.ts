import type { NbfxCursor } from "./cursor.ts";

/** The strings that records name by number (MC-NBFS, MC-NBFSE); bodies of messages use none unless both sides agreed. */
export interface NbfxDictionaryOptions {
  /** Strings of the static dictionary: the one at index n has the id 2n. Default: none. */
  readonly dictionary?: readonly string[];
  /** Strings of the session: the one at index n has the id 2n + 1. Default: none. */
  readonly session?: readonly string[];
}

/** Looks strings up by their id. */
export class NbfxDictionaries {
  readonly #static: readonly string[];
  readonly #session: readonly string[];

  constructor({ dictionary = [], session = [] }: NbfxDictionaryOptions) {
    this.#static = dictionary;
    this.#session = session;
  }

  /** Reads an id and gives its string. @throws SobreError `DecodeFailed` for an id that is not in the dictionaries. */
  lookup(cursor: NbfxCursor): string {
    const start = cursor.at;
    const id = cursor.multiByteInt31();
    const text = (id % 2 === 0 ? this.#static : this.#session)[id >> 1];
    if (text !== undefined) return text;
    const which = id % 2 === 0 ? "dictionary" : "session";
    throw cursor.broken(
      `names the string ${id} of the ${which === "session" ? "session's" : "static"} dictionary, which was not given; pass it as the option "${which}"`,
      start,
    );
  }
}
