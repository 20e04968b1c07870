export type {
  Codec,
  Decoded,
  DecodeContext,
  Decoder,
  Encoded,
  EncodeContext,
  Encoder,
  Sniff,
  Unwrapped,
} from "./codec.ts";
export { type DecodeLimits, defaultDecodeLimits, limitExceeded, resolveDecodeLimits } from "./limits.ts";
