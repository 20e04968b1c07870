import type { MessageId } from "../envelope/broker-properties.ts";
import { type AmqpMap, Typed } from "../values/typed.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { resolveWriteOptions } from "./encode-value.ts";
import { unsupported } from "./unsupported-value.ts";
import { writeUint } from "./write-number.ts";
import { within, withinLong, writeScalar, writeUlong } from "./write-typed.ts";
import { writeValue } from "./write-value.ts";

const settings = resolveWriteOptions();

/**
 * Writes the fields of a composite value in their order; those left out at the end take no bytes.
 *
 * A value of the wrong type or range is an `UnsupportedValue`.
 */
export class FieldWriter {
  readonly writer: ByteWriter;
  readonly #mark: number;
  #count = 0;
  /** Nulls that are written when a field follows. */
  #nulls = 0;

  /** Begins the list of fields. */
  constructor(writer: ByteWriter) {
    this.writer = writer;
    this.#mark = writer.open();
  }

  /** Begins a list of fields after its descriptor. */
  static described(writer: ByteWriter, descriptor: number): FieldWriter {
    writer.byte(0x00);
    writer.code8(0x53, descriptor);
    return new FieldWriter(writer);
  }

  /** The place of the field that was written last, or is being written. */
  get index(): number {
    return this.#count + this.#nulls - 1;
  }

  end(): void {
    this.writer.closeList(this.#mark, this.#count);
  }

  none(count: number = 1): void {
    this.#nulls += count;
  }

  /** Makes the next field one that the caller writes. */
  next(): ByteWriter {
    if (this.#nulls > 0) this.#writeNulls();
    this.#count++;
    return this.writer;
  }

  boolean(value: boolean | undefined): void {
    if (value === undefined) this.#nulls++;
    else this.next().byte(flag(value) ? 0x41 : 0x42);
  }

  ubyte(value: number | undefined): void {
    if (value === undefined) this.#nulls++;
    else this.next().code8(0x50, within(value, 0, 0xff));
  }

  ushort(value: number | undefined): void {
    if (value === undefined) this.#nulls++;
    else this.next().code16(0x60, within(value, 0, 0xffff));
  }

  uint(value: number | undefined): void {
    if (value === undefined) this.#nulls++;
    else writeUint(this.next(), within(value, 0, 0xffff_ffff));
  }

  ulong(value: bigint | undefined): void {
    if (value === undefined) this.#nulls++;
    else writeUlong(this.next(), value);
  }

  string(value: string | undefined): void {
    if (value === undefined) this.#nulls++;
    else this.next().text(0xa1, text(value));
  }

  symbol(value: string | undefined): void {
    if (value === undefined) this.#nulls++;
    else this.next().text(0xa3, text(value));
  }

  binary(value: Uint8Array | undefined): void {
    if (value === undefined) this.#nulls++;
    else this.next().variable(0xa0, bytes(value));
  }

  /** A message id; numbers are ulong. */
  id(value: MessageId | undefined): void {
    if (value === undefined) this.#nulls++;
    else if (typeof value === "string") this.next().text(0xa1, value);
    else writeId(this.next(), value);
  }

  timestamp(value: Date | Typed<"timestamp"> | undefined): void {
    if (value === undefined) this.#nulls++;
    else writeTime(this.next(), value);
  }

  map(value: AmqpMap | undefined): void {
    if (value === undefined) this.#nulls++;
    else writeValue(this.next(), value, settings, 1);
  }

  #writeNulls(): void {
    for (; this.#nulls > 0; this.#nulls--) {
      this.writer.byte(0x40);
      this.#count++;
    }
  }
}

function writeId(writer: ByteWriter, id: Exclude<MessageId, string>): void {
  if (typeof id === "bigint" || (typeof id === "number" && Number.isInteger(id))) return writeUlong(writer, BigInt(id));
  if (id instanceof Uint8Array) return writer.variable(0xa0, id);
  if (id instanceof Typed && id.type === "uuid") return writeScalar(writer, id);
  throw unsupported("is not a message id");
}

function writeTime(writer: ByteWriter, time: Date | Typed<"timestamp">): void {
  if (!(time instanceof Date)) return writer.code64(0x83, withinLong(time.value, "timestamp"));
  if (Number.isNaN(time.getTime())) throw unsupported("is an invalid Date");
  writer.codeInteger(0x83, time.getTime());
}

function flag(value: boolean): boolean {
  if (typeof value !== "boolean") throw unsupported("is not a boolean");
  return value;
}

function text(value: string): string {
  if (typeof value !== "string") throw unsupported("is not a string");
  return value;
}

function bytes(value: Uint8Array): Uint8Array {
  if (!(value instanceof Uint8Array)) throw unsupported("is not a Uint8Array");
  return value;
}
