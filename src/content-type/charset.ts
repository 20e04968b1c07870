import { SobreError } from "../errors/index.ts";

/** A charset that text is read from without loss or guess; `utf-16` goes by its byte-order mark. */
export type Charset = "utf-8" | "utf-16" | "utf-16le" | "utf-16be" | "us-ascii" | "iso-8859-1" | "windows-1252";

const labels: ReadonlyMap<string, Charset> = new Map<string, Charset>([
  ["utf-8", "utf-8"],
  ["utf8", "utf-8"],
  ["utf-16", "utf-16"],
  ["utf-16le", "utf-16le"],
  ["utf-16be", "utf-16be"],
  ["us-ascii", "us-ascii"],
  ["ascii", "us-ascii"],
  ["iso-8859-1", "iso-8859-1"],
  ["latin1", "iso-8859-1"],
  ["windows-1252", "windows-1252"],
  ["cp1252", "windows-1252"],
]);

/** The charset with this label (compared without case), or `undefined`. */
export function charsetNamed(label: string): Charset | undefined {
  return labels.get(label) ?? labels.get(label.toLowerCase());
}

/** The error for a charset that nobody here reads. */
export function unknownCharset(what: string): SobreError {
  const known = [...new Set(labels.values())].join(", ");
  return new SobreError("UnknownCharset", `${what} is not read. Use utf-8; known are ${known}.`);
}

/**
 * The charset that the byte-order mark at the start names, or `undefined` when there is none.
 *
 * @throws SobreError `UnknownCharset` for the marks of UTF-32.
 */
export function markedCharset(payload: Uint8Array): Charset | undefined {
  const [a, b, c, d] = payload;
  if (a === 0xef) return b === 0xbb && c === 0xbf ? "utf-8" : undefined;
  const little = a === 0xff && b === 0xfe;
  if ((little && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff)) {
    throw unknownCharset("The payload begins with the byte-order mark of UTF-32, which");
  }
  return little ? "utf-16le" : a === 0xfe && b === 0xff ? "utf-16be" : undefined;
}

const fatal = { fatal: true } as const;
const utf8 = new TextDecoder("utf-8", fatal);

/**
 * The text of a payload, without a byte-order mark.
 *
 * `utf-16` without a mark is little-endian (WHATWG Encoding); `iso-8859-1` is true Latin-1, every byte a code point.
 *
 * @throws SobreError `DecodeFailed` or `TruncatedPayload` with the offset of the first byte that breaks the charset;
 *   nothing becomes U+FFFD.
 */
export function decodeText(payload: Uint8Array, charset: Charset): string {
  try {
    if (charset === "utf-8") return utf8.decode(payload);
    if (charset === "iso-8859-1") return latin1(payload);
    if (charset === "windows-1252") return latin1(payload).replaceAll(/[\x80-\x9f]/g, windowsCharacter);
    if (charset !== "us-ascii") return new TextDecoder(unicodeLabel(payload, charset), fatal).decode(payload);
    const text = utf8.decode(payload);
    // Every character beyond ASCII takes more bytes than UTF-16 units, and so does a byte-order mark.
    if (text.length === payload.length) return text;
  } catch {
    // Told below, with the offset.
  }
  const offset =
    charset === "us-ascii"
      ? payload.findIndex((byte) => byte > 0x7f)
      : brokenAt(payload, unicodeLabel(payload, charset));
  if (offset === payload.length) {
    throw new SobreError("TruncatedPayload", `The payload ends inside a character of ${charset}.`, { offset });
  }
  throw new SobreError(
    "DecodeFailed",
    `The payload is not ${charset} at byte ${offset}. If it is in another charset, name it in the content type.`,
    { offset },
  );
}

/** The byte offset in `payload` of the character at `index` of its text. */
export function byteOffsetOf(payload: Uint8Array, charset: Charset, text: string, index: number): number {
  const mark = (length: number): number => (markedCharset(payload) === undefined ? 0 : length);
  if (charset.startsWith("utf-16")) return mark(2) + 2 * index;
  if (charset !== "utf-8") return index;
  return mark(3) + new TextEncoder().encode(text.slice(0, index)).length;
}

function unicodeLabel(payload: Uint8Array, charset: Charset): string {
  if (charset !== "utf-16") return charset;
  return payload[0] === 0xfe && payload[1] === 0xff ? "utf-16be" : "utf-16le";
}

const chunk = 8192;
// 0x80 to 0x9f of windows-1252 (WHATWG Encoding). Some releases of Node read them as Latin-1, so they are ours.
const windows = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function windowsCharacter(character: string): string {
  return windows.charAt(character.charCodeAt(0) - 0x80);
}

function latin1(payload: Uint8Array): string {
  let text = "";
  for (let at = 0; at < payload.length; at += chunk) {
    text += String.fromCharCode(...payload.subarray(at, at + chunk));
  }
  return text;
}

// A streaming decoder throws on the first bytes that no continuation can mend: narrow those down in steps.
function brokenAt(payload: Uint8Array, label: string): number {
  let good = 0;
  for (const step of [65_536, 256, 1]) {
    const decoder = new TextDecoder(label, fatal);
    const stream = { stream: true } as const;
    decoder.decode(payload.subarray(0, good), stream);
    try {
      for (; good < payload.length; good += step) decoder.decode(payload.subarray(good, good + step), stream);
    } catch {
      continue;
    }
    return payload.length;
  }
  return good;
}
