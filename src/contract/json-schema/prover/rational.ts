/** A number of JSON as an exact fraction; the denominator is positive and shares no factor with the numerator. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The exact value of the shortest decimal form of `value`, which is what a schema's author wrote. */
export function rational(value: number): Rational {
  const known = cache.get(value);
  if (known !== undefined) return known;
  const [digits = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = digits.split(".");
  const shift = Number(exponent) - fraction.length;
  const unscaled = BigInt(whole + fraction);
  const made = shift >= 0 ? reduced(unscaled * 10n ** BigInt(shift), 1n) : reduced(unscaled, 10n ** BigInt(-shift));
  if (cache.size > 1024) cache.clear();
  cache.set(value, made);
  return made;
}

const cache = new Map<number, Rational>();

/** -1, 0 or 1 if `a` is less than, equal to or greater than `b`. */
export function compareRational(a: Rational, b: Rational): number {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether `value` is `factor` times an integer; nothing is a multiple of zero but zero. */
export function isMultiple(value: Rational, factor: Rational): boolean {
  if (factor.numerator === 0n) return value.numerator === 0n;
  return (value.numerator * factor.denominator) % (value.denominator * factor.numerator) === 0n;
}

/** The least positive number that is a multiple of both. */
export function commonMultiple(a: Rational, b: Rational): Rational {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  return reduced((left / divisor(left, right)) * right, a.denominator * b.denominator);
}

/** `factor` times `count`. */
export function times(factor: Rational, count: bigint): Rational {
  return reduced(factor.numerator * count, factor.denominator);
}

/** The product of two. */
export function product(a: Rational, b: Rational): Rational {
  return reduced(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** The sum of two. */
export function plus(a: Rational, b: Rational): Rational {
  return reduced(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

/** The greatest integer `n` such that `factor` times `n` is not above `value`. */
export function floorQuotient(value: Rational, factor: Rational): bigint {
  const top = value.numerator * factor.denominator;
  const bottom = value.denominator * factor.numerator;
  const quotient = top / bottom;
  return top % bottom !== 0n && top < 0n ? quotient - 1n : quotient;
}

/** The nearest number of JavaScript. */
export function toNumber({ numerator, denominator }: Rational): number {
  const direct = Number(numerator) / Number(denominator);
  if (Number.isFinite(direct)) return direct;
  return Number(numerator / denominator);
}

/** The key of equal fractions. */
export function rationalKey({ numerator, denominator }: Rational): string {
  return `${numerator}/${denominator}`;
}

function reduced(numerator: bigint, denominator: bigint): Rational {
  const common = divisor(numerator, denominator) || 1n;
  return { numerator: numerator / common, denominator: denominator / common };
}

function divisor(a: bigint, b: bigint): bigint {
  let [left, right] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (right !== 0n) [left, right] = [right, left % right];
  return left;
}
