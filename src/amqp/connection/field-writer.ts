import type { ByteWriter } from "../values/byte-writer.ts";
import { resolveWriteOptions } from "../values/encode-value.ts";
import { writeUint } from "../values/write-number.ts";
import { writeUlong } from "../values/write-typed.ts";
import { writeValue } from "../values/write-value.ts";
import type { AmqpMap } from "../../values/typed.ts";

const settings = resolveWriteOptions();

/** Writes the fields of a composite value in their order; those left out at the end take no bytes. */
export class FieldWriter {
  readonly writer: ByteWriter;
  readonly #mark: number;
  #count = 0;
  /** Nulls that are written when a field follows. */
  #nulls = 0;

  /** Begins the described list of fields. */
  constructor(writer: ByteWriter, descriptor: number) {
    this.writer = writer;
    writer.byte(0x00);
    writer.code8(0x53, descriptor);
    this.#mark = writer.open();
  }

  end(): void {
    this.writer.closeList(this.#mark, this.#count);
  }

  none(): void {
    this.#nulls++;
  }

  /** Makes the next field one that the caller writes. */
  next(): ByteWriter {
    for (; this.#nulls > 0; this.#nulls--) {
      this.writer.byte(0x40);
      this.#count++;
    }
    this.#count++;
    return this.writer;
  }

  boolean(value: boolean | undefined): void {
    if (value === undefined) this.none();
    else this.next().byte(value ? 0x41 : 0x42);
  }

  ubyte(value: number | undefined): void {
    if (value === undefined) this.none();
    else this.next().code8(0x50, value);
  }

  ushort(value: number | undefined): void {
    if (value === undefined) this.none();
    else this.next().code16(0x60, value);
  }

  uint(value: number | undefined): void {
    if (value === undefined) this.none();
    else writeUint(this.next(), value);
  }

  ulong(value: bigint | undefined): void {
    if (value === undefined) this.none();
    else writeUlong(this.next(), value);
  }

  string(value: string | undefined): void {
    if (value === undefined) this.none();
    else this.next().text(0xa1, value);
  }

  symbol(value: string | undefined): void {
    if (value === undefined) this.none();
    else this.next().text(0xa3, value);
  }

  binary(value: Uint8Array | undefined): void {
    if (value === undefined) this.none();
    else this.next().variable(0xa0, value);
  }

  map(value: AmqpMap | undefined): void {
    if (value === undefined) this.none();
    else writeValue(this.next(), value, settings, 1);
  }
}
