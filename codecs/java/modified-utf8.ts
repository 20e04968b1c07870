/** The offset of the first byte that is no modified UTF-8. */
export interface TextFault {
  readonly at: number;
}

const chunk = 4096;

/** Texts that came last: short ones are names mostly, and come again. */
const kept: (string | undefined)[] = Array.from({ length: 512 });
const longestKept = 12;

/** Short ASCII text; a call of the decoder would take longer than the text itself. */
function keptText(bytes: Buffer, start: number, end: number): string {
  if (start === end) return "";
  const ends = (bytes[start] ?? 0) * 31 + (bytes[end - 1] ?? 0) * 7;
  const slot = (ends + (bytes[(start + end) >> 1] ?? 0) + (end - start) * 61) & 0x1ff;
  const known = kept[slot];
  if (known !== undefined && isSame(known, bytes, start, end)) return known;
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0);
  kept[slot] = text;
  return text;
}

function isSame(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let at = start; at < end; at++) if (text.charCodeAt(at - start) !== bytes[at]) return false;
  return true;
}

/**
 * Reads modified UTF-8 (Java's `DataInput`): NUL as `C0 80`, each surrogate on its own in three bytes, never four.
 *
 * A bare zero byte is read too, as Java does. Other overlong forms are a fault.
 */
export function decodeModifiedUtf8(bytes: Buffer, start: number, end: number): string | TextFault {
  if (isAscii(bytes, start, end))
    return end - start > longestKept ? bytes.toString("latin1", start, end) : keptText(bytes, start, end);
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

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0x80) >= 0x80) return false;
  return true;
}

function unitAt(bytes: Buffer, at: number, length: number): number | undefined {
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
