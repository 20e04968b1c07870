import { guardedCodec } from "../../src/core/codec/guarded-codec.ts";
import type { Codec, DecodeContext } from "../../src/core/codec/codec.ts";
import { limitExceeded } from "../../src/core/codec/limits.ts";
import { mediaRange } from "../../src/core/content-type/media-range.ts";
import { checkOptions, type OptionChecks } from "../../src/core/options/option-checks.ts";
import * as is from "../../src/core/options/is.ts";
import { encodeCharset, readCharset } from "./charset.ts";
import { sniffText } from "./sniff.ts";

/** Options of {@link text}. */
export interface TextOptions {
  /** The charset of payloads without a charset parameter or byte-order mark. Default: `utf-8`. */
  readonly charset?: string;
}

const optionChecks: OptionChecks<TextOptions> = { charset: is.text };

/**
 * The codec of plain text: reads every `text/*`, writes `text/plain` in UTF-8, or in the charset that the content type
 * names.
 *
 * Bodies are strings, without a byte-order mark. It reads every charset of the platform's TextDecoder, but `iso-8859-1`
 * as true Latin-1 and `us-ascii` as 7 bits; invalid bytes are refused. Zero bytes are the empty string. It writes
 * UTF-8, UTF-16, `us-ascii`, `iso-8859-1` and `windows-1252`; characters that the charset lacks, and lone surrogates,
 * are `UnsupportedValue`.
 *
 * @throws SobreError `UnknownCharset` for a default charset that cannot be read.
 * @example
 * ```ts
 * const serializer = createSerializer({ codecs: [text()] });
 * const latin1 = serializer.serialize({ body: "café", contentType: "text/plain; charset=iso-8859-1" });
 * console.log(latin1.payload.length); // 4
 * ```
 */
export function text(options: TextOptions = {}): Codec {
  checkOptions(options, optionChecks, { owner: "text: " });
  const read = readCharset(options.charset ?? "utf-8");
  return guardedCodec({
    name: "text",
    contentType: "text/plain",
    accepts,
    decode(payload: Uint8Array, { contentType, limits }: DecodeContext) {
      if (payload.length === 0) return { body: "" };
      if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits);
      return { body: read(payload, contentType) };
    },
    encode: (body, { contentType }) => ({ payload: encodeCharset(body, contentType, options.charset) }),
    sniff: sniffText,
  });
}

const accepts = Object.freeze([mediaRange("text", "*")]);
