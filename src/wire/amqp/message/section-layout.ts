import { firstDescriptor, section } from "./section.ts";

/** Where the sections of a message lie whose sender has set no message annotations; one object is read into again and again. */
export class SectionLayout {
  /** Whether there is a header with fields. */
  hasHeader = false;
  /** Where the properties section begins, or whatever follows in a message without one. */
  propertiesAt = 0;
  /** Where the section after the properties begins. */
  restAt = 0;

  /** Reads the borders; false for a message with annotations, or with a descriptor that is not a small ulong. */
  read(bytes: Uint8Array): boolean {
    this.hasHeader = false;
    let at = 0;
    for (;;) {
      if (bytes[at] !== 0x00 || bytes[at + 1] !== 0x53) return false;
      const kind = (bytes[at + 2] ?? 0) - firstDescriptor;
      if (kind >= section.properties) break;
      const end = endOf(bytes, at + 3);
      const isEmpty = isEmptyAt(bytes, at + 3, end);
      if (kind === section.header) this.hasHeader = !isEmpty;
      else if (kind === section.messageAnnotations && !isEmpty) return false;
      at = end;
      if (at >= bytes.byteLength) return false;
    }
    this.propertiesAt = at;
    this.restAt = bytes[at + 2] === firstDescriptor + section.properties ? endOf(bytes, at + 3) : at;
    return this.restAt <= bytes.byteLength;
  }
}

/**
 * Whether a list or map between two positions has no items, as clients write headers and annotations in each of the three
 * formats.
 */
export function isEmptyAt(bytes: Uint8Array, at: number, end: number): boolean {
  const format = bytes[at] ?? 0;
  switch (end - at) {
    case 1:
      return format === 0x45;
    case 3:
      return (format === 0xc0 || format === 0xc1) && bytes[at + 2] === 0;
    case 9:
      return (format === 0xd0 || format === 0xd1) && u32(bytes, at + 5) === 0;
    default:
      return false;
  }
}

/** Where a list or map ends. */
function endOf(bytes: Uint8Array, at: number): number {
  const format = bytes[at] ?? 0;
  if (format === 0x45) return at + 1;
  if (format === 0xc0 || format === 0xc1) return at + 2 + (bytes[at + 1] ?? 0);
  return format === 0xd0 || format === 0xd1 ? at + 5 + u32(bytes, at + 1) : Infinity;
}

const u32 = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0;
