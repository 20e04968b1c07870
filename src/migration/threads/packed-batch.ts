import { entryFromJson, entryToJson, isPlain, type JournalEntry, type PlainEntry } from "../journal-entry.ts";
import type { PassOutcome } from "../passes.ts";
import type { MigratedPiece } from "./batch-work.ts";

/** The results of a batch as bytes: objects would survive many garbage collections, and are slow to copy. */
export interface PackedBatch {
  /** The concatenated journal entries as JSON. */
  readonly entries: Uint8Array<ArrayBuffer>;
  /** The concatenated lines of the new envelopes. */
  readonly output: Uint8Array<ArrayBuffer>;
  /** For each message: bytes of its entry, bytes of its line or 0 if it failed, bytes of its payload, and its place in {@link plain}. */
  readonly numbers: readonly number[];
  /** The different entries about which reports only count; messages with another one have no place here. */
  readonly plain: readonly PlainEntry[];
  /** The pieces of failed messages by index, if they are to be kept. */
  readonly failed: ReadonlyMap<number, Uint8Array>;
}

/** How many {@link PackedBatch.numbers} a message has. */
const width = 4;

/** Packs batches. */
export class BatchPacker {
  // The buffers are reused for each batch.
  readonly #entries = new ByteCollector();
  readonly #output = new ByteCollector();

  pack(pieces: Iterable<MigratedPiece>): PackedBatch {
    const failed = new Map<number, Uint8Array>();
    const numbers: number[] = [];
    const plain = new PlainEntries();
    for (const { entry, line, failed: piece } of pieces) {
      if (piece !== undefined) failed.set(numbers.length / width, piece);
      numbers.push(
        this.#entries.addText(JSON.stringify(entryToJson(entry))),
        line === undefined ? 0 : this.#output.addText(line),
        entry.bytes,
        plain.placeOf(entry),
      );
    }
    return { entries: this.#entries.take(), output: this.#output.take(), numbers, plain: plain.all, failed };
  }
}

/** The plain entries of a batch, each once. */
class PlainEntries {
  readonly all: PlainEntry[] = [];

  /** The place of an equal entry, or -1 for one that is not plain. */
  placeOf(entry: JournalEntry): number {
    if (!isPlain(entry)) return -1;
    const { outcome, codec, layers, schemaChecked } = entry;
    const place = this.all.findIndex(
      (known) =>
        known.codec === codec &&
        known.outcome === outcome &&
        known.schemaChecked === schemaChecked &&
        known.layers.join() === layers.join(),
    );
    return place >= 0 ? place : this.all.push({ outcome, codec, layers, schemaChecked, bytes: 0 }) - 1;
  }
}

/** Reads the result of {@link BatchPacker.pack}. */
export function* unpacked({ entries, output, numbers, plain, failed }: PackedBatch): Generator<UnpackedPiece> {
  let entryAt = 0;
  let lineAt = 0;
  for (let index = 0; index < numbers.length / width; index++) {
    const [entrySize = 0, lineSize = 0, bytes = 0, place = -1] = numbers.slice(index * width, (index + 1) * width);
    const json = entries.subarray(entryAt, (entryAt += entrySize));
    const line = lineSize === 0 ? undefined : output.subarray(lineAt, (lineAt += lineSize));
    const known = plain[place];
    const entry = known === undefined ? entryFromJson(JSON.parse(textOfBytes(json))) : { ...known, bytes };
    yield { outcome: { entry, json, line }, failed: failed.get(index) };
  }
}

/** The outcome of one piece, and the piece of a failed message if it is to be kept. */
export interface UnpackedPiece {
  readonly outcome: PassOutcome;
  readonly failed: Uint8Array | undefined;
}

function textOfBytes({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
}

/** Initial size of a buffer in bytes. */
const firstRoom = 524_288;

/** The maximum number of UTF-8 bytes of a UTF-16 code unit. */
const maxBytes = 3;

/** Concatenates bytes and texts in a buffer that is reused. */
class ByteCollector {
  #room = Buffer.allocUnsafeSlow(firstRoom);
  #length = 0;

  /** Adds the UTF-8 of a text; returns its length in bytes. */
  addText(text: string): number {
    this.#makeRoom(text.length * maxBytes);
    const written = this.#room.write(text, this.#length);
    this.#length += written;
    return written;
  }

  /** Returns a copy of the contents, and starts over. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#room.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#room.byteLength) return;
    const room = Buffer.allocUnsafeSlow(Math.max(this.#length + more, this.#room.byteLength * 2));
    room.set(this.#room.subarray(0, this.#length));
    this.#room = room;
  }
}
