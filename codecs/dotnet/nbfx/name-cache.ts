interface Entry {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const slots = 1024;
const longest = 96;
const entries: (Entry | undefined)[] = Array.from({ length: slots });

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

/** The text of these bytes when it is in the slot; comparing bytes is cheaper than decoding them. */
export function nameIn(slot: number, bytes: Uint8Array, start: number, length: number): string | undefined {
  const entry = entries[slot];
  return entry !== undefined && isSame(entry.bytes, bytes, start, length) ? entry.text : undefined;
}

/** Puts a text into a slot. */
export function keepName(slot: number, bytes: Uint8Array, text: string): void {
  if (slot >= 0) entries[slot] = { bytes: bytes.slice(), text };
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (known[index] !== bytes[start + index]) return false;
  }
  return true;
}
