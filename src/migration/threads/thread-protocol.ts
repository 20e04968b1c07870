import type { Serializer } from "../../core/codec/serializer.ts";
import type { TargetOptions } from "../target/target.ts";
import type { PieceBatch } from "./piece-batch.ts";

/** How a thread reads messages: the options of a migration that are functions. */
export interface ThreadReading {
  readonly serializer: Serializer;
  readonly hasContract?: ((typeName: string) => boolean) | undefined;
}

/** The data that a thread starts with. */
export interface MigrationThreadSetup {
  /** URL of the module whose `reading` makes a {@link ThreadReading} of the data. */
  readonly module: string;
  readonly data: unknown;
  readonly target: TargetOptions;
  readonly openJsonText: boolean;
  readonly hex: boolean;
  readonly samples: boolean;
  /** Whether to return the bytes of failed messages. */
  readonly keepsFailed: boolean;
}

/** A request to a thread; each gets one answer, in order. */
export type ThreadRequest =
  | { readonly kind: "infer"; readonly batch: PieceBatch }
  /** Adds what was inferred from a batch to what was inferred before. */
  | { readonly kind: "add"; readonly inferred: Uint8Array<ArrayBuffer> }
  /** Asks for all that was added. */
  | { readonly kind: "all" }
  | {
      readonly kind: "migrate";
      readonly batch: PieceBatch;
      /** The profiles, with the first batch of the thread. */ readonly profiles: string | undefined;
    };

/** The answer to `infer` and `all`: profiles as JSON; nothing to `add`. */
export interface Inferred {
  readonly inferred: Uint8Array<ArrayBuffer>;
}
