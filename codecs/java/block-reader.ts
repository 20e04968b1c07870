import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { decodeModifiedUtf8 } from "./modified-utf8.ts";
import type { BlockDataNode } from "./nodes.ts";

/** Reads what a class of the JDK wrote as block data. */
export class BlockReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #offset: number;
  readonly #what: string;
  #at = 0;

  /** `what` is the class, for errors at `offset`. */
  constructor(bytes: Uint8Array, offset: number, what: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offset = offset;
    this.#what = what;
  }

  i8(): number {
    return this.#view.getInt8(this.#take(1));
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4));
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#take(8));
  }

  text(): string {
    const size = this.#view.getUint16(this.#take(2));
    const start = this.#take(size);
    const text = decodeModifiedUtf8(this.#bytes, start, start + size);
    if (typeof text !== "string") throw this.broken();
    return text;
  }

  /** The error of data that the class cannot have written. */
  broken(): SobreError {
    return malformed(this.#what, this.#offset);
  }

  #take(size: number): number {
    const start = this.#at;
    if (size > this.#bytes.length - start) throw this.broken();
    this.#at = start + size;
    return start;
  }
}

/** The error of an object whose contents its class cannot have written. */
export function malformed(what: string, offset: number): SobreError {
  const text = `The ${what} at byte ${offset} of the Java stream does not contain what that class writes.`;
  return new SobreError("DecodeFailed", text, { offset });
}

/** Adjacent block data as one run of bytes; where the writer split it has no meaning. */
export function joinBlocks(blocks: readonly BlockDataNode[]): Uint8Array {
  const [first] = blocks;
  if (blocks.length === 1 && first !== undefined) return first.bytes;
  const joined = new Uint8Array(blocks.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const block of blocks) {
    if (block.length > 0) joined.set(block.bytes, at);
    at += block.length;
  }
  return joined;
}
