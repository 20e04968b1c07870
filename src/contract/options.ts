import type { Codec } from "../core/codec/codec.ts";
import type { FormatPolicy } from "./json-schema/formats.ts";

/** Who must be able to read whom: the newer version the older one's messages (`backward`), the reverse, or both. */
export type Direction = "backward" | "forward" | "full";

/**
 * Which messages a writer sends: all that its schema allows (`as-written`), only those with declared members
 * (`declared-writer`), or the latter after an upcaster (`upcast`).
 */
export type ContentModel = "as-written" | "declared-writer" | "upcast";

/** The forms of a Protobuf message that must stay compatible: the bytes, the JSON form too, or the generated sources too. */
export type ProtobufPolicy = "wire" | "json" | "source";

/**
 * Whether messages carry the full name of their type, e.g. in the content type's `messageType`, so that a renamed root
 * message is unreadable (`travels`), or reader and writer agree on the type in another way (`agreed`).
 */
export type TypeNamePolicy = "travels" | "agreed";

/** Converts a value of the older version for the newer one; it may be asynchronous. */
export type Upcast = (value: unknown) => unknown;

/** Options of {@link checkCompatibility}. */
export interface CompatibilityOptions {
  readonly format: "json-schema" | "protobuf";
  /**
   * A JSON Schema; or the text of a .proto file, or several by name. Each entry of a list of versions, oldest first, is
   * checked.
   */
  readonly older: unknown;
  readonly newer: unknown;
  /** Default: `backward`. */
  readonly direction?: Direction;
  /** Default: `declared-writer`. */
  readonly contentModel?: ContentModel;
  /** For Protobuf. Default: `json`. */
  readonly policy?: ProtobufPolicy;
  /** The meaning of `format` in a JSON Schema. Default: `either`: the verdict applies to both. */
  readonly formats?: FormatPolicy;
  /** The codecs whose bytes carry witnesses. Default: none. */
  readonly codecs?: readonly Codec[];
  /** For the content model `upcast`. */
  readonly upcast?: Upcast;
  /** The message type to compare. Default: every type of the older schema. */
  readonly type?: string;
  /** For Protobuf. Default: `agreed`. */
  readonly typeName?: TypeNamePolicy;
  /** Maximum steps per pair; steps, not time, so that the verdict is the same on every machine. Default: 10,000,000. */
  readonly budget?: number;
}
