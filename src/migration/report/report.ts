import type { LossKind } from "../verify/compare-values.ts";
import type { Failure, Sample } from "../journal-entry.ts";
import type { QuestionKind } from "../infer/open-question.ts";
import type { TargetFormat } from "../target/target.ts";

/** The result of a migration or dry run; it grows with types, paths and failures, not with messages. */
export interface MigrationReport {
  /** Version of this report format. */
  readonly version: 1;
  readonly source: string;
  readonly target: TargetFormat;
  /** The output file; `undefined` for a dry run. */
  readonly output: string | undefined;
  readonly seconds: number;
  readonly messages: number;
  /** Bytes of all source payloads. */
  readonly bytes: number;
  readonly outcomes: {
    readonly migrated: number;
    /** Messages already in the target format, left unchanged. */
    readonly kept: number;
    readonly failed: number;
    /** The number of migrated messages that lost information. */
    readonly lossy: number;
    /** Messages done by the run that this one resumed. */
    readonly resumed: number;
  };
  /** Messages that ajv validated against the schemas inferred from them; only those written as JSON, of up to 200 types. */
  readonly schemaChecks: number;
  readonly verdict: MigrationVerdict;
  readonly formats: readonly FormatCount[];
  readonly types: readonly TypeReport[];
  readonly ambiguities: readonly MigrationFinding<QuestionKind>[];
  /** Questions that single messages left open and other messages resolved. */
  readonly settled: readonly MigrationFinding<QuestionKind>[];
  readonly losses: readonly MigrationFinding<LossKind>[];
  readonly failures: readonly FailureReport[];
  /** Warnings of readers: one sentence each, with a count. */
  readonly warnings: readonly { readonly text: string; readonly count: number }[];
}

/** The worst finding, which determines a command's exit code. */
export type MigrationVerdict = "clean" | "ambiguous" | "losses" | "failures";

/** The messages of one format. */
export interface FormatCount {
  /** The codec, after the layers around the body: `gzip nbfx`. */
  readonly format: string;
  readonly messages: number;
  readonly bytes: number;
}

/** One type of messages. */
export interface TypeReport {
  readonly name: string;
  /** Its name in generated schemas. */
  readonly subject: string;
  readonly messages: number;
  /** Messages by the codec that read them. */
  readonly codecs: Readonly<Record<string, number>>;
  readonly paths: readonly PathReport[];
  /** The number of further paths that are not listed. */
  readonly morePaths: number;
  /** One of its messages before and after, if samples were requested and a message was rewritten. */
  readonly sample: TypeSample | undefined;
}

/** One message of a type before and after. */
export interface TypeSample extends Sample, MessageName {}

/** One path of a type. */
export interface PathReport {
  readonly path: string;
  /** How often each kind of value was seen. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Messages or objects without the member. */
  readonly absent: number;
  /** Its form in the target format, e.g. `string (base64)`. */
  readonly becomes: string;
}

/** A finding at one path. */
export interface MigrationFinding<Kind extends string> {
  readonly kind: Kind;
  readonly type: string;
  readonly path: string;
  /** Values for questions, messages for losses. */
  readonly count: number;
  /** Its meaning, and the remedy. */
  readonly text: string;
  /** A message with this finding. */
  readonly example?: string | undefined;
}

/** Where a message is found. */
export interface MessageName {
  /** Its position in the source, e.g. `dlq.ndjson:12`. */
  readonly id: string;
  readonly messageId: string | undefined;
  /** Its sequence number in decimal, if the source has it. */
  readonly sequenceNumber: string | undefined;
}

/** Failures of one code at one step. */
export interface FailureReport {
  readonly step: Failure["step"];
  readonly code: string;
  readonly count: number;
  /** Every message, up to 100,000 of all codes together; the first few with bytes, if those were requested. */
  readonly messages: readonly FailedMessage[];
}

/** A message that was not migrated. */
export interface FailedMessage extends Failure, MessageName {
  readonly sha256: string;
  readonly bytes: number;
  /** The file of its copy in the quarantine, if there is one. */
  readonly file: string | undefined;
}
