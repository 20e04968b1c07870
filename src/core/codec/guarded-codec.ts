import { invalidOption } from "../options/option-checks.ts";
import type { Codec, Decoder, DecodeContext, EncodeContext } from "./codec.ts";

// Direct callers of a codec may pass anything, so every codec of sobre has these checks, which cost almost nothing.

/** A decoder that rejects arguments of the wrong type with `InvalidArgument`. */
export function guardedDecoder(decoder: Decoder): Decoder {
  return Object.freeze({
    ...decoder,
    decode(payload: Uint8Array, context: DecodeContext) {
      if (!(payload instanceof Uint8Array)) throw invalidOption("payload", "must be a Uint8Array");
      const { limits } = checkedContext(context);
      if (
        typeof limits !== "object" ||
        limits === null ||
        typeof limits.maxBytes !== "number" ||
        typeof limits.maxDepth !== "number" ||
        typeof limits.maxItems !== "number"
      )
        throw invalidOption("context.limits", "must be DecodeLimits");
      return decoder.decode(payload, context);
    },
    ...(decoder.sniff && {
      sniff: (payload: Uint8Array) => (payload instanceof Uint8Array && decoder.sniff?.(payload)) || "no",
    }),
  });
}

/** A codec that rejects arguments of the wrong type with `InvalidArgument`. */
export function guardedCodec(codec: Codec): Codec {
  return Object.freeze({
    ...codec,
    ...guardedDecoder(codec),
    encode: (body: unknown, context: EncodeContext) => codec.encode(body, checkedContext(context)),
  });
}

function checkedContext<Context extends DecodeContext | EncodeContext>(context: Context): Context {
  const { contentType, applicationProperties } = typeof context === "object" && context !== null ? context : {};
  const isType = contentType === undefined || (contentType !== null && Array.isArray(contentType.parameters));
  if (isType && typeof applicationProperties === "object" && applicationProperties !== null) return context;
  throw invalidOption("context", "must be a DecodeContext or EncodeContext");
}
