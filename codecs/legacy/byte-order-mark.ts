import { guardedDecoder } from "../../src/core/codec/guarded-codec.ts";
import type { Decoder, DecodeContext, Sniff, Unwrapped } from "../../src/core/codec/codec.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { typeInside } from "../../src/core/codec/type-inside.ts";

type MarkedCharset = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** Marks at the start of text; the longer ones first, since that of UTF-32LE begins with that of UTF-16LE. */
const marks: readonly (readonly [charset: MarkedCharset, mark: readonly number[]])[] = [
  ["utf-32le", [0xff, 0xfe, 0x00, 0x00]],
  ["utf-32be", [0x00, 0x00, 0xfe, 0xff]],
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * Opens text with a byte-order mark: the same text in UTF-8 without the mark.
 *
 * It has no content type; it is for the fallback, where the declared type is missing or has failed.
 */
export function byteOrderMark(): Decoder {
  return guardedDecoder({ name: "bom", accepts: Object.freeze([]), decode, sniff });
}

function sniff(payload: Uint8Array): Sniff {
  const [charset] = markOf(payload) ?? [];
  if (charset === undefined) return "no";
  const width = charset === "utf-8" ? 1 : charset.startsWith("utf-16") ? 2 : 4;
  return payload.length % width === 0 ? "strong" : "weak";
}

function markOf(payload: Uint8Array): (typeof marks)[number] | undefined {
  return marks.find(([, mark]) => mark.every((byte, index) => payload[index] === byte));
}

function decode(payload: Uint8Array, { contentType }: DecodeContext): Unwrapped {
  const found = markOf(payload);
  if (found === undefined) {
    throw new SobreError("DecodeFailed", "The payload does not begin with a byte-order mark.", { offset: 0 });
  }
  const [charset, mark] = found;
  const bytes = payload.subarray(mark.length);
  const unwrapped = charset === "utf-8" ? bytes : new TextEncoder().encode(decodedText(bytes, charset, mark.length));
  // Without its parameters: a charset would no longer be correct.
  return { unwrapped, ...typeInside(unwrapped, contentType?.type) };
}

function decodedText(bytes: Uint8Array, charset: MarkedCharset, before: number): string {
  if (charset === "utf-32le" || charset === "utf-32be") return utf32(bytes, charset === "utf-32le", before);
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SobreError("DecodeFailed", `The payload has the mark of ${charset} and is not valid ${charset}.`, {
      offset: 0,
    });
  }
}

function utf32(bytes: Uint8Array, littleEndian: boolean, before: number): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const offset = at + before;
    if (at + 4 > bytes.length) {
      throw new SobreError("TruncatedPayload", `The UTF-32 text ends inside a character at byte ${offset}.`, {
        offset,
      });
    }
    const point = view.getUint32(at, littleEndian);
    if (point > 0x10_ffff || (point >= 0xd800 && point <= 0xdfff)) {
      throw new SobreError("DecodeFailed", `The UTF-32 text has no character at byte ${offset}.`, { offset });
    }
    parts.push(String.fromCodePoint(point));
  }
  return parts.join("");
}
