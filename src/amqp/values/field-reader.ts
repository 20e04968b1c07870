import { AmqpMap, Typed } from "../../values/typed.ts";
import type { ByteReader } from "./byte-reader.ts";
import { knownKey, longestKey, slotOf } from "./key-cache.ts";
import { readArray } from "./read-array.ts";
import { readUlong, readUuid } from "./read-scalar.ts";
import { readTyped, readTypedAs } from "./read-typed.ts";
import { readTimestamp } from "./typed-scalar.ts";

/** Reads the fields of a composite value in their order (AMQP 1.0 part 1.4); null and missing ones are `undefined`. */
export class FieldReader {
  readonly reader: ByteReader;
  // Private by type alone: `#` would cost a tenth of the reading.
  private readonly outer: number;
  private left: number;

  /**
   * Enters the list that the reader is on.
   *
   * @param most The most fields that the list may have. Default: any number; those that are not known are ignored.
   */
  constructor(reader: ByteReader, most: number = Infinity) {
    const { bytes, at } = reader;
    const outer = reader.end;
    const count = bytes[at + 2] ?? 0;
    const stop = at + 2 + (bytes[at + 1] ?? 0);
    this.reader = reader;
    this.outer = outer;
    if (bytes[at] !== 0xc0 || stop > outer || count > stop - at - 3 || count > most || reader.settings.lenient) {
      this.left = enter(reader, most);
      return;
    }
    reader.spend(1 + count);
    reader.at = at + 3;
    reader.end = stop;
    this.left = count;
  }

  /** Leaves the list; fields that are not known are passed over. */
  leave(): void {
    for (; this.left > 0; this.left--) readTyped(this.reader, 1);
    this.reader.leave(this.outer);
  }

  /** Whether the next field is there and not null; null is passed. */
  present(): boolean {
    if (this.left === 0) return false;
    const { reader } = this;
    if (reader.bytes[reader.at] !== 0x40 || reader.at >= reader.end) return true;
    reader.at++;
    this.left--;
    return false;
  }

  /** The reader on the present field, which the caller reads. */
  take(): ByteReader {
    this.left--;
    return this.reader;
  }

  skip(count: number = 1): void {
    for (let field = 0; field < count; field++) if (this.present()) readTyped(this.take(), 1);
  }

  boolean(): boolean | undefined {
    if (!this.present()) return undefined;
    const format = this.take().countedCode();
    if (format === 0x41) return true;
    if (format === 0x42) return false;
    if (format === 0x56) return this.reader.boolean();
    throw this.wrong("a boolean");
  }

  ubyte(): number | undefined {
    if (!this.present()) return undefined;
    if (this.take().countedCode() === 0x50) return this.reader.u8();
    throw this.wrong("a ubyte");
  }

  ushort(): number | undefined {
    if (!this.present()) return undefined;
    if (this.take().countedCode() === 0x60) return this.reader.u16();
    throw this.wrong("a ushort");
  }

  uint(): number | undefined {
    if (!this.present()) return undefined;
    const { reader } = this;
    const format = this.take().countedCode();
    if (format === 0x52) return reader.u8();
    if (format === 0x43) return 0;
    if (format === 0x70) return reader.u32();
    throw this.wrong("a uint");
  }

  ulong(): bigint | undefined {
    return this.present() ? this.ulongAs(this.take().countedCode(), "a ulong") : undefined;
  }

  string(): string | undefined {
    if (!this.present()) return undefined;
    const reader = this.take();
    const { bytes, at } = reader;
    const stop = at + 2 + (bytes[at + 1] ?? 0);
    // Nearly all are short, and every message has some.
    if (bytes[at] === 0xa1 && stop <= reader.end) {
      reader.at = stop;
      return reader.textBetween(at + 2, stop);
    }
    const format = reader.countedCode();
    if (format === 0xa1) return reader.text8();
    if (format === 0xb1) return reader.text(reader.u32());
    throw this.wrong("a string");
  }

  /** A symbol, or the string that some peers write instead. */
  symbol(): string | undefined {
    if (!this.present()) return undefined;
    const reader = this.take();
    const { bytes, at, end } = reader;
    const length = bytes[at + 1] ?? 0;
    const stop = at + 2 + length;
    // Nearly all are short and were met before.
    if (bytes[at] === 0xa3 && stop <= end && length > 0 && length <= longestKey) {
      const known = knownKey(bytes, at + 2, length, slotOf(bytes, at + 2, length));
      if (known !== undefined) {
        reader.at = stop;
        return known;
      }
    }
    switch (reader.countedCode()) {
      case 0xa3:
        return reader.symbol(reader.u8());
      case 0xb3:
        return reader.symbol(reader.u32());
      case 0xa1:
        return reader.text8();
      case 0xb1:
        return reader.text(reader.u32());
      default:
        throw this.wrong("a symbol or string");
    }
  }

  binary(): Uint8Array | undefined {
    if (!this.present()) return undefined;
    const { reader } = this;
    const format = this.take().countedCode();
    if (format === 0xa0) return reader.binary(reader.u8());
    if (format === 0xb0) return reader.binary(reader.u32());
    throw this.wrong("binary");
  }

  /** A message id in any of its four forms (AMQP 1.0 part 3.2.11 to 3.2.14); ulong is a bigint. */
  id(): string | bigint | Uint8Array | Typed<"uuid"> | undefined {
    if (!this.present()) return undefined;
    const { reader } = this;
    if (reader.bytes[reader.at] === 0xa1) return this.string();
    const format = this.take().countedCode();
    switch (format) {
      case 0xb1:
        return reader.text(reader.u32());
      case 0x98:
        return new Typed("uuid", readUuid(reader));
      case 0xa0:
        return reader.binary(reader.u8());
      case 0xb0:
        return reader.binary(reader.u32());
      default:
        return this.ulongAs(format, "a string, ulong, uuid or binary");
    }
  }

  timestamp(): Date | Typed<"timestamp"> | undefined {
    if (!this.present()) return undefined;
    if (this.take().countedCode() === 0x83) return readTimestamp(this.reader);
    throw this.wrong("a timestamp");
  }

  map(): AmqpMap | undefined {
    if (!this.present()) return undefined;
    const value = readTyped(this.take(), 1);
    if (value instanceof AmqpMap) return value;
    throw this.wrong("a map");
  }

  /** One symbol, or an array of them (AMQP 1.0 part 1.4). */
  symbols(): readonly string[] {
    if (!this.present()) return [];
    const reader = this.take();
    const format = reader.countedCode();
    if (format === 0xe0 || format === 0xf0)
      return readArray(reader, format === 0xe0 ? 1 : 4, 1, readTypedAs).values.map(String);
    const value = readTypedAs(reader, format, 1);
    if (value instanceof Typed && typeof value.value === "string") return [value.value];
    throw this.wrong("a symbol or an array of them");
  }

  private ulongAs(format: number, wanted: string): bigint {
    const { reader } = this;
    if (format === 0x53) return BigInt(reader.u8());
    if (format === 0x80) return readUlong(reader);
    if (format === 0x44) return 0n;
    throw this.wrong(wanted);
  }

  private wrong(wanted: string): Error {
    return this.reader.fault(`A field is not ${wanted}`, this.reader.at - 1);
  }
}

/** Enters a list in any of its formats and returns how many fields it has. */
function enter(reader: ByteReader, most: number): number {
  const start = reader.at;
  const format = reader.code();
  if (format !== 0x45 && format !== 0xc0 && format !== 0xd0)
    throw reader.fault("A composite value is not a list", start);
  const count = format === 0x45 ? 0 : reader.enterItems(format === 0xd0 ? 4 : 1);
  if (count > most && !reader.settings.lenient)
    throw reader.fault(`A section has ${count} fields; it can have ${most}`, start);
  // An empty list has no extent to leave.
  if (format === 0x45) reader.end = reader.at;
  reader.spend(count);
  return Math.min(count, most);
}
