/** A compiled LIKE pattern. */
export class LikePattern {
  /** The parts between the `%` wildcards. */
  readonly pieces: readonly Piece[];
  readonly #words: number;

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces;
    this.#words = pieces.reduce((most, { words }) => Math.max(most, words), 0);
  }

  /** The steps for matching a text with this number of characters. */
  steps(length: number): number {
    return length * (2 + this.#words);
  }
}

/** Bits of a word of {@link Piece}. */
const wordSize = 32;

/**
 * The characters between two `%`; `undefined` matches any one character.
 *
 * Searching uses Baeza-Yates and Gonnet's shift-and, with one bit per position, so that a text is read once, however
 * repetitive the piece is.
 */
class Piece {
  readonly characters: readonly (string | undefined)[];
  readonly words: number;
  /** Bit masks: the positions at which each character matches, and those at which any other character does. */
  readonly #places = new Map<string, Uint32Array>();
  readonly #anywhere: Uint32Array;

  constructor(characters: readonly (string | undefined)[]) {
    this.characters = characters;
    this.words = Math.ceil(characters.length / wordSize);
    this.#anywhere = this.#placesOf(undefined);
    for (const character of new Set(characters))
      if (character !== undefined) this.#places.set(character, this.#placesOf(character));
  }

  get length(): number {
    return this.characters.length;
  }

  /** Whether it matches at a position of a text. */
  isAt(text: readonly string[], at: number): boolean {
    return this.characters.every((wanted, index) => wanted === undefined || wanted === text[at + index]);
  }

  /** The end of the first match between two positions of a text; -1 if there is none. */
  endIn(text: readonly string[], from: number, to: number): number {
    if (this.length === 0) return from;
    const found = new Uint32Array(this.words);
    const last = this.words - 1;
    const lastBit = 1 << ((this.length - 1) % wordSize);
    for (let at = from; at < to; at++) {
      const places = this.#places.get(text[at] ?? "") ?? this.#anywhere;
      let carried = 1;
      for (let word = 0; word < this.words; word++) {
        const before = found[word] ?? 0;
        found[word] = ((before << 1) | carried) & (places[word] ?? 0);
        carried = before >>> (wordSize - 1);
      }
      if (((found[last] ?? 0) & lastBit) !== 0) return at + 1;
    }
    return -1;
  }

  #placesOf(character: string | undefined): Uint32Array {
    const bits = new Uint32Array(this.words);
    for (const [index, wanted] of this.characters.entries()) {
      if (wanted !== undefined && wanted !== character) continue;
      const word = Math.floor(index / wordSize);
      bits[word] = (bits[word] ?? 0) | (1 << (index % wordSize));
    }
    return bits;
  }
}

/** The steps for compiling a pattern: a fixed cost per piece, and one pass over it for each distinct character. */
export const stepsToRead = (pattern: string): number => pattern.length * (128 + new Set(pattern).size);

/**
 * Splits a pattern at its `%` into pieces, in which `_` matches any one character.
 *
 * @returns `undefined` when the escape is not a single character, or escapes nothing.
 */
export function readPattern(pattern: string, escape: string | undefined): LikePattern | undefined {
  if (escape !== undefined && Array.from(escape).length !== 1) return undefined;
  const pieces: (string | undefined)[][] = [[]];
  let escaped = false;
  for (const character of pattern) {
    const piece = pieces[pieces.length - 1];
    if (escaped) {
      piece?.push(character);
      escaped = false;
    } else if (character === escape) escaped = true;
    else if (character === "%") pieces.push([]);
    else piece?.push(character === "_" ? undefined : character);
  }
  return escaped ? undefined : new LikePattern(pieces.map((piece) => new Piece(piece)));
}

/** Whether the text matches the pattern; each piece is matched at its first occurrence, without backtracking. */
export function isLike(text: string, { pieces }: LikePattern): boolean {
  const characters = Array.from(text);
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined) return text === "";
  if (pieces.length === 1) return characters.length === first.length && first.isAt(characters, 0);
  const end = characters.length - last.length;
  if (end < first.length || !first.isAt(characters, 0) || !last.isAt(characters, end)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    at = piece.endIn(characters, at, end);
    if (at === -1) return false;
  }
  return true;
}
