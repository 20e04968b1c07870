import type { Codec, Decoded, DecodeContext, EncodeContext } from "../../core/codec/codec.ts";
import { type DecodeLimits, resolveDecodeLimits } from "../../core/codec/limits.ts";
import { parseContentType } from "../../core/content-type/content-type.ts";
import type { ApplicationProperties } from "../../core/envelope/application-properties.ts";
import type { BodyKind } from "../../core/envelope/envelope.ts";
import { sameValue } from "./codec-equality.ts";

/** A body that a codec must refuse to write, or write and read back unchanged. */
export interface UnsupportedBody {
  readonly body: unknown;
  /** The path the error must carry; default: any that begins with `$`. */
  readonly path?: string;
}

/** A codec under test, with what the suite cannot know about its format. */
export interface CodecTarget {
  readonly codec: Codec;
  /** Bodies that must be read back equal; at least one, including one with a string of eight characters or more. */
  readonly samples: readonly unknown[];
  /** Content type of every context, e.g. `application/protobuf; messageType=acme.Order`. Default: the codec's own. */
  readonly contentType?: string;
  /** Application properties of every context. Default: none. */
  readonly applicationProperties?: ApplicationProperties;
  /** Body kind of every decode context. Default: `data`. */
  readonly bodyKind?: BodyKind;
  /**
   * The codec reads and writes only the type that the context names: bodies of the suite's own making
   * (nested lists, `__proto__`) are left out unless the target brings them. Default: false.
   */
  readonly knownTypeOnly?: boolean;
  /** The body that zero bytes decode to, in a format that has an empty value. Default: they are refused. */
  readonly emptyBody?: unknown;
  /**
   * A body nested `depth` levels deep, where a scalar has depth 0; `"flat"` for a format without nesting.
   * Default: lists in lists, or `"flat"` with `knownTypeOnly`.
   */
  readonly nested?: "flat" | ((depth: number) => unknown);
  /** A payload nested `depth` levels deep that need not be complete, for depths that no encoder reaches. Default: none. */
  readonly nestedPayload?: (depth: number) => Uint8Array;
  /**
   * A body of `count` items; `"flat"` for a format without items.
   * Default: a list of numbers, or `"flat"` with `knownTypeOnly`.
   */
  readonly many?: "flat" | ((count: number) => unknown);
  /** Bodies that `encode` must refuse. Default: a function and a symbol, bare and nested (only bare with `knownTypeOnly`). */
  readonly unsupported?: readonly UnsupportedBody[];
  /** Payloads that are hostile in this format; each must be read without harm or be refused. Default: none. */
  readonly hostile?: readonly Uint8Array[];
  /** Compares a decoded body with the sample. Default: `sameValue`. */
  readonly same?: (actual: unknown, expected: unknown) => boolean;
  /** Mutated and random payloads in each case that uses them. Default: 3,000. */
  readonly rounds?: number;
  /** Seed of the pseudo-random numbers, for another run of the same. Default: 1. */
  readonly seed?: number;
  /** Cases that the codec departs from, by case name, each with its reason. Default: none. */
  readonly deviations?: Readonly<Record<string, string>>;
}

const noProperties: ApplicationProperties = Object.freeze({});

/** The decode context of a target, with these limits over the defaults. */
export function decodeContext(target: CodecTarget, limits: Partial<DecodeLimits> = {}): DecodeContext {
  return {
    contentType: parseContentType(target.contentType ?? target.codec.contentType),
    applicationProperties: target.applicationProperties ?? noProperties,
    bodyKind: target.bodyKind ?? "data",
    limits: resolveDecodeLimits(limits),
  };
}

/** Encodes with the context of the target and gives the bytes. */
export function encodeFor(target: CodecTarget, body: unknown): Uint8Array {
  const context: EncodeContext = {
    contentType: target.contentType === undefined ? undefined : parseContentType(target.contentType),
    applicationProperties: target.applicationProperties ?? noProperties,
  };
  return target.codec.encode(body, context).payload;
}

/** Decodes with the context of the target; a payload that only unwraps gives no body and fails the case. */
export function decodeFor(target: CodecTarget, payload: Uint8Array, limits: Partial<DecodeLimits> = {}): Decoded {
  const decoded = target.codec.decode(payload, decodeContext(target, limits));
  if ("unwrapped" in decoded) throw new Error("The codec unwrapped a payload of its own making instead of reading it.");
  return decoded;
}

/** Whether a body that came back is what was sent. */
export function sameBody(target: CodecTarget, actual: unknown, expected: unknown): boolean {
  return (target.same ?? sameValue)(actual, expected);
}
