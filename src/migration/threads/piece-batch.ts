import type { SourcePiece } from "../source.ts";

/** Pieces of a source that a thread gets at a time. */
export interface PieceBatch {
  readonly pieces: readonly BatchedPiece[];
  /** The concatenated bytes of all pieces. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A piece whose bytes are in those of its batch. */
interface BatchedPiece extends Omit<SourcePiece, "bytes"> {
  readonly length: number;
}

/** Size of a batch in bytes: large enough that sending it costs little, and small enough for several in memory. */
const batchSize = 262_144;

/** Groups pieces into batches, in order. */
export async function* batched(pieces: AsyncIterable<SourcePiece>): AsyncGenerator<PieceBatch> {
  let open: SourcePiece[] = [];
  let size = 0;
  for await (const piece of pieces) {
    open.push(piece);
    size += piece.bytes.byteLength;
    if (size < batchSize) continue;
    yield batchOf(open, size);
    open = [];
    size = 0;
  }
  if (open.length > 0) yield batchOf(open, size);
}

function batchOf(pieces: readonly SourcePiece[], size: number): PieceBatch {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece.bytes, at);
    at += piece.bytes.byteLength;
  }
  return { pieces: pieces.map(({ bytes: { byteLength }, ...rest }) => ({ ...rest, length: byteLength })), bytes };
}

/** The pieces of a batch, which share its bytes. */
export function* piecesOf({ pieces, bytes }: PieceBatch): Generator<SourcePiece> {
  let at = 0;
  for (const { length, ...rest } of pieces) {
    yield { ...rest, bytes: bytes.subarray(at, at + length) };
    at += length;
  }
}
