/**
 * The text, cut to at most `length` characters, never inside a surrogate pair; lone surrogates become U+FFFD.
 *
 * Failure descriptions must arrive, and no wire format carries half a character.
 */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  // The pair that the cut goes through is left out.
  const end = (text.charCodeAt(length - 2) & 0xfc00) === 0xd800 ? length - 2 : length - 1;
  return `${text.slice(0, end).toWellFormed()}…`;
}
