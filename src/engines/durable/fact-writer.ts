import { writeEnvelope } from "../../amqp/message/encode-message.ts";
import { ByteWriter } from "../../amqp/values/byte-writer.ts";
import type { Envelope } from "../../envelope/envelope.ts";

/** Room for the usual batch; larger ones grow. */
const usualSize = 64 * 1024;

/** Writes facts one behind the other: fixed numbers, and texts and bytes behind their lengths. */
export class FactWriter {
  readonly #writer: ByteWriter;

  /** @param room its first buffer, which is written over, or the size of one. */
  constructor(room: number | ArrayBuffer = usualSize) {
    this.#writer = new ByteWriter(room);
  }

  /** How many bytes were written. */
  get size(): number {
    return this.#writer.mark();
  }

  /** Takes everything written, in its own buffer that may be transferred; the writer is done then. */
  take(): Uint8Array<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = this.#writer.take();
    if (!(buffer instanceof ArrayBuffer)) throw new TypeError("The writer's buffer is shared.");
    return new Uint8Array(buffer, byteOffset, byteLength);
  }

  byte(value: number): void {
    this.#writer.byte(value);
  }

  number(value: number): void {
    this.#writer.reserve(8);
    this.#writer.putDouble(value);
  }

  bigint(value: bigint): void {
    this.#writer.reserve(8);
    this.#writer.put64(value);
  }

  bytes(value: Uint8Array): void {
    this.#length(value.byteLength);
    this.#writer.raw(value);
  }

  text(value: string): void {
    this.bytes(Buffer.from(value, "utf8"));
  }

  /** Bytes of a length that is known once they are written. */
  within(write: () => void): void {
    this.#length(0);
    const begin = this.#writer.mark();
    write();
    const end = this.#writer.mark();
    this.#writer.at = this.#writer.start + begin - 4;
    this.#writer.put32(end - begin);
    this.#writer.at = this.#writer.start + end;
  }

  raw(value: Uint8Array): void {
    this.#writer.raw(value);
  }

  /** The sections of an envelope. @throws SobreError as `writeEnvelope` does. */
  envelope(envelope: Envelope): void {
    writeEnvelope(this.#writer, envelope);
  }

  #length(length: number): void {
    this.#writer.reserve(4);
    this.#writer.put32(length);
  }
}
