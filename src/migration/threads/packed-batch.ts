import { entryFromJson, entryToJson, type JournalEntryJson } from "../journal-entry.ts";
import type { MigratedPiece } from "./batch-work.ts";

/** The results of a batch as bytes: objects would survive many garbage collections, and are slow to copy. */
export interface PackedBatch {
  /** One {@link PackedPiece} per line. */
  readonly messages: Uint8Array<ArrayBuffer>;
  /** The concatenated lines of the new envelopes. */
  readonly output: Uint8Array<ArrayBuffer>;
  /** The pieces of failed messages by index, if they are to be kept. */
  readonly failed: ReadonlyMap<number, Uint8Array>;
}

interface PackedPiece extends JournalEntryJson {
  /** Bytes of its line in the output; 0 if it failed. */
  readonly length: number;
}

/** Packs batches. */
export class BatchPacker {
  // The buffers are reused for each batch.
  readonly #messages = new ByteCollector();
  readonly #output = new ByteCollector();

  pack(pieces: Iterable<MigratedPiece>): PackedBatch {
    const failed = new Map<number, Uint8Array>();
    let index = 0;
    for (const { entry, line, failed: piece } of pieces) {
      const packed: PackedPiece = { ...entryToJson(entry), length: line?.byteLength ?? 0 };
      this.#messages.addText(`${JSON.stringify(packed)}\n`);
      if (line !== undefined) this.#output.add(line);
      if (piece !== undefined) failed.set(index, piece);
      index++;
    }
    return { messages: this.#messages.take(), output: this.#output.take(), failed };
  }
}

/** Reads the result of {@link BatchPacker.pack}. */
export function* unpacked({ messages, output, failed }: PackedBatch): Generator<MigratedPiece> {
  const text = Buffer.from(messages.buffer, messages.byteOffset, messages.byteLength);
  let index = 0;
  let at = 0;
  for (let start = 0, end = text.indexOf(newline); end >= 0; start = end + 1, end = text.indexOf(newline, start)) {
    const { length, ...entry }: PackedPiece = JSON.parse(text.toString("utf8", start, end));
    const line = length === 0 ? undefined : output.subarray(at, at + length);
    at += length;
    yield { entry: entryFromJson(entry), line, failed: failed.get(index++) };
  }
}

const newline = 0x0a;

/** Initial size of a buffer in bytes. */
const firstRoom = 524_288;

/** The maximum number of UTF-8 bytes of a UTF-16 code unit. */
const mostBytes = 3;

class ByteCollector {
  #room = Buffer.allocUnsafeSlow(firstRoom);
  #length = 0;

  add(bytes: Uint8Array): void {
    this.#makeRoom(bytes.byteLength);
    this.#room.set(bytes, this.#length);
    this.#length += bytes.byteLength;
  }

  addText(text: string): void {
    this.#makeRoom(text.length * mostBytes);
    this.#length += this.#room.write(text, this.#length);
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
