import { protobuf, type ProtobufOptions } from "../../../codecs/protobuf/index.ts";
import {
  type Decoded,
  type DecodeContext,
  type DecodeLimits,
  resolveDecodeLimits,
} from "../../../src/core/codec/index.ts";
import { parseContentType } from "../../../src/core/content-type/index.ts";
import type { ApplicationProperties } from "../../../src/core/envelope/index.ts";

/** The context of a message that is read, with its limits. */
interface Said {
  readonly contentType?: string;
  readonly applicationProperties?: ApplicationProperties;
  readonly limits?: Partial<DecodeLimits>;
}

/** Reads and writes with one codec. */
export interface Calls {
  readonly encode: (body: unknown, said?: Said) => Uint8Array;
  readonly decode: (payload: Uint8Array, said?: Said) => Decoded;
}

export function calls(options: ProtobufOptions): Calls {
  const codec = protobuf(options);
  return {
    encode: (body, said = {}) => codec.encode(body, context(said)).payload,
    decode(payload, said = {}) {
      const decoded = codec.decode(payload, context(said));
      if ("unwrapped" in decoded) throw new Error("Protobuf wraps nothing.");
      return decoded;
    },
  };
}

function context({ contentType, applicationProperties = {}, limits = {} }: Said): DecodeContext {
  return {
    contentType: contentType === undefined ? undefined : parseContentType(contentType),
    applicationProperties,
    bodyKind: "data",
    limits: resolveDecodeLimits(limits),
  };
}
