import { Unpackr } from "msgpackr";
import type { DecodeLimits } from "../../src/core/codec/limits.ts";
import { isOrdinary } from "./ordinary.ts";

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true });

// msgpackr hangs a DataView on the array it reads, which must not happen to the payload of an envelope.
const scratch: Uint8Array = new Uint8Array(16 * 1024);
const scratchView = new DataView(scratch.buffer);

/** Reads a payload with msgpackr when that is faithful ({@link isOrdinary}), and returns `undefined` otherwise. */
export function unpackOrdinary(payload: Uint8Array, limits: DecodeLimits): unknown {
  const { length } = payload;
  if (length <= scratch.length) {
    scratch.set(payload);
    return isOrdinary(scratchView, length, limits) ? unpackr.unpack(scratch, length) : undefined;
  }
  const view = new DataView(payload.buffer, payload.byteOffset, length);
  if (!isOrdinary(view, length, limits)) return undefined;
  return unpackr.unpack(new Uint8Array(payload.buffer, payload.byteOffset, length));
}
