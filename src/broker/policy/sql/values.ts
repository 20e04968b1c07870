import { typed } from "../../../core/values/typed-makers.ts";
import type { ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import { Typed } from "../../../core/values/typed.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { Arithmetic, ComparisonOperator, SqlValue } from "./syntax.ts";

/** The value of a property in an expression: integers of every width become 64-bit, other numbers doubles. */
export function toSql(value: ApplicationPropertyValue | undefined): SqlValue {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (!(value instanceof Typed)) return value;
  const { type, value: inner } = value;
  if (type === "float" || type === "double") return typeof inner === "number" ? inner : undefined;
  if (type === "timestamp") return typeof inner === "bigint" ? new Date(Number(inner)) : undefined;
  if (typeof inner === "number") return BigInt(inner);
  if (typeof inner === "bigint" || typeof inner === "string" || inner instanceof Uint8Array) return inner;
  return undefined;
}

/** Converts an expression's value to that of an application property. */
export function fromSql(value: SqlValue): ApplicationPropertyValue {
  if (value === undefined) return null;
  return typeof value === "number" ? typed.double(value) : value;
}

const isNumber = (value: SqlValue): value is number | bigint => typeof value === "number" || typeof value === "bigint";

/** Compares in three-valued logic: unknown operands, and operands of different kinds, compare as unknown. */
export function compare(operator: ComparisonOperator, left: SqlValue, right: SqlValue): boolean | undefined {
  const order = orderOf(left, right);
  if (order === undefined) return undefined;
  return holds[operator](order);
}

const holds: Readonly<Record<ComparisonOperator, (order: number) => boolean>> = {
  "=": (order) => order === 0,
  "<>": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function orderOf(left: SqlValue, right: SqlValue): number | undefined {
  if (left === undefined || right === undefined) return undefined;
  if (left instanceof Uint8Array && right instanceof Uint8Array) return orderOf(left.join(), right.join());
  if (left instanceof Date && right instanceof Date) return Math.sign(left.getTime() - right.getTime());
  const comparable = (isNumber(left) && isNumber(right)) || typeof left === typeof right;
  if (!comparable || typeof left === "object" || typeof right === "object") return undefined;
  if (left < right) return -1;
  if (left > right) return 1;
  // NaN is neither less than, greater than nor equal to anything.
  return Number.isNaN(left) || Number.isNaN(right) ? undefined : 0;
}

/**
 * Calculates; an unknown operand makes the result unknown, and `+` concatenates strings.
 *
 * @throws SobreError `InvalidArgument` for operands that are not numbers, and for dividing an integer by zero.
 */
export function calculate(operator: Arithmetic, left: SqlValue, right: SqlValue): SqlValue {
  if (left === undefined || right === undefined) return undefined;
  if (operator === "+" && typeof left === "string" && typeof right === "string") return left + right;
  if (!isNumber(left) || !isNumber(right))
    throw evaluationError(`"${operator}" was applied to a value that is not a number`);
  if (typeof left === "bigint" && typeof right === "bigint") return BigInt.asIntN(64, integers(operator, left, right));
  return ofDoubles[operator](Number(left), Number(right));
}

function integers(operator: Arithmetic, left: bigint, right: bigint): bigint {
  if ((operator === "/" || operator === "%") && right === 0n) throw evaluationError("An integer was divided by zero");
  return ofIntegers[operator](left, right);
}

const ofIntegers: Readonly<Record<Arithmetic, (left: bigint, right: bigint) => bigint>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
};

const ofDoubles: Readonly<Record<Arithmetic, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
};

/** The error of an expression that cannot be evaluated for a message. */
export const evaluationError = (what: string): SobreError =>
  new SobreError(
    "InvalidArgument",
    `${what} while a rule was evaluated. Change the rule, or the values that senders set.`,
  );
