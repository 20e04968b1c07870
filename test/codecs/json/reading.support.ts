import { json, type JsonOptions } from "../../../codecs/json/index.ts";
import { type DecodeContext, type DecodeLimits, resolveDecodeLimits } from "../../../src/core/codec/index.ts";
import { parseContentType } from "../../../src/core/content-type/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";

function contextOf(contentType: string | undefined, limits: Partial<DecodeLimits> = {}): DecodeContext {
  return {
    contentType: contentType === undefined ? undefined : parseContentType(contentType),
    applicationProperties: {},
    bodyKind: "data",
    limits: resolveDecodeLimits(limits),
  };
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
export const utf16le = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf16le"));
export const utf16be = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf16le").swap16());

/** How a payload is read; by default as application/json. */
interface Case {
  readonly contentType?: string;
  readonly limits?: Partial<DecodeLimits>;
  readonly options?: JsonOptions;
}

/** The body that the codec reads. */
export function bodyOf(payload: Uint8Array | string, { contentType, limits, options }: Case = {}): unknown {
  const bytes = typeof payload === "string" ? utf8(payload) : payload;
  const decoded = json(options).decode(bytes, contextOf(contentType ?? "application/json", limits));
  if ("unwrapped" in decoded) throw new Error("unwrapped");
  return decoded.body;
}

/** The error that the codec throws. */
export function errorOf(payload: Uint8Array | string, given: Case = {}): SobreError {
  try {
    bodyOf(payload, given);
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
  throw new Error("was read");
}
