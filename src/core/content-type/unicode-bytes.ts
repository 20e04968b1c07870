import type { Charset } from "./charset.ts";
import { encodeUtf8 } from "../host/node.ts";

/** The charsets that hold every character. */
export type UnicodeCharset = Extract<Charset, `utf-${string}`>;

/** Whether a charset holds every character. */
export function isUnicode(charset: Charset): charset is UnicodeCharset {
  return charset.startsWith("utf-");
}

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
