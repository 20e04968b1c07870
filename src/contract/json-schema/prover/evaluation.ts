import { matcherOf } from "../pattern-matcher.ts";
import { type Formula, type FormulaOf, onlyName, typeOfLiteral, typeOfValue } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";
import type { FormatTests } from "../formats.ts";
import { canonicalJson, isObject } from "../json-value.ts";
import { compareRational, isMultiple, rational, toNumber } from "./rational.ts";

/** The truth of a formula; `undefined` if it is unknown: an opaque keyword, a pattern that ran out of time, or a spent budget. */
export type Truth = boolean | undefined;

/** Decides whether a value satisfies a formula. */
export class FormulaEvaluation {
  readonly #pool: FormulaPool;
  /** The meaning of formats. */
  readonly formats: FormatTests;
  readonly #keys = new Map<number, ReadonlySet<string>>();
  #steps = 0;

  constructor(pool: FormulaPool, formats: FormatTests) {
    this.#pool = pool;
    this.formats = formats;
  }

  truth(formula: Formula, value: unknown): Truth {
    this.#steps = 0;
    return this.#visit(formula, value, 0);
  }

  #visit(formula: Formula, value: unknown, depth: number): Truth {
    if (++this.#steps > maxSteps || depth > maxDepth || !this.#pool.meter.take()) return undefined;
    const type = typeOfLiteral(formula);
    if (type !== undefined && type !== typeOfValue(value)) return true;
    switch (formula.kind) {
      case "all":
        return every(formula.of, (part) => this.#visit(part, value, depth));
      case "any":
        return some(formula.of, (part) => this.#visit(part, value, depth));
      case "types":
        return formula.types.includes(typeOfValue(value));
      case "values":
        return this.#keysOf(formula).has(canonicalJson(value)) !== formula.negated;
      case "reference":
        return this.#visit(this.#pool.unfold(formula), value, depth + 1);
      case "opaque":
        return undefined;
      default:
        break;
    }
    if (typeof value === "number") return numberTruth(formula, value);
    if (typeof value === "string") return this.#stringTruth(formula, value);
    if (Array.isArray(value)) return this.#arrayTruth(formula, value, depth);
    return isObject(value) ? this.#objectTruth(formula, value, depth) : undefined;
  }

  #keysOf(formula: FormulaOf<"values">): ReadonlySet<string> {
    const known = this.#keys.get(formula.id) ?? new Set(formula.values.map(canonicalJson));
    this.#keys.set(formula.id, known);
    return known;
  }

  #stringTruth(formula: Formula, value: string): Truth {
    switch (formula.kind) {
      case "size":
        return within(codePoints(value), formula);
      case "pattern":
        return negatedIf(matcherOf(formula.source).test(value), formula.negated);
      case "format":
        return negatedIf(this.formats.test(formula.name, value), formula.negated);
      default:
        return undefined;
    }
  }

  #arrayTruth(formula: Formula, items: readonly unknown[], depth: number): Truth {
    switch (formula.kind) {
      case "size":
        return within(items.length, formula);
      case "everyItem":
        return every(items.slice(formula.from, formula.to), (item) => this.#visit(formula.of, item, depth + 1));
      case "someItem":
        return some(items.slice(formula.from, formula.to), (item) => this.#visit(formula.of, item, depth + 1));
      case "containsLeast":
      case "containsMost": {
        const truths = items.map((item) => this.#visit(formula.of, item, depth + 1));
        const sure = truths.filter((truth) => truth === true).length;
        const possible = truths.filter((truth) => truth !== false).length;
        if (formula.kind === "containsLeast")
          return sure >= formula.count ? true : possible >= formula.count ? undefined : false;
        return possible <= formula.count ? true : sure > formula.count ? false : undefined;
      }
      case "unique":
        return (new Set(items.map(canonicalJson)).size === items.length) !== formula.negated;
      default:
        return undefined;
    }
  }

  #objectTruth(formula: Formula, members: Readonly<Record<string, unknown>>, depth: number): Truth {
    switch (formula.kind) {
      case "size":
        return within(Object.keys(members).length, formula);
      case "everyProperty":
      case "someProperty":
        return this.#memberTruth(formula, members, depth);
      default:
        return undefined;
    }
  }

  #memberTruth(
    formula: FormulaOf<"everyProperty"> | FormulaOf<"someProperty">,
    members: Readonly<Record<string, unknown>>,
    depth: number,
  ): Truth {
    const name = onlyName(formula.names);
    if (name !== undefined && !Object.hasOwn(members, name)) return formula.kind === "everyProperty";
    if (name !== undefined) return this.#visit(formula.of, members[name], depth + 1);
    return formula.kind === "everyProperty"
      ? every(Object.entries(members), ([key, member]) =>
          either(negatedIf(this.#visit(formula.names, key, depth + 1), true), () =>
            this.#visit(formula.of, member, depth + 1),
          ),
        )
      : some(Object.entries(members), ([key, member]) =>
          bothTrue(this.#visit(formula.names, key, depth + 1), () => this.#visit(formula.of, member, depth + 1)),
        );
  }
}

const maxSteps = 200_000;
const maxDepth = 400;

function numberTruth(formula: Formula, value: number): Truth {
  const exact = rational(value);
  switch (formula.kind) {
    case "lower": {
      const order = compareRational(exact, formula.limit);
      return formula.exclusive ? order > 0 : order >= 0;
    }
    case "upper": {
      const order = compareRational(exact, formula.limit);
      return formula.exclusive ? order < 0 : order <= 0;
    }
    case "multiple":
      return multipleTruth(value, formula);
    default:
      return undefined;
  }
}

/** The exact result, unless floating-point division, which validators use, gives another one. */
function multipleTruth(value: number, { factor, negated }: FormulaOf<"multiple">): Truth {
  const exactly = isMultiple(rational(value), factor);
  const quotient = value / toNumber(factor);
  const roughly = toNumber(factor) === 1 ? Number.isInteger(value) : Number.parseInt(String(quotient), 10) === quotient;
  return exactly === roughly ? exactly !== negated : undefined;
}

/** Length as JSON Schema counts it. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function within(size: number, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return size >= min && size <= max;
}

function negatedIf(truth: Truth, negated: boolean): Truth {
  return truth === undefined ? undefined : truth !== negated;
}

function either(left: Truth, right: () => Truth): Truth {
  if (left === true) return true;
  const other = right();
  return other === true ? true : left === undefined ? undefined : other;
}

function bothTrue(left: Truth, right: () => Truth): Truth {
  if (left === false) return false;
  const other = right();
  return other === false ? false : left === undefined ? undefined : other;
}

function every<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  let result: Truth = true;
  for (const item of items) {
    const truth = test(item);
    if (truth === false) return false;
    if (truth === undefined) result = undefined;
  }
  return result;
}

function some<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  let result: Truth = false;
  for (const item of items) {
    const truth = test(item);
    if (truth === true) return true;
    if (truth === undefined) result = undefined;
  }
  return result;
}
