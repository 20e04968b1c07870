/**
 * The text, cut to at most `length` characters with "…" at the end, never inside a surrogate pair; lone surrogates become U+FFFD.
 *
 * Failure descriptions must be deliverable, and no wire format can carry half a character. A broker cuts the reason and
 * description of its dead letters without a mark, as Azure does: src/broker/policy/dead-letter.ts.
 */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  // A pair at the boundary is removed whole.
  const end = (text.charCodeAt(length - 2) & 0xfc00) === 0xd800 ? length - 2 : length - 1;
  return `${text.slice(0, end).toWellFormed()}…`;
}
