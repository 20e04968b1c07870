import type { Decoded } from "../../src/core/codec/codec.ts";
import { type DecodeLimits, limitExceeded } from "../../src/core/codec/limits.ts";
import { toMessage } from "./check.ts";
import { CountingReader } from "./counting-reader.ts";
import { decodeFailure } from "./failure.ts";
import { type Findings, plainConverter, type ToPlain } from "./plain.ts";
import { type QuickCheck, quickCheck } from "./quick-check.ts";
import { type ProtobufMessageType, PayloadReader } from "./reflection.ts";
import type { ProtobufMessageShape } from "./shape.ts";
import { refuseMismatches, unknownWarnings } from "./unknown-fields.ts";

/** Reads and writes the bodies of one message type. */
export interface MessageCodec {
  /** @throws SobreError, and nothing else, whatever the bytes. */
  decode(payload: Uint8Array, limits: DecodeLimits): Decoded;
  /** @throws SobreError `UnsupportedValue` with the path. */
  encode(body: unknown): Uint8Array;
}

/** A {@link MessageCodec} for each message type, by its full name. */
export function messageCodecs(types: ReadonlyMap<string, ProtobufMessageType>): ReadonlyMap<string, MessageCodec> {
  const converters = new Map<ProtobufMessageShape, ToPlain>();
  const checks = new Map<ProtobufMessageShape, QuickCheck>();
  const codecs = new Map<string, MessageCodec>();
  for (const [name, type] of types) {
    const toPlain = plainConverter(type.shape, converters);
    const quick = quickCheck(type.shape, checks);
    codecs.set(name, {
      decode: (payload, limits) => decode(payload, limits, type, toPlain),
      encode: (body) => type.write(quick(body, 0) ?? toMessage(body, type.shape)),
    });
  }
  return codecs;
}

function decode(payload: Uint8Array, limits: DecodeLimits, type: ProtobufMessageType, toPlain: ToPlain): Decoded {
  if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits);
  const { name } = type.shape;
  // Every item takes a byte at least.
  const countItems = payload.length > limits.maxItems;
  const reader = countItems ? new CountingReader(payload, limits) : new PayloadReader(payload);
  try {
    const findings: Findings = { items: 0, unknown: undefined };
    const body = toPlain(type.read(reader, limits), findings);
    if (findings.items > limits.maxItems) throw limitExceeded("maxItems", limits);
    if (findings.unknown === undefined) return { body, typeName: name };
    refuseMismatches(findings.unknown, payload);
    return { body, typeName: name, warnings: unknownWarnings(findings.unknown) };
  } catch (error) {
    throw decodeFailure(error, reader, payload, limits);
  }
}
