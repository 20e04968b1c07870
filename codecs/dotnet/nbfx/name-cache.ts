const slots = 1024;
const longest = 96;
const entries: (string | undefined)[] = Array.from({ length: slots });

/** Where the text of these bytes is kept, or -1 for those that are too long; names and namespaces repeat from message to message. */
export function nameSlot(bytes: Uint8Array, start: number, length: number): number {
  if (length > longest) return -1;
  const end = start + length;
  let hash = Math.imul(length, 0x9e3779b1);
  // Names differ at both ends, namespaces in the middle and at the end.
  hash = Math.imul(hash ^ (bytes[start] ?? 0), 0x85ebca6b);
  hash = Math.imul(hash ^ (bytes[start + (length >> 1)] ?? 0), 0xc2b2ae35);
  hash = Math.imul(hash ^ (bytes[end - 2] ?? 0), 0x85ebca6b);
  hash = Math.imul(hash ^ (bytes[end - 1] ?? 0), 0xc2b2ae35);
  return (hash >>> 16) & (slots - 1);
}

/** The text of these bytes when it is in the slot; comparing is cheaper than decoding. */
export function nameIn(slot: number, bytes: Uint8Array, start: number, length: number): string | undefined {
  const name = entries[slot];
  return name !== undefined && isSame(name, bytes, start, length) ? name : undefined;
}

/** Puts a text into a slot, when it is ASCII, one unit of which is one byte. */
export function keepName(slot: number, length: number, text: string): void {
  if (slot >= 0 && text.length === length) entries[slot] = text;
}

function isSame(name: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (name.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}
