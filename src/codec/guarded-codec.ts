import { isRecord } from "../envelope/bag.ts";
import { invalidOption } from "../options/option-checks.ts";
import type { Codec, Decoder, DecodeContext, EncodeContext } from "./codec.ts";

// Those who call a codec by themselves may pass anything; every codec of sobre is behind these checks, which cost next to nothing.

/** A decoder that refuses arguments of the wrong kind as `InvalidArgument`. */
export function guardedDecoder(decoder: Decoder): Decoder {
  return Object.freeze({ ...decoder, ...checked(decoder) });
}

/** A codec that refuses arguments of the wrong kind as `InvalidArgument`. */
export function guardedCodec(codec: Codec): Codec {
  const { encode } = codec;
  return Object.freeze({
    ...codec,
    ...checked(codec),
    encode(body: unknown, context: EncodeContext) {
      checkContext(context);
      return encode(body, context);
    },
  });
}

function checked({ decode, sniff }: Decoder): Pick<Decoder, "decode" | "sniff"> {
  return {
    decode(payload, context) {
      if (!(payload instanceof Uint8Array)) throw invalidOption("payload", "must be a Uint8Array");
      checkContext(context);
      checkLimits(context);
      return decode(payload, context);
    },
    ...(sniff !== undefined && { sniff: (payload) => (payload instanceof Uint8Array ? sniff(payload) : "no") }),
  };
}

function checkContext(context: DecodeContext | EncodeContext): void {
  if (!isRecord(context)) throw invalidOption("context", "must be an object");
  const { contentType, applicationProperties } = context;
  if (contentType !== undefined && !(isRecord(contentType) && typeof contentType.type === "string"))
    throw invalidOption("context.contentType", "must be what parseContentType gives, or undefined");
  if (contentType !== undefined && !Array.isArray(contentType.parameters))
    throw invalidOption("context.contentType", "must have its parameters");
  if (!isRecord(applicationProperties)) throw invalidOption("context.applicationProperties", "must be an object");
}

function checkLimits({ limits }: DecodeContext): void {
  if (
    !isRecord(limits) ||
    typeof limits.maxBytes !== "number" ||
    typeof limits.maxDepth !== "number" ||
    typeof limits.maxItems !== "number"
  )
    throw invalidOption("context.limits", "must be what resolveDecodeLimits gives");
}
