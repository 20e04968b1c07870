import type { FrameReader } from "./frame-reader.ts";

/** What the fields of a usual frame are read with: `at` moves on, and -1 is a field that is absent or unusual. */
class Cursor {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  /** Where the list ends. */
  border = 0;
  #left = 0;

  /** Enters a list of at most 255 bytes; false when it is another value or reaches beyond the frame. */
  enter(frame: FrameReader): boolean {
    const { bytes, end } = frame;
    const at = frame.start + 3;
    this.bytes = bytes;
    this.end = end;
    this.at = at + 3;
    this.border = at + 2 + (bytes[at + 1] ?? 0);
    this.#left = bytes[at + 2] ?? 0;
    return bytes[at] === 0xc0 && this.border <= end && this.at <= this.border;
  }

  /** Whether nothing but nulls is left of the list. */
  done(): boolean {
    while (this.#left > 0 && this.at < this.border && this.bytes[this.at] === 0x40) {
      this.#left--;
      this.at++;
    }
    return this.#left === 0 && this.at === this.border;
  }

  /** The format code of the next field; null, which stands for an absent one, at the end of the list. */
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
      case 0x70: {
        const { bytes, at } = this;
        this.at = at + 4;
        return (
          (((bytes[at] ?? 0) << 24) |
            ((bytes[at + 1] ?? 0) << 16) |
            ((bytes[at + 2] ?? 0) << 8) |
            (bytes[at + 3] ?? 0)) >>>
          0
        );
      }
      default:
        return -1;
    }
  }
}

const cursor = new Cursor();

/** The transfer of a whole message in one frame, unsettled or settled, in no transaction: read in place, again and again. */
export class SingleFrameTransfer {
  handle = 0;
  deliveryId = 0;
  messageFormat = 0;
  settled = false;
  /** Where the delivery tag lies. */
  tagAt = 0;
  tagEnd = 0;
  payloadAt = 0;

  /** Reads the frame; false when it is not of this kind, or wrong. */
  read(frame: FrameReader): boolean {
    if (!cursor.enter(frame)) return false;
    this.handle = cursor.uint();
    this.deliveryId = cursor.uint();
    if (cursor.code() !== 0xa0) return false;
    this.tagAt = cursor.at + 1;
    this.tagEnd = this.tagAt + (cursor.bytes[cursor.at] ?? 0);
    cursor.at = this.tagEnd;
    // Without a format the message is of format 0.
    const formatAt = cursor.at;
    this.messageFormat = cursor.uint();
    if (this.messageFormat === -1) {
      if (formatAt < cursor.border && cursor.bytes[formatAt] !== 0x40) return false;
      this.messageFormat = 0;
    }
    const settled = cursor.code();
    const more = cursor.code();
    this.settled = settled === 0x41;
    this.payloadAt = cursor.border;
    return (
      this.handle >= 0 &&
      this.deliveryId >= 0 &&
      (settled === 0x41 || settled === 0x42 || settled === 0x40) &&
      (more === 0x42 || more === 0x40) &&
      cursor.done()
    );
  }
}

/** A receiver's disposition that accepts deliveries: read in place, again and again. */
export class SingleFrameDisposition {
  first = 0;
  last = 0;
  settled = false;

  /** Reads the frame; false when it is not of this kind, or wrong. */
  read(frame: FrameReader): boolean {
    if (!cursor.enter(frame) || cursor.code() !== 0x41) return false;
    this.first = cursor.uint();
    const lastAt = cursor.at;
    this.last = cursor.uint();
    if (this.last === -1) {
      if (cursor.bytes[lastAt] !== 0x40) return false;
      this.last = this.first;
    }
    const settled = cursor.code();
    this.settled = settled === 0x41;
    if (this.first < 0 || (settled !== 0x41 && settled !== 0x42 && settled !== 0x40)) return false;
    // The state accepted, as a list without fields.
    if (cursor.code() !== 0x00) return false;
    const { bytes, at } = cursor;
    const isAccepted = bytes[at] === 0x53 && bytes[at + 1] === 0x24 && bytes[at + 2] === 0x45;
    cursor.at = at + 3;
    return isAccepted && cursor.done() && cursor.border === cursor.end;
  }
}
