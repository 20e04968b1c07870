import { SobreError } from "../../core/errors/sobre-error.ts";

/** Reads what a `FactWriter` has written, one value after another. */
export class FactReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  number(): number {
    const number = this.#bytes.readDoubleBE(this.#take(8));
    // A small integer takes no memory of its own, a number that was read as a double does.
    const small = number | 0;
    return small === number ? small : number;
  }

  bigint(): bigint {
    return this.#bytes.readBigInt64BE(this.#take(8));
  }

  /** A view: it is over when the bytes read from are. */
  bytes(): Uint8Array {
    const length = this.#bytes.readUInt32BE(this.#take(4));
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  text(): string {
    const length = this.#bytes.readUInt32BE(this.#take(4));
    const at = this.#take(length);
    return this.#bytes.toString("utf8", at, at + length);
  }

  /** Everything that is left. */
  rest(): Uint8Array {
    const at = this.#take(this.#bytes.length - this.at);
    return this.#bytes.subarray(at);
  }

  #take(length: number): number {
    const { at } = this;
    this.at += length;
    if (this.at > this.#bytes.length)
      throw new SobreError("TruncatedPayload", "The bytes end within a fact.", { offset: at });
    return at;
  }
}
