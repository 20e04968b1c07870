import { ByteReader, type ReaderSettings } from "../values/byte-reader.ts";
import { readArray } from "../values/read-array.ts";
import { readTyped, readTypedAs } from "../values/read-typed.ts";
import { defaultDecodeLimits } from "../../codec/limits.ts";
import { AmqpMap, Typed } from "../../values/typed.ts";
import { WireFault } from "./wire-fault.ts";

/** A performative is small and flat, and comes before anybody has shown who he is. */
const settings: ReaderSettings = {
  limits: { ...defaultDecodeLimits, maxDepth: 16, maxItems: 20_000 },
  maxZeroWidth: 64,
  lenient: false,
  copy: false,
};

/** A reader for the body of a frame. */
export const bodyReader = (body: Uint8Array): ByteReader => new ByteReader(body, settings);

/** Names of descriptors that some peers write instead of the codes. */
const symbols: ReadonlyMap<string, number> = new Map(
  Object.entries({
    "amqp:open:list": 0x10,
    "amqp:begin:list": 0x11,
    "amqp:attach:list": 0x12,
    "amqp:flow:list": 0x13,
    "amqp:transfer:list": 0x14,
    "amqp:disposition:list": 0x15,
    "amqp:detach:list": 0x16,
    "amqp:end:list": 0x17,
    "amqp:close:list": 0x18,
    "amqp:error:list": 0x1d,
    "amqp:received:list": 0x23,
    "amqp:accepted:list": 0x24,
    "amqp:rejected:list": 0x25,
    "amqp:released:list": 0x26,
    "amqp:modified:list": 0x27,
    "amqp:source:list": 0x28,
    "amqp:target:list": 0x29,
    "amqp:coordinator:list": 0x30,
    "amqp:declare:list": 0x31,
    "amqp:discharge:list": 0x32,
    "amqp:declared:list": 0x33,
    "amqp:transactional-state:list": 0x34,
    "amqp:sasl-mechanisms:list": 0x40,
    "amqp:sasl-init:list": 0x41,
    "amqp:sasl-challenge:list": 0x42,
    "amqp:sasl-response:list": 0x43,
    "amqp:sasl-outcome:list": 0x44,
  }),
);

/** Reads a descriptor; `undefined` for null instead of a described value. */
export function readDescriptor(reader: ByteReader): number | undefined {
  const { bytes, at } = reader;
  // Nearly all are a small ulong.
  if (bytes[at] === 0x00 && bytes[at + 1] === 0x53 && at + 2 < reader.end) {
    reader.at = at + 3;
    return bytes[at + 2];
  }
  const first = reader.code();
  if (first === 0x40) return undefined;
  if (first !== 0x00) throw reader.fault("A value is not described", at);
  const descriptor = readTyped(reader, 0);
  const value = descriptor instanceof Typed ? descriptor.value : undefined;
  if (typeof value === "bigint" && value <= 0xffn) return Number(value);
  return typeof value === "string" ? (symbols.get(value) ?? -1) : -1;
}

/** A list of fields that is being read; those that are missing read as null. */
export class Fields {
  readonly reader: ByteReader;
  readonly #outer: number;
  #left: number;

  /** Enters the list that the reader is on. */
  constructor(reader: ByteReader) {
    this.reader = reader;
    this.#outer = reader.end;
    const at = reader.at;
    const format = reader.code();
    if (format !== 0x45 && format !== 0xc0 && format !== 0xd0) throw reader.fault("A composite value is no list", at);
    this.#left = format === 0x45 ? 0 : reader.enterItems(format === 0xd0 ? 4 : 1);
    if (format === 0x45) reader.end = reader.at;
  }

  /** Leaves the list; fields that are not known are passed over. */
  leave(): void {
    for (; this.#left > 0; this.#left--) readTyped(this.reader, 1);
    this.reader.leave(this.#outer);
  }

  /** Whether the next field is there and not null; null is passed. */
  present(): boolean {
    if (this.#left === 0) return false;
    const { reader } = this;
    if (reader.at < reader.end && reader.bytes[reader.at] === 0x40) {
      reader.code();
      this.#left--;
      return false;
    }
    return true;
  }

  /** Tells that the present field is being read by the caller. */
  take(): ByteReader {
    this.#left--;
    return this.reader;
  }

  skip(): void {
    if (this.present()) readTyped(this.take(), 1);
  }

  boolean(): boolean | undefined {
    if (!this.present()) return undefined;
    const format = this.take().code();
    if (format === 0x41) return true;
    if (format === 0x42) return false;
    if (format === 0x56) return this.reader.boolean();
    throw this.#wrong("a boolean");
  }

  ubyte(): number | undefined {
    if (!this.present()) return undefined;
    if (this.take().code() === 0x50) return this.reader.u8();
    throw this.#wrong("a ubyte");
  }

  ushort(): number | undefined {
    if (!this.present()) return undefined;
    if (this.take().code() === 0x60) return this.reader.u16();
    throw this.#wrong("a ushort");
  }

  uint(): number | undefined {
    if (!this.present()) return undefined;
    const { reader } = this;
    const format = this.take().code();
    if (format === 0x52) return reader.u8();
    if (format === 0x43) return 0;
    if (format === 0x70) return reader.u32();
    throw this.#wrong("a uint");
  }

  ulong(): bigint | undefined {
    if (!this.present()) return undefined;
    const value = readTyped(this.take(), 1);
    if (value instanceof Typed && value.type === "ulong" && typeof value.value === "bigint") return value.value;
    throw this.#wrong("a ulong");
  }

  /** A string, or the symbol that some peers write instead. */
  text(): string | undefined {
    if (!this.present()) return undefined;
    const { reader } = this;
    switch (this.take().code()) {
      case 0xa1:
        return reader.text(reader.u8());
      case 0xb1:
        return reader.text(reader.u32());
      case 0xa3:
        return reader.symbol(reader.u8());
      case 0xb3:
        return reader.symbol(reader.u32());
      default:
        throw this.#wrong("a string");
    }
  }

  binary(): Uint8Array | undefined {
    if (!this.present()) return undefined;
    const { reader } = this;
    const format = this.take().code();
    if (format === 0xa0) return reader.binary(reader.u8());
    if (format === 0xb0) return reader.binary(reader.u32());
    throw this.#wrong("binary");
  }

  map(): AmqpMap | undefined {
    if (!this.present()) return undefined;
    const value = readTyped(this.take(), 1);
    if (value instanceof AmqpMap) return value;
    throw this.#wrong("a map");
  }

  /** One symbol, or an array of them (AMQP 1.0 part 1.4). */
  symbols(): readonly string[] {
    if (!this.present()) return [];
    const { reader } = this;
    const format = this.take().code();
    if (format !== 0xe0 && format !== 0xf0) {
      const value = readTypedAs(reader, format, 1);
      if (value instanceof Typed && typeof value.value === "string") return [value.value];
      throw this.#wrong("a symbol or an array of them");
    }
    return readArray(reader, format === 0xe0 ? 1 : 4, 1, readTypedAs).values.map(String);
  }

  #wrong(wanted: string): Error {
    return this.reader.fault(`A field is not ${wanted}`, this.reader.at - 1);
  }
}

/** The value of a field that must be there. */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new WireFault("amqp:invalid-field", `The mandatory field ${name} is missing.`);
  return value;
}
