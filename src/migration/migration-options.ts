import type { Serializer } from "../core/codec/serializer.ts";
import {
  aFunction,
  anything,
  countFrom,
  flag,
  having,
  maybe,
  methods,
  type OptionChecks,
  text,
} from "../core/options/option-checks.ts";
import type { Quarantine } from "./quarantine.ts";
import type { MigrationSource } from "./read/source.ts";
import type { TargetOptions } from "./target/target.ts";

/** Options of `migrate`. */
export interface MigrationOptions {
  readonly source: MigrationSource;
  /** Reads the messages; it needs the legacy readers, and contracts to resolve ambiguities. */
  readonly serializer: Serializer;
  readonly target: TargetOptions;
  /** The file for the migrated envelopes in their JSON form, one per line. Default: none, a dry run. */
  readonly output?: string | undefined;
  /** Whether to continue an interrupted output. Default: false. */
  readonly resume?: boolean | undefined;
  /**
   * Identifies everything else that affects reading, e.g. contracts and time zone; resuming requires the same value.
   * Default: none.
   */
  readonly fingerprint?: string | undefined;
  /** Receives unchanged copies of messages that were not migrated. Default: none. */
  readonly quarantine?: Quarantine | undefined;
  /** Whether to parse a body that is a string containing a JSON object or list. Default: true. */
  readonly openJsonText?: boolean | undefined;
  /** Whether failures in the report include some bytes of the payload. Default: false. */
  readonly hex?: boolean | undefined;
  /** Whether the report shows a message of each type before and after. Default: false. */
  readonly samples?: boolean | undefined;
  /** Maximum number of messages to read. Default: all. */
  readonly sample?: number | undefined;
  /**
   * Whether a contract resolves the ambiguities of a type; readers that found no contract for a payload override it.
   * Default: none does.
   */
  readonly hasContract?: ((typeName: string) => boolean) | undefined;
  /** Threads for files of captured messages from some megabytes on; the result does not depend on them. Default: none. */
  readonly threads?: ThreadOptions | undefined;
  /** Called after every message of both passes. */
  readonly onProgress?: ((progress: MigrationProgress) => void) | undefined;
}

/** How threads read. */
export interface ThreadOptions {
  /**
   * A module that exports a function `reading`. From the data, it creates the same `serializer` and `hasContract` as given
   * here, since functions cannot be sent to a thread.
   */
  readonly module: URL;
  /** The argument of `reading`; it is copied. Default: nothing. */
  readonly data?: unknown;
  /** Threads besides the calling one, which reads and writes the files. Default: the available parallelism, at most 8; each takes up to 100 MB. */
  readonly count?: number | undefined;
}

/** The progress of a migration. */
export interface MigrationProgress {
  /** `infer` reads for the schema, `migrate` writes. */
  readonly pass: "infer" | "migrate";
  readonly messages: number;
  /** In the units of the source's size. */
  readonly done: number;
}

const aUrl = (value: unknown): string | undefined => (value instanceof URL ? undefined : "must be a URL");

/** The checks of the options of `migrate`. */
export const migrationChecks: OptionChecks<MigrationOptions> = {
  source: methods("a migration source, e.g. made by createFileSource", "messages"),
  serializer: methods("a serializer made by createSerializer", "deserialize"),
  target: () => undefined,
  output: text,
  resume: flag,
  fingerprint: text,
  quarantine: methods("a quarantine made by createQuarantine", "put", "fileOf"),
  openJsonText: flag,
  hex: flag,
  samples: flag,
  sample: countFrom(0),
  hasContract: aFunction,
  threads: having("a module and what it is called with", { module: aUrl, data: anything, count: maybe(countFrom(1)) }),
  onProgress: aFunction,
};
