import type { Envelope } from "../../../envelope/envelope.ts";
import { isLike, type LikePattern, readPattern } from "./like.ts";
import { isPresent, valueOfProperty } from "./properties.ts";
import type { PredicateNode, SqlValue, ValueNode } from "./syntax.ts";
import { calculate, compare, evaluationError } from "./values.ts";

/** The value of an expression for a message. @throws SobreError when it cannot be evaluated. */
export type Evaluate = (envelope: Envelope) => SqlValue;

/** Whether a condition holds for a message; `undefined` is unknown. @throws SobreError when it cannot be evaluated. */
export type Test = (envelope: Envelope) => boolean | undefined;

/** Turns a value node into a function, once. */
export function compileValue(node: ValueNode): Evaluate {
  switch (node.kind) {
    case "constant":
      return () => node.value;
    case "property":
      return (envelope) => valueOfProperty(envelope, node.property);
    case "propertyByName": {
      const name = compileValue(node.name);
      return (envelope) => {
        const text = name(envelope);
        return typeof text === "string" ? valueOfProperty(envelope, nameOf(text)) : undefined;
      };
    }
    case "newid":
      return () => crypto.randomUUID();
    case "negate": {
      const operand = compileValue(node.operand);
      return (envelope) => negate(operand(envelope));
    }
    case "arithmetic": {
      const [left, right] = [compileValue(node.left), compileValue(node.right)];
      return (envelope) => calculate(node.operator, left(envelope), right(envelope));
    }
    default:
      return node satisfies never;
  }
}

/** Turns a condition into a function, once. */
export function compilePredicate(node: PredicateNode): Test {
  switch (node.kind) {
    case "not": {
      const operand = compilePredicate(node.operand);
      return (envelope) => {
        const truth = operand(envelope);
        return truth === undefined ? undefined : !truth;
      };
    }
    case "and":
    case "or":
      return compileConnective(node.kind, compilePredicate(node.left), compilePredicate(node.right));
    case "compare": {
      const [left, right] = [compileValue(node.left), compileValue(node.right)];
      return (envelope) => compare(node.operator, left(envelope), right(envelope));
    }
    case "isNull": {
      const operand = compileValue(node.operand);
      return (envelope) => operand(envelope) === undefined;
    }
    case "in":
      return compileIn(compileValue(node.operand), node.list.map(compileValue));
    case "like":
      return compileLike(node);
    case "exists":
      return (envelope) => isPresent(envelope, node.property);
    case "truth": {
      const operand = compileValue(node.operand);
      return (envelope) => {
        const value = operand(envelope);
        return typeof value === "boolean" ? value : undefined;
      };
    }
    default:
      return node satisfies never;
  }
}

/** `false AND unknown` is false and `true OR unknown` is true; else one unknown makes the whole unknown. */
function compileConnective(kind: "and" | "or", left: Test, right: Test): Test {
  const deciding = kind === "or";
  return (envelope) => {
    const first = left(envelope);
    if (first === deciding) return deciding;
    const second = right(envelope);
    if (second === deciding) return deciding;
    return first === undefined || second === undefined ? undefined : !deciding;
  };
}

function compileIn(operand: Evaluate, list: readonly Evaluate[]): Test {
  return (envelope) => {
    const value = operand(envelope);
    let unknown = false;
    for (const candidate of list) {
      const equal = compare("=", value, candidate(envelope));
      if (equal === true) return true;
      if (equal === undefined) unknown = true;
    }
    return unknown ? undefined : false;
  };
}

function compileLike({ operand, pattern, escape }: Extract<PredicateNode, { kind: "like" }>): Test {
  const text = compileValue(operand);
  const constant = pattern.kind === "constant" && (escape === undefined || escape.kind === "constant");
  const [patternOf, escapeOf] = [compileValue(pattern), escape === undefined ? undefined : compileValue(escape)];
  let known: LikePattern | undefined;
  const read = (envelope: Envelope): LikePattern | undefined => {
    const [form, sign] = [patternOf(envelope), escapeOf?.(envelope)];
    if (typeof form !== "string") return undefined;
    if (escapeOf !== undefined && typeof sign !== "string") return undefined;
    const pieces = readPattern(form, typeof sign === "string" ? sign : undefined);
    if (pieces === undefined) throw evaluationError("A LIKE pattern or its escape character is malformed: it was read");
    if (constant) known = pieces;
    return pieces;
  };
  return (envelope) => {
    const value = text(envelope);
    if (typeof value !== "string") return undefined;
    const pieces = known ?? read(envelope);
    return pieces === undefined ? undefined : isLike(value, pieces);
  };
}

function negate(value: SqlValue): SqlValue {
  if (typeof value === "bigint") return BigInt.asIntN(64, -value);
  if (typeof value === "number") return -value;
  if (value === undefined) return undefined;
  throw evaluationError('"-" was applied to a value that is not a number');
}

function nameOf(text: string): { readonly scope: "sys" | "user"; readonly name: string } {
  const [, scope, name] = /^(sys|user)\.(.+)$/i.exec(text) ?? [];
  if (scope === undefined || name === undefined) return { scope: "user", name: text };
  return { scope: scope.toLowerCase() === "sys" ? "sys" : "user", name };
}
