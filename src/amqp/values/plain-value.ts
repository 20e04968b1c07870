import { AmqpMap, type AmqpValue, Typed, type TypedValues } from "../../values/typed.ts";
import { Decimal, isDecimalText } from "../../values/decimal.ts";
import { type DecimalType, toDecimalString } from "./decimal.ts";
import type { Extensions } from "./extension.ts";

/** The plain form of a typed value; infinite decimals, unknown described values and far timestamps stay {@link Typed}. */
export function plainOf(value: AmqpValue, extensions: Extensions): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date || value instanceof Uint8Array) return value;
  if (value instanceof Typed) return plainOfTyped(value, extensions);
  if (value instanceof AmqpMap) return plainOfMap(value, extensions);
  return value.map((item) => plainOf(item, extensions));
}

function plainOfTyped(typed: Typed, extensions: Extensions): unknown {
  const { type, value } = typed;
  if (typeof value !== "object") return type === "timestamp" ? typed : value;
  if (value instanceof Uint8Array) return isDecimal(typed) ? plainDecimal(typed) : typed;
  if ("values" in value) return value.descriptor === undefined ? plainArray(value, extensions) : typed;
  const { descriptor } = value;
  const name = descriptor instanceof Typed && descriptor.type === "symbol" ? descriptor.value : undefined;
  const extension = typeof name === "string" ? extensions.get(name) : undefined;
  return extension?.read(value.value) ?? typed;
}

function plainArray({ elementType, values }: TypedValues["array"], extensions: Extensions): unknown {
  return values.map((item) => {
    const decimal = item instanceof Uint8Array ? decimalOf(elementType, item) : undefined;
    return decimal === undefined ? plainOf(item, extensions) : plainDecimal(decimal);
  });
}

function decimalOf(type: string, bits: Uint8Array): Typed<DecimalType> | undefined {
  return type === "decimal32" || type === "decimal64" || type === "decimal128" ? new Typed(type, bits) : undefined;
}

function isDecimal(typed: Typed): typed is Typed<DecimalType> {
  return typed.type === "decimal32" || typed.type === "decimal64" || typed.type === "decimal128";
}

/** Infinities and NaN have no other form than the typed one. */
function plainDecimal(typed: Typed<DecimalType>): unknown {
  const text = toDecimalString(typed);
  return isDecimalText(text) ? new Decimal(text) : typed;
}

function plainOfMap(map: AmqpMap, extensions: Extensions): unknown {
  const entries = Array.from(map, ([key, item]): [unknown, unknown] => [
    plainOf(key, extensions),
    plainOf(item, extensions),
  ]);
  const textual = Array.from(map).every(
    ([key]) => typeof key === "string" || (key instanceof Typed && key.type === "symbol"),
  );
  // fromEntries makes own members even of "__proto__".
  const plain = textual ? Object.fromEntries(entries) : new Map(entries);
  const size = plain instanceof Map ? plain.size : Object.keys(plain).length;
  return size === map.size ? plain : map;
}
