import { accepted, type DeliveryOutcome } from "./delivery-state.ts";
import type { FrameReader } from "./frame-reader.ts";

/** Returned by {@link FieldCursor} for a field that is null or left out, and for one of another type. */
const absent = -1;
const unexpected = -2;

/** Reads the fields of a performative in place. */
class FieldCursor {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  /** The ends of the frame and of its list of fields. */
  end = 0;
  border = 0;
  #left = 0;

  /** Enters a list, as list8 or list32; false when it is another value or reaches beyond the frame. */
  enter(frame: FrameReader): boolean {
    const { bytes, end } = frame;
    const at = frame.start + 3;
    const format = bytes[at];
    this.bytes = bytes;
    this.end = end;
    if (format === 0xc0) {
      this.at = at + 3;
      this.border = at + 2 + (bytes[at + 1] ?? 0);
      this.#left = bytes[at + 2] ?? 0;
    } else if (format === 0xd0) {
      this.at = at + 1;
      const size = this.#u32();
      this.border = this.at + size;
      this.#left = this.#u32();
    } else return false;
    return this.border <= end && this.at <= this.border;
  }

  /** The format code of the next field; null after the end of the list. */
  code(): number {
    if (this.#left === 0 || this.at >= this.border) return 0x40;
    this.#left--;
    return this.bytes[this.at++] ?? 0x40;
  }

  uint(): number {
    switch (this.code()) {
      case 0x43:
        return 0;
      case 0x52:
        return this.bytes[this.at++] ?? 0;
      case 0x70:
        return this.#u32();
      case 0x40:
        return absent;
      default:
        return unexpected;
    }
  }

  /** 1 for true, 0 for false. */
  boolean(): number {
    switch (this.code()) {
      case 0x41:
        return 1;
      case 0x42:
        return 0;
      case 0x56: {
        const byte = this.bytes[this.at++] ?? 2;
        return byte > 1 ? unexpected : byte;
      }
      case 0x40:
        return absent;
      default:
        return unexpected;
    }
  }

  /** Whether nothing is left of the list. */
  done(): boolean {
    return this.#left === 0 && this.at === this.border;
  }

  /** The next field if it is the state accepted or released. */
  outcome(): DeliveryOutcome | undefined {
    if (this.code() !== 0x00) return undefined;
    const { bytes, at } = this;
    if (bytes[at] !== 0x53) return undefined;
    const outcome = bytes[at + 1] === 0x24 ? accepted : bytes[at + 1] === 0x26 ? released : undefined;
    return this.#isEmptyList() ? outcome : undefined;
  }

  /** Whether the list of a state, after its descriptor, has no fields, in whichever of the three formats. */
  #isEmptyList(): boolean {
    const { bytes, at } = this;
    const format = bytes[at + 2];
    this.at = at + 3;
    if (format === 0x45) return true;
    if (format === 0xc0) return bytes[this.at++] === 1 && bytes[this.at++] === 0;
    return format === 0xd0 && this.#u32() === 4 && this.#u32() === 0;
  }

  #u32(): number {
    const { bytes, at } = this;
    this.at = at + 4;
    return (
      (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>>
      0
    );
  }
}

const released: DeliveryOutcome = { kind: "released" };

const cursor = new FieldCursor();

const isFalse = (boolean: number): boolean => boolean === 0 || boolean === absent;

/** A whole message in one frame, without a state or transaction; one object is reused for every frame. */
export class SingleFrameTransfer {
  handle = 0;
  deliveryId = 0;
  messageFormat = 0;
  settled = false;
  /** Where the delivery tag lies. */
  tagAt = 0;
  tagEnd = 0;
  payloadAt = 0;

  /** Reads the frame; false when it is of another kind, or malformed. */
  read(frame: FrameReader): boolean {
    if (!cursor.enter(frame)) return false;
    this.handle = cursor.uint();
    this.deliveryId = cursor.uint();
    if (cursor.code() !== 0xa0) return false;
    this.tagAt = cursor.at + 1;
    this.tagEnd = this.tagAt + (cursor.bytes[cursor.at] ?? 0);
    cursor.at = this.tagEnd;
    const format = cursor.uint();
    const settled = cursor.boolean();
    const more = cursor.boolean();
    // A message without a format is of format 0.
    this.messageFormat = format === absent ? 0 : format;
    this.settled = settled === 1;
    this.payloadAt = cursor.border;
    return (
      this.handle >= 0 &&
      this.deliveryId >= 0 &&
      format !== unexpected &&
      settled !== unexpected &&
      isFalse(more) &&
      // It has neither its own settle mode nor a state.
      cursor.code() === 0x40 &&
      cursor.code() === 0x40 &&
      cursor.boolean() !== unexpected &&
      isFalse(cursor.boolean()) &&
      cursor.boolean() !== unexpected &&
      cursor.done()
    );
  }
}

/** A receiver's disposition that accepts or releases deliveries; one object is reused for every frame. */
export class SingleFrameDisposition {
  first = 0;
  last = 0;
  settled = false;
  state: DeliveryOutcome = accepted;

  /** Reads the frame; false when it is of another kind, or malformed. */
  read(frame: FrameReader): boolean {
    if (!cursor.enter(frame) || cursor.boolean() !== 1) return false;
    this.first = cursor.uint();
    const last = cursor.uint();
    const settled = cursor.boolean();
    this.last = last === absent ? this.first : last;
    this.settled = settled === 1;
    const state = cursor.outcome();
    this.state = state ?? accepted;
    return (
      this.first >= 0 &&
      last !== unexpected &&
      settled !== unexpected &&
      state !== undefined &&
      cursor.boolean() !== unexpected &&
      cursor.done() &&
      cursor.border === cursor.end
    );
  }
}
