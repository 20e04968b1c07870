import type { Codec, Decoded, Decoder, Sniff, Unwrapped } from "../../../src/core/codec/index.ts";
import { parseMediaRange } from "../../../src/core/content-type/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";

/** A decoder with the answers of a test. */
export interface StubOptions {
  readonly accepts?: readonly string[];
  readonly bodyKinds?: Decoder["bodyKinds"];
  readonly sniff?: Sniff;
  readonly decode?: (payload: Uint8Array) => Decoded | Unwrapped;
}

export function stubDecoder(name: string, { accepts = [], bodyKinds, sniff, decode }: StubOptions = {}): Decoder {
  return {
    name,
    accepts: accepts.map(parseMediaRange),
    ...(bodyKinds && { bodyKinds }),
    ...(sniff && { sniff: () => sniff }),
    decode: decode ?? (() => ({ body: `read by ${name}` })),
  };
}

export function stubCodec(name: string, contentType: string, options: StubOptions = {}): Codec {
  return {
    ...stubDecoder(name, { accepts: [contentType], ...options }),
    contentType,
    encode: (body) => ({ payload: new TextEncoder().encode(String(body)) }),
  };
}

export function fails(code: "DecodeFailed" | "TruncatedPayload" = "DecodeFailed", offset = 3): () => never {
  return () => {
    throw new SobreError(code, "This stub never reads.", { offset });
  };
}
