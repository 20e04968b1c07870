import { TextCache, utf8Text } from "../../src/core/codec/binary/text.ts";

/** The offset of the first byte that is not modified UTF-8. */
export interface TextFault {
  readonly at: number;
}

const chunk = 4096;

/** Short texts are mostly names, which repeat. */
const names = new TextCache(12);

/**
 * Reads modified UTF-8 (Java's `DataInput`): NUL as `C0 80`, each surrogate separately in three bytes, never four.
 *
 * A bare zero byte is accepted too, as in Java. Other overlong forms are a fault.
 */
export function decodeModifiedUtf8(bytes: Uint8Array, start: number, end: number): string | TextFault {
  if (isAscii(bytes, start, end)) return names.read(bytes, start, end, utf8Text);
  let text = "";
  const units: number[] = [];
  for (let at = start; at < end;) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first >= 0xc0 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 0;
    if (length === 0 || at + length > end) return { at };
    const unit = unitAt(bytes, at, length);
    if (unit === undefined) return { at };
    units.push(unit);
    at += length;
    if (units.length === chunk) text += String.fromCharCode(...units.splice(0));
  }
  return text + String.fromCharCode(...units);
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0x80) >= 0x80) return false;
  return true;
}

function unitAt(bytes: Uint8Array, at: number, length: number): number | undefined {
  const first = bytes[at] ?? 0;
  if (length === 1) return first;
  const second = bytes[at + 1] ?? 0;
  if ((second & 0xc0) !== 0x80) return undefined;
  if (length === 2) {
    const unit = ((first & 0x1f) << 6) | (second & 0x3f);
    return unit >= 0x80 || unit === 0 ? unit : undefined;
  }
  const third = bytes[at + 2] ?? 0;
  const unit = ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
  return (third & 0xc0) === 0x80 && unit >= 0x800 ? unit : undefined;
}
