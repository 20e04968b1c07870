/** The longest path and address: names of entities have 260 characters, and may be percent-encoded behind a host and before a sub-queue. */
export const longestPath = 2048;

/** The text without the slashes at its ends. */
export function trimSlashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === "/") start++;
  while (end > start && text[end - 1] === "/") end--;
  return text.slice(start, end);
}
