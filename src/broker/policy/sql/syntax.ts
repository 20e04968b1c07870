import type { ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";

/** A value of an expression; `undefined` is unknown: NULL or a missing property. */
export type SqlValue = undefined | boolean | bigint | number | string | Date | Uint8Array;

/** A property name in an expression. */
export interface PropertyName {
  readonly scope: "sys" | "user";
  readonly name: string;
}

/** An expression with a value. */
export type SqlValueNode =
  /** `given` is a parameter's value as it was given. */
  | { readonly kind: "constant"; readonly value: SqlValue; readonly given?: ApplicationPropertyValue | undefined }
  | { readonly kind: "property"; readonly property: PropertyName }
  | { readonly kind: "propertyByName"; readonly name: SqlValueNode }
  | { readonly kind: "newid" }
  | { readonly kind: "negate"; readonly operand: SqlValueNode }
  | {
      readonly kind: "arithmetic";
      readonly operator: Arithmetic;
      readonly left: SqlValueNode;
      readonly right: SqlValueNode;
    };

/** A condition that is true, false or unknown. */
export type PredicateNode =
  | { readonly kind: "not"; readonly operand: PredicateNode }
  | { readonly kind: "and" | "or"; readonly left: PredicateNode; readonly right: PredicateNode }
  | {
      readonly kind: "compare";
      readonly operator: ComparisonOperator;
      readonly left: SqlValueNode;
      readonly right: SqlValueNode;
    }
  | { readonly kind: "isNull"; readonly operand: SqlValueNode }
  | { readonly kind: "in"; readonly operand: SqlValueNode; readonly list: readonly SqlValueNode[] }
  | {
      readonly kind: "like";
      readonly operand: SqlValueNode;
      readonly pattern: SqlValueNode;
      readonly escape: SqlValueNode | undefined;
    }
  | { readonly kind: "exists"; readonly property: PropertyName }
  | { readonly kind: "truth"; readonly operand: SqlValueNode };

export type Arithmetic = "+" | "-" | "*" | "/" | "%";
export type ComparisonOperator = "=" | "<>" | "<" | "<=" | ">" | ">=";

/** A statement of an action. */
export type Statement =
  | { readonly kind: "set"; readonly property: PropertyName; readonly value: SqlValueNode }
  | { readonly kind: "remove"; readonly property: PropertyName };
