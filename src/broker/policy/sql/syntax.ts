/** A value of an expression; `undefined` is unknown: NULL or a missing property. */
export type SqlValue = undefined | boolean | bigint | number | string | Date | Uint8Array;

/** A property name in an expression. */
export interface PropertyName {
  readonly scope: "sys" | "user";
  readonly name: string;
}

/** An expression with a value. */
export type ValueNode =
  | { readonly kind: "constant"; readonly value: SqlValue }
  | { readonly kind: "property"; readonly property: PropertyName }
  | { readonly kind: "propertyByName"; readonly name: ValueNode }
  | { readonly kind: "newid" }
  | { readonly kind: "negate"; readonly operand: ValueNode }
  | { readonly kind: "arithmetic"; readonly operator: Arithmetic; readonly left: ValueNode; readonly right: ValueNode };

/** A condition that is true, false or unknown. */
export type PredicateNode =
  | { readonly kind: "not"; readonly operand: PredicateNode }
  | { readonly kind: "and" | "or"; readonly left: PredicateNode; readonly right: PredicateNode }
  | { readonly kind: "compare"; readonly operator: Comparison; readonly left: ValueNode; readonly right: ValueNode }
  | { readonly kind: "isNull"; readonly operand: ValueNode }
  | { readonly kind: "in"; readonly operand: ValueNode; readonly list: readonly ValueNode[] }
  | {
      readonly kind: "like";
      readonly operand: ValueNode;
      readonly pattern: ValueNode;
      readonly escape: ValueNode | undefined;
    }
  | { readonly kind: "exists"; readonly property: PropertyName }
  | { readonly kind: "truth"; readonly operand: ValueNode };

export type Arithmetic = "+" | "-" | "*" | "/" | "%";
export type Comparison = "=" | "<>" | "<" | "<=" | ">" | ">=";

/** A statement of an action. */
export type Statement =
  | { readonly kind: "set"; readonly property: PropertyName; readonly value: ValueNode }
  | { readonly kind: "remove"; readonly property: PropertyName };
