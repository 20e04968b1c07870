import { SobreError } from "../errors/sobre-error.ts";
import { readUtf8 } from "../host/node.ts";

const charsets = ["utf-8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "iso-8859-1", "windows-1252"] as const;

/** A charset that is decoded without loss or guessing; `utf-16` is decoded by its byte-order mark. */
export type Charset = (typeof charsets)[number];

// The labels of US-ASCII in the registry of IANA; on the web some of them mean windows-1252, and the others nothing.
const ascii = /ascii|ansi_x3|646-us|irv:1991|-ir-6$|367$|^us$/;

/**
 * The charset with this label (IANA or WHATWG Encoding, case-insensitive), or `undefined`.
 *
 * The labels of US-ASCII and Latin-1 mean these charsets, as in RFC 2045, not windows-1252 as on the web.
 */
export function charsetNamed(label: string): Charset | undefined {
  const name = label.toLowerCase();
  return named(name) ?? (ascii.test(name) ? "us-ascii" : named(platformName(name)));
}

function named(name: string): Charset | undefined {
  return charsets.find((charset) => charset === name);
}

function platformName(label: string): string {
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === "windows-1252" && !label.includes("1252") ? "iso-8859-1" : encoding;
  } catch {
    return "";
  }
}

/** The error for an unsupported charset. */
export function unknownCharset(what: string): SobreError {
  return new SobreError("UnknownCharset", `${what} is not supported. Use utf-8.`);
}

/**
 * The charset that the byte-order mark at the start names, or `undefined` when there is none.
 *
 * @throws SobreError `UnknownCharset` for the mark of little-endian UTF-32, which begins like that of UTF-16.
 */
export function markedCharset(payload: Uint8Array): Charset | undefined {
  // Every payload passes here, and destructuring would go through the iterator.
  const first = payload[0];
  const second = payload[1];
  if (first === 0xef) return second === 0xbb && payload[2] === 0xbf ? "utf-8" : undefined;
  if (first === 0xfe) return second === 0xff ? "utf-16be" : undefined;
  if (first !== 0xff || second !== 0xfe) return undefined;
  if (payload[2] === 0 && payload[3] === 0) throw unknownCharset("The UTF-32 of the payload");
  return "utf-16le";
}

const fatal = { fatal: true } as const;

/**
 * The text of a payload, without a byte-order mark.
 *
 * `utf-16` without a mark is little-endian (WHATWG Encoding); `iso-8859-1` is true Latin-1, every byte a code point.
 *
 * @throws SobreError `DecodeFailed` or `TruncatedPayload` with the offset of the first byte that breaks the charset;
 *   nothing becomes U+FFFD.
 */
export function decodeText(payload: Uint8Array, charset: Charset): string {
  switch (charset) {
    case "iso-8859-1":
      return latin1(payload);
    case "windows-1252":
      return latin1(payload).replaceAll(/[\x80-\x9f]/g, windowsCharacter);
    case "us-ascii": {
      const text = latin1(payload);
      const beyond = text.search(/[\x80-\xff]/);
      if (beyond !== -1) throw broken(payload, charset, beyond);
      return text;
    }
    default:
      return decodeUnicode(payload, charset);
  }
}

function decodeUnicode(payload: Uint8Array, charset: Charset): string {
  const big = charset === "utf-16" && payload[0] === 0xfe && payload[1] === 0xff;
  const label = big ? "utf-16be" : charset;
  try {
    return label === "utf-8" ? readUtf8(payload) : new TextDecoder(label, fatal).decode(payload);
  } catch {
    throw broken(payload, charset, brokenAt(payload, label));
  }
}

function broken(payload: Uint8Array, charset: Charset, offset: number): SobreError {
  return offset === payload.length
    ? new SobreError("TruncatedPayload", `The payload ends inside a character of ${charset}.`, { offset })
    : new SobreError(
        "DecodeFailed",
        `The payload is not ${charset} at byte ${offset}. If it is in another charset, name it in the content type.`,
        { offset },
      );
}

/** The byte offset in `payload` of the character at `index` of its text. */
export function byteOffsetOf(payload: Uint8Array, charset: Charset, text: string, index: number): number {
  // Counted from the end, where no byte-order mark can be.
  const rest = text.slice(index);
  if (charset === "utf-8") return payload.length - new TextEncoder().encode(rest).length;
  return payload.length - rest.length * (charset.startsWith("utf-16") ? 2 : 1);
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
  const stream = { stream: true };
  let good = 0;
  for (const step of [65_536, 256, 1]) {
    const decoder = new TextDecoder(label, fatal);
    try {
      decoder.decode(payload.subarray(0, good), stream);
      for (; good < payload.length; good += step) decoder.decode(payload.subarray(good, good + step), stream);
      return payload.length;
    } catch {
      // The next step looks into the bytes that failed.
    }
  }
  return good;
}
