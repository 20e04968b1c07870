import { type Charset, charsetNamed, unknownCharset } from "../../../src/content-type/charset.ts";
import type { ContentType } from "../../../src/content-type/content-type.ts";
import { parameter } from "../../../src/content-type/parameter.ts";
import { decoded, type SourceText } from "../xml/source-text.ts";

/**
 * Decodes JSON: by its byte-order mark, by the zero bytes of UTF-16, by the charset of the content type, or as UTF-8.
 *
 * No other charset has zero bytes in JSON: a sender that declares one there has declared it of all its bodies.
 *
 * @throws SobreError `UnknownCharset`, or `DecodeFailed` for bytes that are not in the charset.
 */
export function jsonText(payload: Uint8Array, contentType: ContentType | undefined): SourceText {
  return decoded(payload, () => zeroBytes(payload) ?? declared(contentType));
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
