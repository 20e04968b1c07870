interface Entry {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const slots = 512;
const longest = 96;
const entries: (Entry | undefined)[] = Array.from({ length: slots });

/**
 * Names and namespaces repeat from message to message, and comparing bytes is cheaper than decoding them.
 *
 * Gives the text of these bytes when they were decoded before, otherwise what `decode` makes of them.
 */
export function cachedName(bytes: Uint8Array, start: number, end: number, decode: () => string): string {
  const length = end - start;
  if (length > longest) return decode();
  const hash = Math.imul(length, 31) ^ Math.imul(bytes[start] ?? 0, 7) ^ Math.imul(bytes[end - 1] ?? 0, 131);
  const middle = Math.imul(bytes[start + (length >> 1)] ?? 0, 17);
  const slot = (hash + middle) & (slots - 1);
  const entry = entries[slot];
  if (entry !== undefined && isSame(entry.bytes, bytes, start, length)) return entry.text;
  const text = decode();
  entries[slot] = { bytes: bytes.slice(start, end), text };
  return text;
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (known[index] !== bytes[start + index]) return false;
  }
  return true;
}
