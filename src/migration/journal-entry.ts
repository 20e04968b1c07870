import type { LossKind } from "./verify/compare-values.ts";

/** The outcome for one message: everything that a report is made of. */
export interface JournalEntry {
  readonly order: bigint;
  readonly id: string;
  /** The sequence number of the message on its broker, if known. */
  readonly sequenceNumber?: bigint | undefined;
  readonly messageId?: string | undefined;
  /** SHA-256 of the source payload, in hex. */
  readonly sha256: string;
  /** Bytes of the source payload. */
  readonly bytes: number;
  /** `kept`: the payload was already in the target format and is unchanged, byte for byte. */
  readonly outcome: "migrated" | "kept" | "failed";
  readonly codec: string | undefined;
  readonly layers: readonly string[];
  readonly typeName: string | undefined;
  readonly losses: readonly (readonly [LossKind, path: string])[];
  readonly warnings: readonly string[];
  readonly failure: Failure | undefined;
  /** Whether the written body was validated against the schema inferred for its type. */
  readonly schemaChecked?: boolean | undefined;
  /** The message before and after; only for the first messages of each type. */
  readonly sample?: Sample | undefined;
}

/** A message before and after its migration, cut to 2,000 characters each. */
export interface Sample {
  /** The payload if it is text, otherwise the value that was read from it, as JSON with `$` objects. */
  readonly before: string;
  /** The new payload if it is text, otherwise the value read back from it, in the same form. */
  readonly after: string;
}

/** The part of an entry that reports count for every message. */
export type PlainEntry = Pick<JournalEntry, "bytes" | "outcome" | "codec" | "layers" | "schemaChecked">;

/** Whether there is nothing in an entry that reports name. */
export function isPlain({ losses, warnings, failure, sample }: JournalEntry): boolean {
  return losses.length === 0 && warnings.length === 0 && failure === undefined && sample === undefined;
}

/** The JSON form of a {@link JournalEntry}. */
export interface JournalEntryJson extends Omit<JournalEntry, "order" | "sequenceNumber"> {
  readonly order: string;
  readonly sequenceNumber?: string | undefined;
}

/** An entry with its bigints as strings. */
export function entryToJson({ order, sequenceNumber, ...rest }: JournalEntry): JournalEntryJson {
  return { ...rest, order: `${order}`, sequenceNumber: sequenceNumber?.toString() };
}

/** The inverse of {@link entryToJson}, with members in the same order; JSON has no undefined members. */
export function entryFromJson({ order, sequenceNumber, ...rest }: JournalEntryJson): JournalEntry {
  const number = sequenceNumber === undefined ? undefined : { sequenceNumber: BigInt(sequenceNumber) };
  const { codec, typeName, failure } = rest;
  return { ...rest, codec, typeName, failure, ...number, order: BigInt(order) };
}

/** Why a message was not migrated. */
export interface Failure {
  /** The step that failed. */
  readonly step: "source" | "read" | "write" | "compare";
  readonly code: string;
  readonly message: string;
  readonly codec: string | undefined;
  readonly offset: number | undefined;
  readonly path: string | undefined;
  /** Bytes around the offset in hex, if requested. */
  readonly hex: HexWindow | undefined;
}

/** Some bytes of a payload. */
export interface HexWindow {
  /** Offset of the first byte. */
  readonly start: number;
  /** In hex, without spaces. */
  readonly bytes: string;
}

/** Number of bytes before and after the offset in a window. */
const before = 16;
const after = 16;

/** The bytes around an offset, or the first ones. */
export function hexWindow(payload: Uint8Array, offset: number | undefined): HexWindow | undefined {
  if (payload.byteLength === 0) return undefined;
  const at = Math.min(offset ?? 0, payload.byteLength);
  const start = Math.max(0, Math.min(at - before, payload.byteLength - before - after));
  const bytes = payload.subarray(start, start + before + after);
  return { start, bytes: Buffer.from(bytes).toString("hex") };
}
