// A byte-order mark inside is text like any other.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Longer text is worth a call into the platform's decoder; measured on node 24. */
const shortText = 40;

/**
 * The UTF-8 text in `bytes` from `start` to `end`, a byte order mark included.
 *
 * @throws TypeError when it is not well-formed.
 */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  const text = end - start > shortText ? undefined : asciiText(bytes, start, end);
  return text ?? utf8.decode(bytes.subarray(start, end));
}

/** The ASCII text of a few bytes, or `undefined` if one is not ASCII; eight at a time is four times as fast as one by one. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = "";
  let at = start;
  for (; end - at >= 8; at += 8) {
    const a = bytes[at] ?? 0;
    const b = bytes[at + 1] ?? 0;
    const c = bytes[at + 2] ?? 0;
    const d = bytes[at + 3] ?? 0;
    const e = bytes[at + 4] ?? 0;
    const f = bytes[at + 5] ?? 0;
    const g = bytes[at + 6] ?? 0;
    const h = bytes[at + 7] ?? 0;
    if ((a | b | c | d | e | f | g | h) >= 0x80) return undefined;
    text += String.fromCharCode(a, b, c, d, e, f, g, h);
  }
  for (; end - at >= 2; at += 2) {
    const a = bytes[at] ?? 0;
    const b = bytes[at + 1] ?? 0;
    if ((a | b) >= 0x80) return undefined;
    text += String.fromCharCode(a, b);
  }
  if (at === end) return text;
  const last = bytes[at] ?? 0;
  return last < 0x80 ? text + String.fromCharCode(last) : undefined;
}

const slots = 1024;

/** Names as strings that were made before: they repeat from message to message, and comparing is cheaper than decoding. */
export class TextCache {
  readonly #longest: number;
  readonly #texts: (string | undefined)[] = Array.from({ length: slots });

  /** `longest`: bytes of the longest text that is kept. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The text from `start` to `end`, made by `decode` unless it is kept. */
  read(
    bytes: Uint8Array,
    start: number,
    end: number,
    decode: (bytes: Uint8Array, start: number, end: number) => string,
  ): string {
    const length = end - start;
    if (length === 0) return "";
    if (length > this.#longest) return decode(bytes, start, end);
    const slot = slotOf(bytes, start, end);
    const known = this.#texts[slot];
    if (known !== undefined && isSame(known, bytes, start, length)) return known;
    const text = decode(bytes, start, end);
    // Only of ASCII is a unit a byte, so that bytes can be compared with units.
    if (text.length === length) this.#texts[slot] = text;
    return text;
  }
}

/** Names differ at both ends, namespaces in the middle and at the end. */
function slotOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = Math.imul(end - start, 0x9e3779b1);
  hash = Math.imul(hash ^ (bytes[start] ?? 0), 0x85ebca6b);
  hash = Math.imul(hash ^ (bytes[(start + end) >> 1] ?? 0), 0xc2b2ae35);
  hash = Math.imul(hash ^ (bytes[end - 2] ?? 0), 0x85ebca6b);
  hash = Math.imul(hash ^ (bytes[end - 1] ?? 0), 0xc2b2ae35);
  return (hash >>> 16) & (slots - 1);
}

function isSame(text: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let index = 0; index < length; index++) if (text.charCodeAt(index) !== bytes[start + index]) return false;
  return true;
}
