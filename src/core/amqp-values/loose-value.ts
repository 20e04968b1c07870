import { AmqpMap, type AmqpValue, Typed } from "../values/typed.ts";

const untypedValue = (value: AmqpValue | undefined): unknown => (value instanceof Typed ? value.value : value);

/** The text of a string, symbol or uuid. */
export function looseText(value: AmqpValue | undefined): string | undefined {
  const text = untypedValue(value);
  return typeof text === "string" ? text : undefined;
}

/** A whole number of any width. */
export function numberOf(value: AmqpValue | undefined): number | undefined {
  const number = untypedValue(value);
  return typeof number === "number" || typeof number === "bigint" ? Number(number) : undefined;
}

/** A long, or any other whole number. */
export function longOf(value: AmqpValue | undefined): bigint | undefined {
  const number = untypedValue(value);
  if (typeof number === "bigint") return number;
  return typeof number === "number" && Number.isInteger(number) ? BigInt(number) : undefined;
}

export const dateOf = (value: AmqpValue | undefined): Date | undefined => (value instanceof Date ? value : undefined);

/** The items of a list or array. */
export function arrayOf(value: AmqpValue | undefined): readonly AmqpValue[] | undefined {
  if (Array.isArray(value)) return value;
  return value instanceof Typed && isArray(value) ? value.value.values : undefined;
}

/** The items of a list or array; none of anything else. */
export const itemsOf = (value: AmqpValue | undefined): readonly AmqpValue[] => arrayOf(value) ?? [];

/** The entries of a map by their names; none of anything else. */
export const mapOf = (value: AmqpValue | undefined): AmqpMap => (value instanceof AmqpMap ? value : new AmqpMap());

const isArray = (value: Typed): value is Typed<"array"> => value.type === "array";
