/** Longer names are not worth a look. */
export const longestKey = 32;

const slots = 1024;

/** Names that came at least twice, as strings the engine keeps once: cheap to compare and to look up by. */
const known: string[] = Array.from({ length: slots }, () => "");
/** The last name of each slot that came once. */
const candidates: string[] = Array.from({ length: slots }, () => "");

/**
 * The name at `start` when it is a known one, or `undefined`; `slot` comes from {@link slotOf}.
 *
 * A cache of strings and nothing else: what it holds never changes what is read.
 */
export function knownKey(bytes: Uint8Array, start: number, length: number, slot: number): string | undefined {
  const name = known[slot];
  if (name === undefined || name.length !== length) return undefined;
  for (let index = 0; index < length; index++) {
    if (name.charCodeAt(index) !== bytes[start + index]) return undefined;
  }
  return name;
}

/** Where a name of 1 byte or more would be kept. */
export function slotOf(bytes: Uint8Array, start: number, length: number): number {
  const first = bytes[start] ?? 0;
  const middle = bytes[start + (length >> 1)] ?? 0;
  const last = bytes[start + length - 1] ?? 0;
  return (length * 131 + first * 31 + middle * 17 + last) & (slots - 1);
}

/** Keeps an ASCII name when it comes for the second time in a row. */
export function remember(name: string, slot: number): void {
  if (candidates[slot] === name) known[slot] = internalized(name);
  else candidates[slot] = name;
}

/** The same text as a string that the engine keeps once: property names are. */
function internalized(name: string): string {
  return Object.keys({ [name]: 0 })[0] ?? name;
}
