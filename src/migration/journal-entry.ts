import type { LossKind } from "./compare-values.ts";

/** The outcome for one message: everything that a report is made of. */
export interface JournalEntry {
  readonly order: bigint;
  readonly id: string;
  /** The number of the message on its broker, where the source has it. */
  readonly sequenceNumber?: bigint | undefined;
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
  /** Whether the schema that is inferred for its type was held against what was written. */
  readonly schemaChecked?: boolean | undefined;
}

/** A {@link JournalEntry} as JSON has it. */
export interface JournalEntryJson extends Omit<JournalEntry, "order" | "sequenceNumber"> {
  readonly order: string;
  readonly sequenceNumber?: string | undefined;
}

/** An entry with its bigints as text. */
export function entryToJson({ order, sequenceNumber, ...rest }: JournalEntry): JournalEntryJson {
  return { ...rest, order: `${order}`, sequenceNumber: sequenceNumber?.toString() };
}

/** The entry of what {@link entryToJson} gave, its members in their order; JSON has none that are undefined. */
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
  /** In hex, without blanks. */
  readonly bytes: string;
}

/** Bytes before and after the offset that a window shows. */
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
