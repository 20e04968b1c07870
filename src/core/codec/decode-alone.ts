import type { DecodeContext, Decoder } from "./codec.ts";
import { type DecodeLimits, defaultDecodeLimits } from "./limits.ts";

/** The context of a payload without a message. */
export function contextAlone(limits: DecodeLimits = defaultDecodeLimits): DecodeContext {
  return { contentType: undefined, applicationProperties: {}, bodyKind: "data", limits };
}

/** Decodes a payload without a message. */
export function decodeAlone(decoder: Decoder, payload: Uint8Array, limits?: DecodeLimits): unknown {
  const decoded = decoder.decode(payload, contextAlone(limits));
  return "body" in decoded ? decoded.body : undefined;
}
