import { readFileSync } from "node:fs";
import { type DecodeLimits, type Decoded, type Decoder, resolveDecodeLimits } from "../../../src/core/codec/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { parseContentType } from "../../../src/core/content-type/index.ts";
import { vectors as allVectors } from "../../vectors.support.ts";

/** The body that a decoder reads from bytes. */
export function decodedBy(decoder: Decoder, payload: Uint8Array, limits: Partial<DecodeLimits> = {}): Decoded {
  const decoded = decoder.decode(payload, {
    contentType: undefined,
    applicationProperties: {},
    bodyKind: "data",
    limits: resolveDecodeLimits(limits),
  });
  if ("unwrapped" in decoded) throw new Error("The decoder has unwrapped the bytes.");
  return decoded;
}

/** The envelope that a decoder opens. */
export function unwrappedBy(
  decoder: Decoder,
  payload: Uint8Array,
  { contentType, limits }: { readonly contentType?: string; readonly limits?: Partial<DecodeLimits> } = {},
): { readonly unwrapped: Uint8Array; readonly contentType?: string } {
  const decoded = decoder.decode(payload, {
    contentType: contentType === undefined ? undefined : parseContentType(contentType),
    applicationProperties: {},
    bodyKind: "data",
    limits: resolveDecodeLimits(limits),
  });
  if ("unwrapped" in decoded) return decoded;
  throw new Error("The decoder has read the bytes.");
}

/** The error that `read` throws; anything else than a SobreError passes. */
export function errorOf(read: () => unknown): SobreError {
  try {
    read();
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

/** Bytes of hexadecimal digits, with blanks anywhere. */
export function hex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.replaceAll(/\s/g, ""), "hex"));
}

/** A payload that is kept in the repository, with its value in the `$` rendering, or the code of its error. */
export interface KeptPayload {
  readonly name: string;
  readonly base64: string;
  readonly typeName?: string;
  readonly value?: unknown;
  readonly error?: string;
}

/** The payloads of `fixtures/legacy/FAMILY/values.json`. */
export function keptPayloads(family: "java" | "nrbf"): readonly KeptPayload[] {
  const file = new URL(`../../../fixtures/legacy/${family}/values.json`, import.meta.url);
  const { payloads }: { readonly payloads: readonly KeptPayload[] } = JSON.parse(readFileSync(file, "utf8"));
  return payloads;
}

export function bytesOf({ base64 }: KeptPayload): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
}

/** The folder of the legacy vectors. */
export const legacyVectors: string = `${allVectors}/legacy`;

/** A payload of the vectors. */
export interface Vector {
  readonly id: string;
  readonly family: string;
  readonly payload: string;
  readonly expected?: string;
  /** The outcome of reading a malformed one. */
  readonly expect?: string;
  readonly legacyContentType?: string | null;
  /** The cost that reading a malformed one may have. */
  readonly limits?: { readonly maxMs: number; readonly maxHeapMB: number };
}

export function vectors(set: "open" | "malformed"): readonly Vector[] {
  const text = readFileSync(`${legacyVectors}/${set}/index.json`, "utf8");
  const { fixtures }: { readonly fixtures: readonly Vector[] } = JSON.parse(text);
  return fixtures;
}

export function vectorBytes(set: "open" | "malformed", { payload }: Vector): Uint8Array {
  return new Uint8Array(readFileSync(`${legacyVectors}/${set}/${payload}`));
}

export function expectedOf({ expected }: Vector): unknown {
  return JSON.parse(readFileSync(`${legacyVectors}/open/${expected}`, "utf8"));
}

/** Whether an outcome meets what `malformed/index.json` expects. */
export function meets(expect: string | undefined, outcome: SobreError | undefined): boolean {
  switch (expect) {
    case "error":
    case "error-or-limit":
      return outcome !== undefined;
    case "ok-or-limit":
      return outcome === undefined || outcome.code === "LimitExceeded";
    case "ok":
    case "inert":
      return outcome === undefined;
    default:
      return true;
  }
}
