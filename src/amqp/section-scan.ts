import type { ByteReader } from "../../codecs/amqp/byte-reader.ts";
import { readTyped } from "../../codecs/amqp/read-typed.ts";
import { Typed } from "../envelope/index.ts";
import { firstDescriptor, section, sectionBySymbol, sectionNames } from "./section.ts";
import { cutOff, valueEnd } from "./value-end.ts";

/**
 * Finds the borders of a message's sections without reading their content.
 *
 * Gives three numbers per section: its place in `section`, where its descriptor begins, and where its value begins.
 * Order, multiplicity, the type of each value and every size are checked (AMQP 1.0 part 3.2).
 *
 * @throws SobreError `DecodeFailed` or `TruncatedPayload` with the offset.
 */
export function scanSections(reader: ByteReader): readonly number[] {
  const { bytes } = reader;
  const end = bytes.byteLength;
  const borders: number[] = [];
  let last = -1;
  for (let start = 0; start < end;) {
    let kind: number;
    let at = start + 3;
    // Nearly all descriptors are a small ulong.
    if (at < end && bytes[start] === 0x00 && bytes[start + 1] === 0x53) {
      kind = (bytes[start + 2] ?? 0) - firstDescriptor;
    } else {
      kind = readDescriptor(reader, start);
      ({ at } = reader);
    }
    if (kind <= last || kind > section.footer || last >= section.data) checkOrder(reader, kind, last, start);
    borders.push(kind, start, at);
    last = kind;
    start = skipContent(reader, kind, at);
  }
  return borders;
}

function readDescriptor(reader: ByteReader, start: number): number {
  reader.seek(start, reader.bytes.byteLength);
  if (reader.code() !== 0x00) throw reader.fault("A section does not begin with a descriptor", start);
  const descriptor = readTyped(reader, 0);
  const value = descriptor instanceof Typed ? descriptor.value : undefined;
  if (typeof value === "string") return sectionBySymbol.get(value) ?? -1;
  return typeof value === "bigint" && value < 0x100n ? Number(value) - firstDescriptor : -1;
}

function checkOrder(reader: ByteReader, kind: number, last: number, start: number): void {
  reader.seek(start, reader.bytes.byteLength);
  const name = sectionNames[kind];
  if (name === undefined) throw reader.fault("A section has a descriptor that AMQP 1.0 does not know", start);
  if (kind === last && (kind === section.data || kind === section.sequence)) return;
  if (kind === last) throw reader.fault(`The section ${name} comes twice`, start);
  const before = sectionNames[last] ?? "";
  if (kind < last) throw reader.fault(`The section ${name} comes behind ${before}`, start);
  if (kind !== section.footer) throw reader.fault(`A message has both a ${before} and a ${name} section`, start);
}

const list = 0b001;
const map = 0b010;
const binary = 0b100;

/** The kinds of value that each section may hold; 0 is any. */
const wanted = Uint8Array.of(list, map, map, list, map, binary, list, 0, map);

function kindOf(code: number): number {
  switch (code) {
    case 0x45:
    case 0xc0:
    case 0xd0:
      return list;
    case 0xc1:
    case 0xd1:
      return map;
    case 0xa0:
    case 0xb0:
      return binary;
    default:
      return 0;
  }
}

/** Where the section ends whose value begins at `at`. */
function skipContent(reader: ByteReader, kind: number, at: number): number {
  const { bytes } = reader;
  const code = bytes[at] ?? 0;
  if ((wanted[kind] ?? 0) !== 0 && kindOf(code) !== wanted[kind]) {
    reader.seek(at, bytes.byteLength);
    if (at >= bytes.byteLength) throw reader.cut("The value of a section is missing", at);
    throw reader.fault(`The section ${sectionNames[kind]} holds a value of another type than it must`, at);
  }
  return reader.settings.lenient ? skipByReading(reader, at) : skipValue(reader, at);
}

/** Peers whose sizes lie are believed only after reading. */
function skipByReading(reader: ByteReader, at: number): number {
  reader.seek(at, reader.bytes.byteLength);
  readTyped(reader, 0);
  return reader.at;
}

/** Where the value at `at` ends by its own size. */
function skipValue(reader: ByteReader, at: number): number {
  const end = valueEnd(reader.bytes, at);
  if (end >= 0) return end;
  reader.seek(at, reader.bytes.byteLength);
  throw end === cutOff
    ? reader.cut("A section is cut off", at)
    : reader.fault("A section holds a format code that is none of AMQP 1.0", at);
}
