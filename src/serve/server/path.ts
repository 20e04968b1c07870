/** Maximum length of a path or address: an entity name of 260 characters, percent-encoded, with host and sub-queue. */
export const maxPathLength = 2048;

/** The text without leading and trailing slashes. */
export function trimSlashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === "/") start++;
  while (end > start && text[end - 1] === "/") end--;
  return text.slice(start, end);
}
