import type { ByteReader } from "../../../core/amqp-values/byte-reader.ts";
import { readTyped } from "../../../core/amqp-values/read-typed.ts";
import { Typed } from "../../../core/values/typed.ts";
import { firstDescriptor, section, sectionBySymbol, sectionNames } from "./section.ts";
import { cutOff, valueEnd } from "../../../core/amqp-values/value-end.ts";

/**
 * Finds the borders of a message's sections without reading their content.
 *
 * Puts two numbers per section into `borders`: its place in `section`, and where its descriptor begins; gives a bit for each
 * place that is there. The reader is given the start of the body: nothing but the text before it is worth reading ahead.
 * Order, multiplicity, the type of each value and every size are checked (AMQP 1.0 part 3.2).
 *
 * @throws SobreError `DecodeFailed` or `TruncatedPayload` with the offset.
 */
export function scanSections(reader: ByteReader, borders: number[]): number {
  const { bytes } = reader;
  const end = bytes.byteLength;
  let present = 0;
  let last = -1;
  let count = 0;
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
    if (kind >= section.data && last < section.data) reader.textEnd = start;
    borders[count] = kind;
    borders[count + 1] = start;
    count += 2;
    present |= 1 << kind;
    last = kind;
    start = skipContent(reader, kind, at);
  }
  return present;
}

function readDescriptor(reader: ByteReader, start: number): number {
  reader.seek(start, reader.bytes.byteLength);
  if (reader.code() !== 0x00) throw reader.fault("A section does not begin with a descriptor", start);
  const descriptor = readTyped(reader, 0);
  const value = descriptor instanceof Typed ? descriptor.value : undefined;
  if (typeof value === "string") return sectionBySymbol.get(value) ?? -1;
  return typeof value === "bigint" && value < 0x100n ? Number(value) - firstDescriptor : -1;
}

/** Where the value of the section begins whose descriptor, which a scan has read, begins at `start`. */
export function contentOf(bytes: Uint8Array, start: number): number {
  return bytes[start + 1] === 0x53 ? start + 3 : valueEnd(bytes, start + 1);
}

function checkOrder(reader: ByteReader, kind: number, last: number, start: number): void {
  reader.seek(start, reader.bytes.byteLength);
  const name = sectionNames[kind];
  if (name === undefined) throw reader.fault("A section has a descriptor that AMQP 1.0 does not define", start);
  if (kind === last && (kind === section.data || kind === section.sequence)) return;
  if (kind === last) throw reader.fault(`The section ${name} comes twice`, start);
  const before = sectionNames[last] ?? "";
  if (kind < last) throw reader.fault(`The section ${name} comes behind ${before}`, start);
  if (kind !== section.footer) throw reader.fault(`A message has both a ${before} and a ${name} section`, start);
}

const anything = 0b1000;
const binary = 0b0100;
const map = 0b0010;
const list = 0b0001;

/** The kinds of value that each section may hold. */
const wanted = Uint8Array.of(list, map, map, list, map, binary, list, anything | binary | map | list, map);

/** The kind of value that each format code begins. */
const kinds = new Uint8Array(256).fill(anything);
for (const code of [0x45, 0xc0, 0xd0]) kinds[code] = list;
for (const code of [0xc1, 0xd1]) kinds[code] = map;
for (const code of [0xa0, 0xb0]) kinds[code] = binary;

/** Format codes that say their size in one byte. */
const narrow = new Uint8Array(256);
for (const code of [0xa0, 0xc0, 0xc1]) narrow[code] = 1;

/** Where the section ends whose value begins at `at`. */
function skipContent(reader: ByteReader, kind: number, at: number): number {
  const { bytes } = reader;
  const code = bytes[at] ?? 0;
  const found = kinds[code] ?? 0;
  if ((found & (wanted[kind] ?? 0)) === 0) throw mistyped(reader, kind, at);
  if (reader.settings.lenient) return skipByReading(reader, at);
  // Most sections say their size in one byte, and large bodies are of one kind.
  const end = narrow[code] === 1 ? at + 2 + (bytes[at + 1] ?? 0) : code === 0xb0 ? endOfLarge(bytes, at) : -1;
  return end < 0 || end > bytes.byteLength ? skipValue(reader, at) : end;
}

/** Where a binary ends that says its size in four bytes. */
function endOfLarge(bytes: Uint8Array, at: number): number {
  const upper = (bytes[at + 1] ?? 0) * 2 ** 24;
  const lower = ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0);
  return at + 5 + upper + lower;
}

function mistyped(reader: ByteReader, kind: number, at: number): Error {
  reader.seek(at, reader.bytes.byteLength);
  return at < reader.bytes.byteLength
    ? reader.fault(`The section ${sectionNames[kind]} has a value of the wrong type`, at)
    : reader.cut("The value of a section is missing", at);
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
    : reader.fault("A section has a format code that AMQP 1.0 does not define", at);
}
