/** Whether a JSON text may hold more than `most` items: each has a comma before it or an open bracket. */
export function mayHoldMore(text: string, most: number): boolean {
  return text.length >= 2 * most && count(text, ",", most) + count(text, "[", most) + count(text, "{", most) > most;
}

/** Whether a JSON text may be nested more than `most` levels deep, by its length and its brackets. */
export function mayBeDeeper(text: string, most: number): boolean {
  if (text.length < 2 * most) return false;
  const lists = count(text, "[", most);
  // A list costs two characters, `[]`; an object within another costs five, `{"":}`.
  if (lists + (text.length + 3 - 2 * lists) / 5 <= most) return false;
  return lists + count(text, "{", most) > most;
}

function count(text: string, bracket: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(bracket); at !== -1 && found <= most; at = text.indexOf(bracket, at + 1)) found++;
  return found;
}

/** Whether a parsed value is nested more than `most` levels deep. */
export function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof member === "object" && isDeeper(member, most - 1)) return true;
  }
  return false;
}
