import type { Formula } from "./formula.ts";
import type { FormulaPool } from "./formula-pool.ts";

const maxVariations = 300;

/**
 * Formulas that distinguish the values that the given ones distinguish: each alternative, type, listed value and bound, and
 * each member present and absent, at every depth.
 */
export function variations(pool: FormulaPool, formulas: readonly Formula[]): readonly Formula[] {
  const found = new Map<number, Formula>();
  const open = new Set<number>();
  const visit = (formula: Formula, wrap: (inner: Formula) => Formula, depth: number): void => {
    if (found.size >= maxVariations || depth > 6) return;
    const add = (...made: readonly Formula[]): void => {
      for (const one of made) {
        const wrapped = wrap(one);
        if (found.size < maxVariations) found.set(wrapped.id, wrapped);
      }
    };
    switch (formula.kind) {
      case "all":
      case "any":
        for (const part of formula.of) {
          if (formula.kind === "any") add(part);
          visit(part, wrap, depth);
        }
        return;
      case "types":
        return add(...formula.types.map((type) => pool.types([type])));
      case "values":
        return add(...formula.values.slice(0, 20).map((value) => pool.values([value])));
      case "lower":
      case "upper": {
        const { limit } = formula;
        const at = pool.all([pool.types(["number"]), pool.lower(limit, false), pool.upper(limit, false)]);
        return add(formula, pool.not(formula), at);
      }
      case "multiple":
        return add(formula, pool.not(formula));
      case "size":
        return add(
          ...[formula.min, formula.min + 1, formula.max].flatMap((size) =>
            size === Infinity || size > 200
              ? []
              : [pool.all([pool.types([formula.type]), pool.size(formula.type, size, size)])],
          ),
        );
      case "pattern":
      case "format":
        return add(pool.all([pool.types(["string"]), formula]), pool.not(formula));
      case "everyProperty":
      case "someProperty": {
        add(pool.all([pool.types(["object"]), pool.someProperty(formula.names, pool.always)]));
        add(pool.all([pool.types(["object"]), pool.everyProperty(formula.names, pool.never)]));
        const inside = (inner: Formula): Formula =>
          wrap(pool.all([pool.types(["object"]), pool.someProperty(formula.names, inner)]));
        return visit(formula.of, inside, depth + 1);
      }
      case "everyItem":
      case "someItem": {
        const inside = (inner: Formula): Formula =>
          wrap(pool.all([pool.types(["array"]), pool.someItem(formula.from, formula.to, inner)]));
        add(pool.all([pool.types(["array"]), pool.size("array", formula.from + 1, Infinity)]));
        return visit(formula.of, inside, depth + 1);
      }
      case "reference": {
        if (open.has(formula.id)) return;
        open.add(formula.id);
        return visit(pool.unfold(formula), wrap, depth + 1);
      }
      case "containsLeast":
      case "containsMost":
      case "unique":
      case "opaque":
        return add(formula);
    }
  };
  for (const formula of formulas) visit(formula, (inner) => inner, 0);
  return Array.from(found.values());
}
