import type { Formula } from "./formula.ts";
import {
  commonMultiple,
  compareRational,
  floorQuotient,
  isMultiple,
  plus,
  product,
  type Rational,
  rational,
  times,
  toNumber,
} from "./rational.ts";

/** The numbers that satisfy literals: `none`, or candidates, which are all there are if `finite`. */
export type NumberCandidates = "none" | { readonly candidates: readonly number[]; readonly finite: boolean };

const maxCandidates = 2000;

/** Finds numbers for the literals about numbers among `members`. */
export function numbersFor(members: readonly Formula[]): NumberCandidates {
  const found = exactlyFor(members);
  if (found === "none") return found;
  const { candidates, finite } = found;
  return { candidates: candidates.filter(Number.isFinite), finite };
}

function exactlyFor(members: readonly Formula[]): NumberCandidates {
  const range = rangeOf(members);
  const { low, high, factor, excluded } = range;
  if (low !== undefined && high !== undefined) {
    const order = compareRational(low.limit, high.limit);
    if (order > 0 || (order === 0 && (low.exclusive || high.exclusive))) return "none";
    if (order === 0) return completeCandidates([low.limit], range);
  }
  if (factor === undefined) return { candidates: spread(low?.limit, high?.limit), finite: false };
  if (excluded.some((other) => dividesAlike(other) && isMultiple(factor, other))) return "none";
  return multiples(range, factor);
}

interface Bound {
  readonly limit: Rational;
  readonly exclusive: boolean;
}

interface Range {
  readonly low: Bound | undefined;
  readonly high: Bound | undefined;
  readonly factor: Rational | undefined;
  /** Factors of which the number must not be a multiple. */
  readonly excluded: readonly Rational[];
}

function rangeOf(members: readonly Formula[]): Range {
  let low: Bound | undefined;
  let high: Bound | undefined;
  let factor: Rational | undefined;
  const excluded: Rational[] = [];
  for (const member of members) {
    if (member.kind === "lower") low = tighter(low, member, 1);
    else if (member.kind === "upper") high = tighter(high, member, -1);
    else if (member.kind !== "multiple") continue;
    else if (member.negated) excluded.push(member.factor);
    else factor = factor === undefined ? member.factor : commonMultiple(factor, member.factor);
  }
  return { low, high, factor, excluded };
}

function tighter(old: Bound | undefined, next: Bound, sign: number): Bound {
  if (old === undefined) return next;
  const order = compareRational(next.limit, old.limit) * sign;
  return order > 0 || (order === 0 && next.exclusive) ? next : old;
}

function multiples(range: Range, factor: Rational): NumberCandidates {
  const { low, high } = range;
  const first = low === undefined ? undefined : -floorQuotient(negative(low.limit), factor);
  const last = high === undefined ? undefined : floorQuotient(high.limit, factor);
  if (first !== undefined && last !== undefined && last - first < BigInt(maxCandidates)) {
    const found: Rational[] = [];
    for (let count = first; count <= last; count++) found.push(times(factor, count));
    return completeCandidates(found, range);
  }
  const start = first ?? last ?? 0n;
  const step = first === undefined && last !== undefined ? -1n : 1n;
  const near = first !== undefined && first < 0n && (last ?? 1n) > 0n ? 0n : start;
  const candidates = Array.from({ length: 60 }, (_, at) => toNumber(times(factor, near + step * BigInt(at))));
  return { candidates, finite: false };
}

function negative({ numerator, denominator }: Rational): Rational {
  return { numerator: -numerator, denominator };
}

function completeCandidates(found: readonly Rational[], { low, high, factor, excluded }: Range): NumberCandidates {
  const left = found.filter(
    (value) =>
      (low === undefined || compareRational(value, low.limit) >= (low.exclusive ? 1 : 0)) &&
      (high === undefined || compareRational(value, high.limit) <= (high.exclusive ? -1 : 0)) &&
      (factor === undefined || isMultiple(value, factor)) &&
      !excluded.some((other) => dividesAlike(other) && isMultiple(value, other)),
  );
  if (left.length === 0) return "none";
  // A number that is not a double may still be read exactly outside JavaScript.
  return { candidates: left.map(toNumber), finite: left.every(isDouble) };
}

function isDouble(value: Rational): boolean {
  const nearest = toNumber(value);
  return Number.isFinite(nearest) && compareRational(rational(nearest), value) === 0;
}

/** Whether floating-point division, which validators use, finds the same multiples: by it 1.01 is not a multiple of 0.001. */
function dividesAlike({ denominator }: Rational): boolean {
  return (denominator & (denominator - 1n)) === 0n;
}

/** Numbers between two limits, simple ones first. */
function spread(low: Rational | undefined, high: Rational | undefined): readonly number[] {
  const half = rational(0.5);
  const middle = low !== undefined && high !== undefined ? [product(plus(low, high), half)] : [];
  const near = [low, high].flatMap((limit) =>
    limit === undefined
      ? []
      : [0, 1, -1, 0.5, -0.5, 0.1, -0.1, 0.001, -0.001, 7.3, -7.3].map((by) => plus(limit, rational(by))),
  );
  const between = low !== undefined && high !== undefined ? fractions(low, high) : [];
  return [
    0,
    1,
    -1,
    0.5,
    1.1,
    7.3,
    -0.5,
    ...[...near, ...middle, ...between].map(toNumber),
    1e9 + 0.5,
    -1e9 - 0.5,
    1e18,
    2,
    3,
    5,
    7,
    11,
    13,
  ];
}

function fractions(low: Rational, high: Rational): Rational[] {
  const width = plus(high, negative(low));
  return [0.25, 0.3, 0.7, 0.123, 0.999, 0.001].map((part) => plus(low, product(width, rational(part))));
}
