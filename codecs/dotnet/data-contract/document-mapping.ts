import type { DecodeLimits } from "../../../src/core/codec/limits.ts";
import type { Contract } from "./shape.ts";

/** Options of `mapDocument`. */
export interface MapOptions {
  readonly contracts: readonly Contract[];
  /** Whether untyped text is read as a number or boolean if that would be written as exactly this text. */
  readonly guess: boolean;
  /** Whether numbers with a type named in the document keep it, as typed values. Default: false. */
  readonly keepTypes?: boolean | undefined;
  /** Whether a document without a serializer's mark keeps its root, as the one member, and its text as text. */
  readonly plainDocuments?: boolean | undefined;
  readonly limits: DecodeLimits;
}

/** A body, and what the document says about it. */
export interface MappedDocument {
  readonly body: unknown;
  readonly typeName: string;
  readonly warnings: readonly string[];
}
