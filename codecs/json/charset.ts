import { type Charset, markedCharset, unknownCharset } from "../../src/core/content-type/charset.ts";
import type { ContentType } from "../../src/core/content-type/content-type.ts";
import { declaredCharset } from "../../src/core/content-type/declared-charset.ts";

/**
 * The charset of a JSON payload: the declared one, else the one that the byte-order mark or the zero bytes imply
 * (RFC 4627 section 3), or else UTF-8.
 *
 * @throws SobreError `UnknownCharset` for a label it does not know, and for UTF-32.
 */
export function charsetOf(payload: Uint8Array, contentType: ContentType | undefined): Charset {
  const declared = declaredCharset(contentType);
  if (declared !== undefined && declared !== "utf-16") return declared;
  const first = payload[0];
  const second = payload[1];
  if (first !== 0 && second !== 0) return markedCharset(payload) ?? declared ?? "utf-8";
  if (first === second || (payload[2] === 0 && payload[3] === 0)) {
    throw unknownCharset("The UTF-32 of the payload");
  }
  return first === 0 ? "utf-16be" : "utf-16le";
}
