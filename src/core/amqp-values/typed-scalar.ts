import type { ByteReader } from "./byte-reader.ts";
import { Typed } from "../values/typed.ts";
import { withNaNBits } from "./nan-bits.ts";

/** The NaN that JavaScript writes, as the upper half of its bits; the lower is 0. */
const quietNaN = 0x7ff80000;

/** The double of 8 big-endian bytes: plain, or typed where a plain number would stand for an integer or lose the bits of a NaN. */
export function doubleOf(bytes: Uint8Array): number | Typed<"double"> {
  const view = viewOf(bytes);
  const value = view.getFloat64(0);
  if (Number.isNaN(value)) {
    const common = view.getInt32(0) === quietNaN && view.getInt32(4) === 0;
    return common ? value : withNaNBits(new Typed("double", value), bytes);
  }
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? new Typed("double", value) : value;
}

/** The float of 4 big-endian bytes. */
export function floatOf(bytes: Uint8Array): Typed<"float"> {
  const value = new Typed("float", viewOf(bytes).getFloat32(0));
  return Number.isNaN(value.value) ? withNaNBits(value, bytes) : value;
}

/** Milliseconds since 1970 as a `Date`, or typed when a `Date` cannot hold them. */
export function timestampOf(milliseconds: bigint): Date | Typed<"timestamp"> {
  const date = new Date(Number(milliseconds));
  return Number.isNaN(date.getTime()) ? new Typed("timestamp", milliseconds) : date;
}

/** {@link timestampOf} of the next 8 bytes. */
export function readTimestamp(reader: ByteReader): Date | Typed<"timestamp"> {
  const { bytes } = reader;
  const at = reader.skip(8);
  const high =
    ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  const low =
    ((bytes[at + 4] ?? 0) << 24) | ((bytes[at + 5] ?? 0) << 16) | ((bytes[at + 6] ?? 0) << 8) | (bytes[at + 7] ?? 0);
  // Beyond 2^53 this is not exact, and too far for a Date in any case.
  const milliseconds = high * 2 ** 32 + (low >>> 0);
  if (milliseconds <= farthest && milliseconds >= -farthest) return new Date(milliseconds);
  return timestampOf((BigInt(high) << 32n) | BigInt(low >>> 0));
}

/** The last millisecond that a `Date` holds. */
const farthest = 8.64e15;

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
