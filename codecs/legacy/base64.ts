import { documentInBase64 } from "../../src/core/codec/document-inside.ts";
import { guardedDecoder } from "../../src/core/codec/guarded-codec.ts";
import type { Decoder, Unwrapped } from "../../src/core/codec/codec.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";

/**
 * Decodes base64 text (RFC 4648 section 4) that contains a document: JSON, XML or one of the legacy formats. Other base64
 * is left alone, since many words are valid base64.
 *
 * It has no content type; it is for the fallback, where the declared type is missing or has failed.
 */
export function base64(): Decoder {
  return guardedDecoder({
    name: "base64",
    accepts: Object.freeze([]),
    decode,
    sniff: (payload) => (documentInBase64(payload) === undefined ? "no" : "strong"),
  });
}

function decode(payload: Uint8Array): Unwrapped {
  const document = documentInBase64(payload);
  if (document !== undefined) return document;
  throw new SobreError("DecodeFailed", "The payload is not base64 text of a document of a known format.", {
    offset: 0,
  });
}
