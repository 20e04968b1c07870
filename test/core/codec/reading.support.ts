import { createSerializer, type DeserializeResult, type SerializerOptions } from "../../../src/core/codec/index.ts";
import { createEnvelope, type EnvelopeInit } from "../../../src/core/envelope/index.ts";

/** A payload of three bytes that mean nothing. */
export const some: Uint8Array = new Uint8Array([1, 2, 3]);

export function read(
  options: SerializerOptions,
  contentType: string | undefined,
  init: Partial<EnvelopeInit> = {},
): DeserializeResult {
  return createSerializer(options).deserialize(
    createEnvelope({ payload: some, ...init, brokerProperties: { contentType, ...init.brokerProperties } }),
  );
}

/** The attempts as `codec outcome`. */
export function tried(result: DeserializeResult): readonly string[] {
  return result.attempts.map(({ codec, outcome }) => `${codec} ${outcome}`);
}
