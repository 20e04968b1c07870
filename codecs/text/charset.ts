import {
  type Charset,
  charsetNamed,
  decodeText,
  markedCharset,
  unknownCharset,
} from "../../src/core/content-type/charset.ts";
import type { ContentType } from "../../src/core/content-type/content-type.ts";
import { parameter } from "../../src/core/content-type/parameter.ts";
import { encodeUnicode } from "../../src/core/content-type/unicode-bytes.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";

/**
 * Makes a reader of text by the charset of its content type, or else by its byte-order mark, or else by `fallback`.
 *
 * @throws SobreError `UnknownCharset` when `fallback` cannot be read.
 */
export function readCharset(fallback: string): (payload: Uint8Array, contentType: ContentType | undefined) => string {
  if (typeof fallback !== "string" || charsetNamed(fallback) === undefined) platformDecoder(fallback);
  return (payload, contentType) => {
    const label = charsetParameter(contentType) ?? markedCharset(payload) ?? fallback;
    const charset = charsetNamed(label);
    return charset === undefined ? decodeByPlatform(payload, label) : decodeText(payload, charset);
  };
}

/**
 * Writes text in the charset of the content type, or else in `fallback`, or else in UTF-8.
 *
 * @throws SobreError `UnknownCharset`, and `UnsupportedValue` for a body that is not a string, or that the charset cannot hold.
 */
export function encodeCharset(body: unknown, contentType: ContentType | undefined, fallback = "utf-8"): Uint8Array {
  if (typeof body !== "string")
    throw unsupported(`is ${body === null ? "null" : `of type ${typeof body}`} and not a string`);
  const label = charsetParameter(contentType) ?? fallback;
  const charset = charsetNamed(label);
  switch (charset) {
    case undefined:
      throw unknownCharset(`The charset "${label}"`);
    case "us-ascii":
    case "iso-8859-1":
    case "windows-1252":
      return encodeBytewise(body, charset);
    default:
      if (/\p{Surrogate}/u.test(body)) throw unsupported("has half a surrogate pair, which no charset holds");
      return encodeUnicode(body, charset);
  }
}

function charsetParameter(contentType: ContentType | undefined): string | undefined {
  return contentType === undefined ? undefined : parameter(contentType, "charset");
}

function platformDecoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    // It is no charset: it reads every byte beyond ASCII as a private character.
    if (decoder.encoding !== "x-user-defined") return decoder;
  } catch {
    // Reported below.
  }
  throw unknownCharset(`The charset "${label}"`);
}

function decodeByPlatform(payload: Uint8Array, label: string): string {
  const decoder = platformDecoder(label);
  try {
    return decoder.decode(payload);
  } catch {
    throw new SobreError("DecodeFailed", `The payload is not ${decoder.encoding}, the charset of its content type.`);
  }
}

function encodeBytewise(text: string, charset: Charset): Uint8Array {
  const all = Uint8Array.from({ length: charset === "us-ascii" ? 0x80 : 0x100 }, (_, byte) => byte);
  const bytes = new Map(Array.from(decodeText(all, charset), (character, byte) => [character, byte]));
  return Uint8Array.from({ length: text.length }, (_, index) => {
    const byte = bytes.get(text.charAt(index));
    if (byte === undefined) throw unsupported(`has a character at ${index} that ${charset} cannot hold`);
    return byte;
  });
}

function unsupported(what: string): SobreError {
  return new SobreError("UnsupportedValue", `The body ${what}.`, { path: "$" });
}
