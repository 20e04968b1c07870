import { guardedDecoder } from "../../src/core/codec/guarded-codec.ts";
import { gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { inflatedOutput, inflateError } from "../../src/core/codec/binary/inflated.ts";
import type { DecodeContext, Decoder, Unwrapped } from "../../src/core/codec/codec.ts";
import { limitExceeded } from "../../src/core/codec/limits.ts";
import { mediaRange } from "../../src/core/content-type/media-range.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { typeInside } from "../../src/core/codec/type-inside.ts";

/** Maximum ratio of decompressed to compressed bytes, and the output size below which any ratio is allowed. */
const maxRatio = 250;
const alwaysAllowed = 1024 * 1024;

/** Codecs are synchronous; the client's stage inflates on other threads, src/client/stages/content-encoding.ts. */
type InflateSync = typeof gunzipSync;

/** Opens a gzip member (RFC 1952), by its declared type or its first bytes. */
export function gzip(): Decoder {
  return compressed("gzip", gunzipSync, ["gzip", "x-gzip"], (payload) =>
    // ID1, ID2, deflate, and no reserved flags.
    payload[0] === 0x1f && payload[1] === 0x8b && payload[2] === 8 && ((payload[3] ?? 0xff) & 0xe0) === 0
      ? "strong"
      : "no",
  );
}

/** Opens a zlib stream (RFC 1950). */
export function zlib(): Decoder {
  return compressed("zlib", inflateSync, ["zlib"], (payload) => {
    const head = ((payload[0] ?? 0) << 8) | (payload[1] ?? 0);
    // Deflate with a window of at most 32 KiB, a valid header checksum, and no dictionary. Text can start like this, too.
    return (head & 0x8f20) === 0x0800 && head % 31 === 0 && payload.length > 6 ? "weak" : "no";
  });
}

/** Opens a bare deflate stream (RFC 1951), which has no signature: it is tried only if it is listed, and then last. */
export function rawDeflate(): Decoder {
  return compressed("deflate", inflateRawSync, ["x-deflate"], () => "weak");
}

function compressed(
  name: string,
  inflate: InflateSync,
  subtypes: readonly string[],
  sniff: NonNullable<Decoder["sniff"]>,
): Decoder {
  const accepts = Object.freeze(subtypes.map((subtype) => mediaRange("application", subtype)));
  const decode = (payload: Uint8Array, context: DecodeContext): Unwrapped => {
    const unwrapped = open(name, inflate, payload, context);
    const declared = context.contentType?.type;
    const about = subtypes.some((subtype) => declared === `application/${subtype}`) ? undefined : declared;
    return { unwrapped, ...typeInside(unwrapped, about) };
  };
  return guardedDecoder({ name, accepts, decode, sniff });
}

function open(name: string, inflate: InflateSync, payload: Uint8Array, { limits }: DecodeContext): Uint8Array {
  const byRatio = Math.max(payload.byteLength * maxRatio, alwaysAllowed);
  const most = Math.max(1, Math.min(limits.maxBytes, byRatio));
  let result: unknown;
  try {
    // With `info`, the result includes the engine, which reports how many bytes it read.
    result = inflate(payload, { maxOutputLength: most, info: true });
  } catch (error) {
    throw inflateError(name, error, payload, () =>
      most === limits.maxBytes
        ? limitExceeded("maxBytes", limits, { offset: 0 })
        : new SobreError("LimitExceeded", `The ${name} payload grows more than ${maxRatio} times.`, { offset: 0 }),
    );
  }
  return inflatedOutput(name, result, payload);
}
