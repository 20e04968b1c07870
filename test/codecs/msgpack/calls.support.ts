import { msgpack, type MsgpackOptions } from "../../../codecs/msgpack/index.ts";
import { type DecodeLimits, resolveDecodeLimits } from "../../../src/core/codec/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";

/** Bytes of a text such as `81 a1 61 01`. */
export function hex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/[0-9a-f]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** The inverse of {@link hex}, without blanks. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function encode(body: unknown, options: MsgpackOptions = {}): Uint8Array {
  return msgpack(options).encode(body, { contentType: undefined, applicationProperties: {} }).payload;
}

export function decode(payload: Uint8Array, limits: Partial<DecodeLimits> = {}, options: MsgpackOptions = {}): unknown {
  const decoded = msgpack(options).decode(payload, {
    contentType: undefined,
    applicationProperties: {},
    bodyKind: "data",
    limits: resolveDecodeLimits(limits),
  });
  if ("unwrapped" in decoded) throw new Error("MessagePack wraps nothing.");
  return decoded.body;
}

/** The error that `action` must throw. */
export function failure(action: () => unknown): SobreError {
  try {
    action();
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}
