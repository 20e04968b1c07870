/** Longer names are not worth a look. */
export const maxKeyLength = 32;

const slots = 1024;

/** Names that came at least twice in a row of their slot, as strings the engine keeps once: cheap to compare and to look up by. */
const knownKeys: string[] = Array.from({ length: slots }, () => "");
/** Their bytes, `longestKey` to a slot: comparing bytes is faster than comparing characters. */
const knownBytes = new Uint8Array(slots * maxKeyLength);
/** The last name of each slot that came once. */
const candidates: string[] = Array.from({ length: slots }, () => "");

/**
 * The name at `start` when it is a known one, or `undefined`; `slot` comes from {@link slotOf}.
 *
 * A cache of strings and nothing else: what it holds never changes what is read.
 */
export function knownKey(bytes: Uint8Array, start: number, length: number, slot: number): string | undefined {
  const name = knownKeys[slot];
  if (name === undefined || name.length !== length) return undefined;
  const base = slot * maxKeyLength;
  let index = 0;
  // Four at a time: one question is cheaper than four.
  for (; index + 3 < length; index += 4) {
    const one = base + index;
    const other = start + index;
    const different =
      ((knownBytes[one] ?? 0) ^ (bytes[other] ?? 0)) |
      ((knownBytes[one + 1] ?? 0) ^ (bytes[other + 1] ?? 0)) |
      ((knownBytes[one + 2] ?? 0) ^ (bytes[other + 2] ?? 0)) |
      ((knownBytes[one + 3] ?? 0) ^ (bytes[other + 3] ?? 0));
    if (different !== 0) return undefined;
  }
  for (; index < length; index++) if (knownBytes[base + index] !== bytes[start + index]) return undefined;
  return name;
}

/** Where a name of 1 byte or more would be kept. */
export function slotOf(bytes: Uint8Array, start: number, length: number): number {
  const first = bytes[start] ?? 0;
  const middle = bytes[start + (length >> 1)] ?? 0;
  const last = bytes[start + length - 1] ?? 0;
  return (length * 131 + first * 31 + middle * 17 + last) & (slots - 1);
}

/** Keeps a name of one byte per character when it comes for the second time in a row. */
export function remember(name: string, slot: number): void {
  // Lenient reading makes one such character of a byte that is not UTF-8: strict reading must not meet it here.
  if (name.includes("\ufffd")) return;
  if (candidates[slot] !== name) {
    candidates[slot] = name;
    return;
  }
  knownKeys[slot] = internalized(name);
  for (let index = 0; index < name.length; index++) knownBytes[slot * maxKeyLength + index] = name.charCodeAt(index);
}

/** The same text as a string that the engine keeps once: property names are. */
function internalized(name: string): string {
  return Object.keys({ [name]: 0 })[0] ?? name;
}
