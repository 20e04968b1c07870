export { type Attempt, describeAttempt } from "./attempt.ts";
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
export { isIdentityEncoding } from "./identity-encoding.ts";
export type { WhenUnknown } from "./deserializer-chain.ts";
export type { PayloadStage } from "./payload-stage.ts";
export { type DecodeLimits, defaultDecodeLimits, limitExceeded, resolveDecodeLimits } from "./limits.ts";
export { type Likeness, looksLike } from "./looks-like.ts";
export {
  type CodecRegistry,
  createCodecRegistry,
  type EncoderSelection,
  type SelectedBy,
  type Selection,
} from "./registry.ts";
export type { DeserializeResult, ReadResult, UnreadableResult } from "./result.ts";
export { createSerializer, type DeserializeOptions, type Serializer, type SerializerOptions } from "./serializer.ts";
export type { Message } from "./message.ts";
export type { BodyAs, ExpectedType } from "../message/expected-type.ts";
