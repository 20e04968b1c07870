import { readFileSync } from "node:fs";
import {
  type Decoded,
  defaultDecodeLimits,
  type Decoder,
  type DecodeLimits,
  type Unwrapped,
} from "../../../src/core/codec/index.ts";
import { parseContentType } from "../../../src/core/content-type/index.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";

/** A committed payload. */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../../../fixtures/legacy/dotnet/${name}`, import.meta.url)));
}

/** Decodes bytes or UTF-8 text. */
export function decode(
  decoder: Decoder,
  payload: Uint8Array | string,
  options: { readonly contentType?: string; readonly limits?: Partial<DecodeLimits> } = {},
): Decoded | Unwrapped {
  return decoder.decode(typeof payload === "string" ? new TextEncoder().encode(payload) : payload, {
    contentType: options.contentType === undefined ? undefined : parseContentType(options.contentType),
    applicationProperties: {},
    bodyKind: "data",
    limits: { ...defaultDecodeLimits, ...options.limits },
  });
}

/** The body in the rendering of people and files. */
export function shown(decoder: Decoder, payload: Uint8Array | string): unknown {
  const decoded = decode(decoder, payload);
  return valueToJson("body" in decoded ? decoded.body : undefined);
}

/** Bytes of hexadecimal digits; blanks are for the eye, and text is in quotes. */
export function bytes(source: string): Uint8Array {
  const parts = source.match(/'[^']*'|[0-9a-f]{2}/g) ?? [];
  return Uint8Array.from(
    parts.flatMap((part) =>
      part.startsWith("'") ? Array.from(new TextEncoder().encode(part.slice(1, -1))) : [Number.parseInt(part, 16)],
    ),
  );
}
