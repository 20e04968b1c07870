import {
  type Charset,
  charsetNamed,
  decodeText,
  markedCharset,
  unknownCharset,
} from "../../../src/content-type/charset.ts";
import { type ContentType, parameter } from "../../../src/content-type/index.ts";
import type { SourceText } from "../xml/source-text.ts";

/**
 * Decodes JSON: by the charset of the content type, by its byte-order mark, by the zero bytes of UTF-16, or as UTF-8.
 *
 * @throws SobreError `UnknownCharset`, or `DecodeFailed` for bytes that are not in the charset.
 */
export function jsonText(payload: Uint8Array, contentType: ContentType | undefined): SourceText {
  const marked = markedCharset(payload);
  const charset = marked ?? declared(contentType) ?? zeroBytes(payload) ?? "utf-8";
  const mark = marked === undefined ? 0 : marked === "utf-8" ? 3 : 2;
  return { text: decodeText(payload, charset), charset, mark };
}

function declared(contentType: ContentType | undefined): Charset | undefined {
  const label = contentType && parameter(contentType, "charset");
  if (label === undefined) return undefined;
  const charset = charsetNamed(label);
  if (charset === undefined) throw unknownCharset("The charset of the content type");
  return charset === "utf-16" ? undefined : charset;
}

function zeroBytes(payload: Uint8Array): Charset | undefined {
  if (payload.length < 2) return undefined;
  return payload[1] === 0 ? "utf-16le" : payload[0] === 0 ? "utf-16be" : undefined;
}
