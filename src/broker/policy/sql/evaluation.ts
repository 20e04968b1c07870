import { type RuleSubject, worth } from "./effort.ts";
import { isLike, type LikePattern, readPattern, stepsToRead } from "./like.ts";
import { isPresent, valueOfProperty } from "./properties.ts";
import type { PredicateNode, PropertyName, SqlValue, SqlValueNode } from "./syntax.ts";
import { calculate, compare, evaluationError } from "./values.ts";

/** The value of an expression for a message. @throws SobreError when it cannot be evaluated. */
export type Evaluate = (subject: RuleSubject) => SqlValue;

/** Whether a condition holds for a message; `undefined` is unknown. @throws SobreError when it cannot be evaluated. */
export type Test = (subject: RuleSubject) => boolean | undefined;

/** Compiles a value node into a function. */
export function compileValue(node: SqlValueNode): Evaluate {
  switch (node.kind) {
    case "constant":
      return () => node.value;
    case "property":
      return (subject) => valueOfProperty(subject, node.property);
    case "propertyByName": {
      const nameIn = calculatedName(node.name);
      return (subject) => {
        const name = nameIn(subject);
        return name === undefined ? undefined : valueOfProperty(subject, name);
      };
    }
    case "newid":
      return () => crypto.randomUUID();
    case "negate": {
      const operand = compileValue(node.operand);
      return (subject) => negate(operand(subject));
    }
    case "arithmetic": {
      const [left, right] = [compileValue(node.left), compileValue(node.right)];
      return (subject) => {
        const [first, second] = [left(subject), right(subject)];
        subject.effort.spend(worth(first) + worth(second));
        return calculate(node.operator, first, second);
      };
    }
    default:
      return node satisfies never;
  }
}

/** Compiles a condition into a function. */
export function compilePredicate(node: PredicateNode): Test {
  switch (node.kind) {
    case "not": {
      const operand = compilePredicate(node.operand);
      return (subject) => {
        const truth = operand(subject);
        return truth === undefined ? undefined : !truth;
      };
    }
    case "and":
    case "or":
      return compileConnective(node.kind, compilePredicate(node.left), compilePredicate(node.right));
    case "compare": {
      const [left, right] = [compileValue(node.left), compileValue(node.right)];
      return (subject) => {
        const [first, second] = [left(subject), right(subject)];
        subject.effort.spend(worth(first));
        return compare(node.operator, first, second);
      };
    }
    case "isNull": {
      const operand = compileValue(node.operand);
      return (subject) => operand(subject) === undefined;
    }
    case "in":
      return compileIn(compileValue(node.operand), node.list.map(compileValue));
    case "like":
      return compileLike(node);
    case "exists":
      return (subject) => isPresent(subject, node.property);
    case "truth": {
      const operand = compileValue(node.operand);
      return (subject) => {
        const value = operand(subject);
        return typeof value === "boolean" ? value : undefined;
      };
    }
    default:
      return node satisfies never;
  }
}

/** `false AND unknown` is false and `true OR unknown` is true; otherwise an unknown operand makes the result unknown. */
function compileConnective(kind: "and" | "or", left: Test, right: Test): Test {
  const deciding = kind === "or";
  return (subject) => {
    const first = left(subject);
    if (first === deciding) return deciding;
    const second = right(subject);
    if (second === deciding) return deciding;
    return first === undefined || second === undefined ? undefined : !deciding;
  };
}

function compileIn(operand: Evaluate, list: readonly Evaluate[]): Test {
  return (subject) => {
    const value = operand(subject);
    let unknown = false;
    for (const candidate of list) {
      subject.effort.spend(worth(value));
      const equal = compare("=", value, candidate(subject));
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
  const read = (subject: RuleSubject): LikePattern | undefined => {
    const [form, sign] = [patternOf(subject), escapeOf?.(subject)];
    if (typeof form !== "string") return undefined;
    if (escapeOf !== undefined && typeof sign !== "string") return undefined;
    // A constant pattern is compiled only once for all messages.
    if (!constant) subject.effort.spend(stepsToRead(form));
    const pieces = readPattern(form, typeof sign === "string" ? sign : undefined);
    if (pieces === undefined) throw evaluationError("A LIKE pattern or its escape character is malformed: it was read");
    if (constant) known = pieces;
    return pieces;
  };
  return (subject) => {
    const value = text(subject);
    if (typeof value !== "string") return undefined;
    const pieces = known ?? read(subject);
    if (pieces === undefined) return undefined;
    subject.effort.spend(pieces.steps(value.length));
    return isLike(value, pieces);
  };
}

/** The property that an expression consists of, by its name or a calculated one; `undefined` for other expressions. */
export function propertyNameIn(node: SqlValueNode): ((subject: RuleSubject) => PropertyName | undefined) | undefined {
  if (node.kind === "property") return () => node.property;
  return node.kind === "propertyByName" ? calculatedName(node.name) : undefined;
}

function calculatedName(node: SqlValueNode): (subject: RuleSubject) => PropertyName | undefined {
  const name = compileValue(node);
  return (subject) => {
    const text = name(subject);
    return typeof text === "string" ? nameOf(text) : undefined;
  };
}

function negate(value: SqlValue): SqlValue {
  if (typeof value === "bigint") return BigInt.asIntN(64, -value);
  if (typeof value === "number") return -value;
  if (value === undefined) return undefined;
  throw evaluationError('"-" was applied to a value that is not a number');
}

function nameOf(text: string): PropertyName {
  const [, scope, name] = /^(sys|user)\.(.+)$/i.exec(text) ?? [];
  if (scope === undefined || name === undefined) return { scope: "user", name: text };
  return { scope: scope.toLowerCase() === "sys" ? "sys" : "user", name };
}
