import { ByteWriter } from "../../core/amqp-values/byte-writer.ts";

/** Room for the usual batch; larger ones grow. */
const usualSize = 64 * 1024;

/** Writes facts one after another: fixed numbers, and texts and bytes after their lengths. */
export class FactWriter extends ByteWriter {
  /** @param room its first buffer, which is written over, or the size of one. */
  constructor(room: number | ArrayBuffer = usualSize) {
    super(room);
  }

  /** Takes everything written, in its own buffer that may be transferred; the writer is done then. */
  override take(): Uint8Array<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = super.take();
    if (!(buffer instanceof ArrayBuffer)) throw new TypeError("The writer's buffer is shared.");
    return new Uint8Array(buffer, byteOffset, byteLength);
  }

  number(value: number): void {
    this.reserve(8);
    this.putDouble(value);
  }

  bigint(value: bigint): void {
    this.reserve(8);
    this.put64(value);
  }

  sized(value: Uint8Array): void {
    this.#length(value.byteLength);
    this.raw(value);
  }

  string(value: string): void {
    this.sized(Buffer.from(value, "utf8"));
  }

  /** Bytes of a length that is known once they are written. */
  within(write: () => void): void {
    this.#length(0);
    const begin = this.mark();
    write();
    const end = this.mark();
    this.at = this.start + begin - 4;
    this.put32(end - begin);
    this.at = this.start + end;
  }

  #length(length: number): void {
    this.reserve(4);
    this.put32(length);
  }
}
