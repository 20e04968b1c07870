/** The number with the fewest digits that a float of 32 bits stands for: `2.6`, not `2.5999999046325684`. */
export function shortestSingle(value: number): number {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) < 2 ** 24)) return value;
  for (const digits of [7, 8]) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return short;
  }
  return Number(value.toPrecision(9));
}

/** Whether the digits of a number are those that a double is written with: the fewest that denote it, or 17. Any others are a decimal's. */
export function isDouble(text: string): boolean {
  const number = Number(text);
  const digits = digitsOf(text);
  return digits.length < 16 || digits === digitsOf(String(number)) || digits === digitsOf(number.toPrecision(17));
}

function digitsOf(number: string): string {
  return number
    .replace(/e.*$/i, "")
    .replaceAll(/[-+.]/g, "")
    .replaceAll(/^0+|0+$/g, "");
}
