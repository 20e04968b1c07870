import { guardedCodec } from "../../src/core/codec/guarded-codec.ts";
import type { Codec } from "../../src/core/codec/codec.ts";
import { mediaRange } from "../../src/core/content-type/media-range.ts";
import { checkOptions, type OptionChecks } from "../../src/core/options/option-checks.ts";
import * as is from "../../src/core/options/is.ts";
import { decodeJson } from "./decode.ts";
import { encodeJson } from "./write.ts";
import type { JsonOptions } from "./options.ts";
import { sniffJson } from "./sniff.ts";

export type { JsonOptions } from "./options.ts";

const optionChecks: OptionChecks<JsonOptions> = {
  bigint: is.oneOf("lossless", "number"),
  protoKey: is.oneOf("refuse", "keep"),
};

/**
 * The codec of JSON (RFC 8259): reads `application/json`, `application/*+json` and `text/json`, writes
 * `application/json`.
 *
 * Reading: the charset is that of the content type, or else detected from a byte-order mark or zero bytes (UTF-16), or
 * else UTF-8; invalid bytes are refused. Integers beyond the precision of a number become bigint; numbers beyond
 * 1.8e308 are refused. Of duplicate member names the last counts.
 *
 * Writing: `undefined` as zero bytes, bigints of up to 4,300 digits as digits, Dates and objects with `toJSON` like
 * JSON.stringify, `undefined` members omitted; at most 1,000 levels. Values that JSON.stringify would silently change
 * (NaN, functions, Map, bytes, boxed primitives, `undefined` in arrays) are `UnsupportedValue` with the path. Class
 * instances are written by their own members; symbol members and named members of arrays are ignored.
 *
 * @example
 * ```ts
 * const serializer = createSerializer({ codecs: [json()] });
 * const { payload } = serializer.serialize({ body: { total: 9007199254740993n } });
 * console.log(new TextDecoder().decode(payload)); // {"total":9007199254740993}
 * ```
 */
export function json(options: JsonOptions = {}): Codec {
  checkOptions(options, optionChecks, { owner: "json: " });
  return guardedCodec({
    name: "json",
    contentType: "application/json",
    accepts,
    decode: (payload, context) => decodeJson(payload, context, options),
    encode: (body, context) => encodeJson(body, context, options),
    sniff: sniffJson,
  });
}

const accepts = Object.freeze([
  mediaRange("application", "json"),
  mediaRange("application", "*+json"),
  mediaRange("text", "json"),
]);
