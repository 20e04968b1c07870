import { guardedCodec } from "../../src/core/codec/guarded-codec.ts";
import type { Codec, DecodeContext } from "../../src/core/codec/codec.ts";
import { limitExceeded } from "../../src/core/codec/limits.ts";
import { mediaRange } from "../../src/core/content-type/media-range.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { checkOptions } from "../../src/core/options/option-checks.ts";

/**
 * The codec of raw bytes, `application/octet-stream`: the body is the payload itself, not a copy.
 *
 * It writes only a `Uint8Array` (or `Buffer`); anything else is `UnsupportedValue`. There are no options.
 *
 * @example
 * ```ts
 * const serializer = createSerializer({ codecs: [json(), bytes()] });
 * const image = serializer.serialize({ body: Uint8Array.of(0x89, 0x50), contentType: "application/octet-stream" });
 * console.log(image.payload.length); // 2
 * ```
 */
export function bytes(options: Readonly<Record<string, never>> = {}): Codec {
  checkOptions(options, {}, { owner: "bytes: " });
  return guardedCodec({
    name: "bytes",
    contentType: "application/octet-stream",
    accepts,
    decode(payload: Uint8Array, { limits }: DecodeContext) {
      if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits);
      return { body: payload };
    },
    encode(body: unknown) {
      if (!(body instanceof Uint8Array)) {
        const kind = body === null ? "null" : typeof body;
        throw new SobreError("UnsupportedValue", `The body is of type ${kind}; pass a Uint8Array.`, { path: "$" });
      }
      // The sender may write into its own bytes afterwards.
      return { payload: new Uint8Array(body) };
    },
    sniff: () => "weak",
  });
}

const accepts = Object.freeze([mediaRange("application", "octet-stream")]);
