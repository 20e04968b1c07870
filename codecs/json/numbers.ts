const stride = 16;
const wide = 200;

/**
 * Whether a JSON text may hold an integer of 16 digits or more.
 *
 * Looking at every 16th character is enough to find every run of 16 digits. The neighbours of a run show whether it lies in a
 * string or a fraction, which do not count.
 */
export function mayHoldLongInteger(text: string): boolean {
  for (let at = stride - 1; at < text.length; at += stride) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let begin = at;
    let end = at + 1;
    while (isDigit(text.charCodeAt(begin - 1))) begin--;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end - begin >= stride && isIntegerAmong(text, begin, end)) return true;
    at = end - 1;
  }
  return false;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isIntegerAmong(text: string, begin: number, end: number): boolean {
  // At the ends of the text charAt gives "", which every text includes.
  if (!" \t\n\r:,[-".includes(text.charAt(begin - 1))) return false;
  // With a fraction or exponent after it, only a very long run can exceed a double.
  return end - begin > wide || " \t\n\r,]}".includes(text.charAt(end));
}

/** Matches an integer of more than 4,300 digits, which is also the limit of CPython: longer ones take quadratic time. */
export const tooLong: RegExp = /^-?\d{4301}/;

/**
 * The bigint that an integer of the text stands for when no number holds it exactly, otherwise `value`.
 *
 * Where it is unknown (too many digits; an engine without source text for revivers), `NaN`.
 */
export function exactInteger(value: number, source: string | undefined): bigint | number {
  // Doubles beyond this have no fractions.
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  if (source === undefined) return Number.NaN;
  if (!/^-?\d+$/.test(source)) return value;
  return tooLong.test(source) ? Number.NaN : BigInt(source);
}
