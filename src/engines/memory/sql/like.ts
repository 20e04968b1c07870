/** A LIKE pattern, read once. */
export type LikePattern = readonly (readonly (string | undefined)[])[];

/**
 * Splits a pattern at its `%` into pieces; in a piece `undefined` stands for `_`.
 *
 * @returns `undefined` when the escape character is not one character, or escapes nothing.
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
  return escaped ? undefined : pieces;
}

/** Whether the text is like the pattern; every piece is taken where it fits first, so nothing is tried twice over. */
export function isLike(text: string, pattern: LikePattern): boolean {
  const characters = Array.from(text);
  const first = pattern[0] ?? [];
  const last = pattern[pattern.length - 1] ?? [];
  if (pattern.length === 1) return characters.length === first.length && fits(characters, 0, first);
  const end = characters.length - last.length;
  if (end < first.length || !fits(characters, 0, first) || !fits(characters, end, last)) return false;
  let at = first.length;
  for (const piece of pattern.slice(1, -1)) {
    while (at + piece.length <= end && !fits(characters, at, piece)) at++;
    if (at + piece.length > end) return false;
    at += piece.length;
  }
  return true;
}

function fits(characters: readonly string[], at: number, piece: readonly (string | undefined)[]): boolean {
  return piece.every((wanted, index) => wanted === undefined || wanted === characters[at + index]);
}
