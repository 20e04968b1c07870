import { noWidth, widths } from "./format-code.ts";

/** Returned by {@link valueEnd} when the value does not end within the bytes. */
export const cutOff = -1;
/** Returned by {@link valueEnd} for a format code that AMQP 1.0 does not define. */
const unknownCode = -2;

/** Where the value at `at` ends by its own size, which is believed only within the bytes. */
export function valueEnd(bytes: Uint8Array, at: number): number {
  const end = bytes.byteLength;
  let here = at;
  // A descriptor is followed by itself and the value described.
  for (let open = 1; open > 0; open--) {
    if (here >= end) return cutOff;
    const code = bytes[here] ?? 0;
    if (code === 0x00) {
      open += 2;
      here++;
      continue;
    }
    const width = widths[code] ?? noWidth;
    if (width === noWidth) return unknownCode;
    here += width >= 0 ? 1 + width : 1 - width + sizeAt(bytes, here + 1, width);
  }
  return here > end ? cutOff : here;
}

function sizeAt(bytes: Uint8Array, at: number, width: number): number {
  const first = bytes[at] ?? 0;
  if (width === -1) return first;
  return first * 2 ** 24 + (((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0));
}
