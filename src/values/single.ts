/** The number with the fewest digits that a float of 32 bits stands for: `2.6`, not `2.5999999046325684`. */
export function shortestSingle(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  for (const digits of [7, 8]) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return short;
  }
  return Number(value.toPrecision(9));
}
