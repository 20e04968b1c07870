import type { SourcePiece } from "../read/source.ts";

/** Pieces of a source that a thread gets at a time, in few objects, since each is copied. */
export interface PieceBatch {
  readonly ids: readonly string[];
  readonly orders: BigInt64Array<ArrayBuffer>;
  readonly done: Float64Array<ArrayBuffer>;
  readonly lengths: Uint32Array<ArrayBuffer>;
  /** The limit that a piece exceeds, by its index. */
  readonly tooLong: ReadonlyMap<number, number>;
  /** The concatenated bytes of all pieces, and some room. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Size of a batch in bytes: large enough that sending it costs little, and small enough for several in memory. */
const batchSize = 262_144;

/** Groups pieces into batches, in order. */
export async function* batched(groups: AsyncIterable<readonly SourcePiece[]>): AsyncGenerator<PieceBatch> {
  let open = new OpenBatch();
  for await (const pieces of groups) {
    for (const piece of pieces) {
      open.add(piece);
      if (open.size < batchSize) continue;
      yield open.take();
      open = new OpenBatch();
    }
  }
  if (open.size > 0) yield open.take();
}

/** Copies pieces as they come, since their bytes may be overwritten. */
class OpenBatch {
  readonly #pieces: SourcePiece[] = [];
  readonly #lengths: number[] = [];
  #room = new Uint8Array(batchSize + batchSize / 8);
  size = 0;

  add(piece: SourcePiece): void {
    const { bytes } = piece;
    if (this.size + bytes.byteLength > this.#room.byteLength) {
      const room = new Uint8Array(this.size + bytes.byteLength);
      room.set(this.#room.subarray(0, this.size));
      this.#room = room;
    }
    this.#room.set(bytes, this.size);
    this.size += bytes.byteLength;
    this.#pieces.push(piece);
    this.#lengths.push(bytes.byteLength);
  }

  take(): PieceBatch {
    const tooLong = new Map<number, number>();
    for (const [index, piece] of this.#pieces.entries())
      if (piece.tooLong !== undefined) tooLong.set(index, piece.tooLong);
    return {
      ids: this.#pieces.map(({ id }) => id),
      orders: BigInt64Array.from(this.#pieces, ({ order }) => order),
      done: Float64Array.from(this.#pieces, ({ done }) => done),
      lengths: Uint32Array.from(this.#lengths),
      tooLong,
      bytes: this.#room,
    };
  }
}

/** The pieces of a batch, which share its bytes. */
export function* piecesOf(batch: PieceBatch): Generator<SourcePiece> {
  let at = 0;
  for (const [index, length] of batch.lengths.entries()) {
    yield pieceOf(batch, index, batch.bytes.subarray(at, at + length));
    at += length;
  }
}

/** One piece of a batch. */
export function pieceOf({ ids, orders, done, tooLong }: PieceBatch, index: number, bytes: Uint8Array): SourcePiece {
  const [id = "", order = 0n] = [ids[index], orders[index]];
  return { id, order, done: done[index] ?? 0, bytes, tooLong: tooLong.get(index) };
}
