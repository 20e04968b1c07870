import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
/** A format guessed from the first bytes, for error messages; decoding never depends on it. */
export interface Likeness {
  /** Completes "looks like …". */
  readonly name: string;
  /** The content type for which to look for a decoder. */
  readonly contentType: string;
}

type Mark = (payload: Uint8Array) => boolean;

const starts =
  (...bytes: readonly number[]): Mark =>
  (payload) => {
    for (const [index, byte] of bytes.entries()) if (payload[index] !== byte) return false;
    return true;
  };

const like = (name: string, contentType: string, mark: Mark): Likeness & { readonly mark: Mark } => ({
  name,
  contentType,
  mark,
});

/** In order of how much each mark proves. */
const likenesses: readonly (Likeness & { readonly mark: Mark })[] = [
  // Java Object Serialization Specification 6.4.2: STREAM_MAGIC, STREAM_VERSION.
  like("Java object serialization", "application/x-java-serialized-object", starts(0xac, 0xed, 0x00, 0x05)),
  // MS-NRBF 2.6.1 SerializationHeaderRecord: type 0, two ids, major version 1, minor version 0.
  like(
    ".NET BinaryFormatter",
    "application/x-nrbf",
    (payload) => payload.length >= 17 && payload[0] === 0 && starts(1, 0, 0, 0, 0, 0, 0, 0)(payload.subarray(9)),
  ),
  like("gzip", "application/gzip", starts(0x1f, 0x8b, 0x08)),
  like("zstd", "application/zstd", starts(0x28, 0xb5, 0x2f, 0xfd)),
  like("zlib", "application/zlib", looksLikeZlib),
  like(".NET binary XML", "application/x-nbfx", looksLikeBinaryXml),
  like("UTF-32 text", "text/plain; charset=utf-32", starts(0xff, 0xfe, 0x00, 0x00)),
  like(
    "UTF-16 text",
    "text/plain; charset=utf-16",
    (payload) => starts(0xff, 0xfe)(payload) || starts(0xfe, 0xff)(payload),
  ),
  like(
    "UTF-16 text",
    "text/plain; charset=utf-16",
    (payload) =>
      payload.length >= 4 && payload[1] === 0 && payload[3] === 0 && isPrintable(payload[0]) && isPrintable(payload[2]),
  ),
  // AMQP 1.0 part 3.2: a described section with a small ulong descriptor from 0x70 to 0x78.
  like(
    "an AMQP message",
    "application/x-amqp-message",
    (payload) => starts(0x00, 0x53)(payload) && (payload[2] ?? 0) >= 0x70 && (payload[2] ?? 0) <= 0x78,
  ),
  like("XML", "application/xml", (payload) => firstText(payload) === "<"),
  like("JSON", "application/json", (payload) => ["{", "["].includes(firstText(payload))),
];

/** Guesses the format of a payload; `undefined` if it resembles none. */
export function looksLike(payload: Uint8Array): Likeness | undefined {
  checkOption("payload", payload, is.bytes);
  return likenessOf(payload);
}

/** {@link looksLike} for a payload that the chain has read. */
export function likenessOf(payload: Uint8Array): Likeness | undefined {
  const found = likenesses.find(({ mark }) => mark(payload));
  return found && { name: found.name, contentType: found.contentType };
}

/** RFC 1950 section 2.2: a 32 KiB window, the four levels without a dictionary, and at least a block and the checksum. */
function looksLikeZlib(payload: Uint8Array): boolean {
  const [method, level = 0] = payload;
  return method === 0x78 && [0x01, 0x5e, 0x9c, 0xda].includes(level) && payload.length >= 8 && !isText(payload);
}

/** Whether it begins with UTF-8 text without control characters. */
function isText(payload: Uint8Array): boolean {
  const head = payload.subarray(0, 64);
  if (head.some((byte) => byte === 0x7f || (byte < 0x20 && (byte < 0x09 || byte > 0x0d)))) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** MC-NBFX 2.2: an element record, a name in printable UTF-8 of the stated length, then another record. */
function looksLikeBinaryXml(payload: Uint8Array): boolean {
  const record = payload[0] ?? 0;
  // 0x40 short element, 0x41 element with prefix, 0x5e to 0x77 elements with a one-letter prefix.
  // WCF's `<s:Envelope`, from the dictionary of SOAP.
  if (starts(0x56, 0x02, 0x0b)(payload)) return true;
  const named = record === 0x40 || record === 0x41 || (record >= 0x5e && record <= 0x77);
  const length = payload[1] ?? 0;
  if (!named || length === 0 || length > 127 || payload.length < length + 3) return false;
  return payload.subarray(2, 2 + length).every((byte) => byte >= 0x2d && byte !== 0x7f);
}

function firstText(payload: Uint8Array): string {
  const start = starts(0xef, 0xbb, 0xbf)(payload) ? 3 : 0;
  const at = payload
    .subarray(start, start + 64)
    .findIndex((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  return String.fromCharCode(payload[start + Math.max(at, 0)] ?? 0);
}

function isPrintable(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x20 && byte < 0x7f;
}
