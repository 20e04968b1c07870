import type { Rational } from "./rational.ts";

/** The types of JSON values. */
export type TypeName = "null" | "boolean" | "number" | "string" | "array" | "object";

/** Every type. */
export const typeNames: readonly TypeName[] = ["null", "boolean", "number", "string", "array", "object"];

/**
 * A statement about one JSON value.
 *
 * Literals about one type hold for values of every other type, as the keywords of JSON Schema do; their negations therefore
 * name the type. `values`, `reference` and `opaque` apply to values of any type.
 */
export type FormulaShape =
  | { readonly kind: "all"; readonly of: readonly Formula[] }
  | { readonly kind: "any"; readonly of: readonly Formula[] }
  | { readonly kind: "types"; readonly types: readonly TypeName[] }
  | { readonly kind: "values"; readonly values: readonly unknown[]; readonly negated: boolean }
  | { readonly kind: "lower"; readonly limit: Rational; readonly exclusive: boolean }
  | { readonly kind: "upper"; readonly limit: Rational; readonly exclusive: boolean }
  | { readonly kind: "multiple"; readonly factor: Rational; readonly negated: boolean }
  | { readonly kind: "size"; readonly type: SizedType; readonly min: number; readonly max: number }
  | { readonly kind: "pattern"; readonly source: string; readonly negated: boolean }
  | { readonly kind: "format"; readonly name: string; readonly negated: boolean }
  | { readonly kind: "everyProperty"; readonly names: Formula; readonly of: Formula }
  | { readonly kind: "someProperty"; readonly names: Formula; readonly of: Formula }
  | { readonly kind: "everyItem"; readonly from: number; readonly to: number; readonly of: Formula }
  | { readonly kind: "someItem"; readonly from: number; readonly to: number; readonly of: Formula }
  | { readonly kind: "containsLeast"; readonly count: number; readonly of: Formula }
  | { readonly kind: "containsMost"; readonly count: number; readonly of: Formula }
  | { readonly kind: "unique"; readonly negated: boolean }
  | { readonly kind: "reference"; readonly target: string; readonly negated: boolean }
  | { readonly kind: "opaque"; readonly what: string; readonly negated: boolean };

/** The types that have a size, counted in code points, items or members. */
export type SizedType = "string" | "array" | "object";

/** A formula; equal ones of one {@link FormulaPool} are one object with one id. */
export type Formula = FormulaShape & { readonly id: number };

/** The formula of one kind. */
export type FormulaOf<Kind extends FormulaShape["kind"]> = Extract<Formula, { readonly kind: Kind }>;

/** The type that a literal is about; `undefined` if it applies to values of any type. */
export function typeOfLiteral(formula: Formula): TypeName | undefined {
  switch (formula.kind) {
    case "lower":
    case "upper":
    case "multiple":
      return "number";
    case "pattern":
    case "format":
      return "string";
    case "size":
      return formula.type;
    case "everyProperty":
    case "someProperty":
      return "object";
    case "everyItem":
    case "someItem":
    case "containsLeast":
    case "containsMost":
    case "unique":
      return "array";
    default:
      return undefined;
  }
}

/** The type of a JSON value. */
export function typeOfValue(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const name = typeof value;
  if (name === "boolean" || name === "number" || name === "string") return name;
  return "object";
}

/** The only name that a formula allows, if there is just one. */
export function onlyName(names: Formula): string | undefined {
  if (names.kind !== "values" || names.negated || names.values.length !== 1) return undefined;
  const [name] = names.values;
  return typeof name === "string" ? name : undefined;
}
