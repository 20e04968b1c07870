import type { Charset } from "./charset.ts";

/** The charsets that hold every character. */
export type UnicodeCharset = Extract<Charset, `utf-${string}`>;

/** Whether a charset holds every character. */
export function isUnicode(charset: Charset): charset is UnicodeCharset {
  return charset.startsWith("utf-");
}

const utf8 = new TextEncoder();

/**
 * Writes text in a Unicode charset; `utf-16` as little-endian with a byte-order mark, the others without one.
 *
 * In UTF-8 a lone surrogate becomes U+FFFD: refuse or escape it before.
 */
export function encodeUnicode(text: string, charset: UnicodeCharset): Uint8Array {
  // Text that begins like a mark gets one too, since reading takes one off.
  const marked = charset === "utf-16" || text.startsWith("\ufeff") ? `\ufeff${text}` : text;
  if (charset === "utf-8") return encodeUtf8(marked);
  const payload = new Uint8Array(2 * marked.length);
  const view = new DataView(payload.buffer);
  for (let index = 0; index < marked.length; index++) {
    view.setUint16(2 * index, marked.charCodeAt(index), charset !== "utf-16be");
  }
  return payload;
}

/** Bytes of a slab; small payloads share one, because a buffer of its own costs more than writing the text does. */
const slabSize = 64 * 1024;
/** Longer texts get a buffer of their own, so that a payload that is kept for long pins little else. */
const longestShared = 2048;
let slab = new Uint8Array(0);
let used = 0;

function encodeUtf8(text: string): Uint8Array {
  // UTF-8 takes at most three bytes for a UTF-16 unit.
  const most = 3 * text.length;
  if (text.length > longestShared) return utf8.encode(text);
  if (most > slab.length - used) {
    slab = new Uint8Array(slabSize);
    used = 0;
  }
  const start = used;
  used += utf8.encodeInto(text, slab.subarray(start)).written;
  return slab.subarray(start, used);
}
