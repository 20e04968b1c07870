import { SobreError } from "../../core/errors/sobre-error.ts";
import type { ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { Typed } from "../../core/values/typed.ts";

// Numbers in headers and in the JSON of batches: none is rounded through a double that was written as an integer.

const integer = /^-?(?:0|[1-9]\d{0,19})$/;
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Maximum length of a number in characters: a double has 17 digits, after at most 324 places. */
const maxNumberLength = 400;

/**
 * The number that a text writes as JSON does: an integer as a number, beyond 2^53 as a bigint; any other as a double.
 * `undefined` for any other text, and for numbers that none of these can hold.
 */
export function numberFrom(text: string): number | bigint | Typed<"double"> | undefined {
  if (integer.test(text)) return text === "-0" ? new Typed("double", -0) : integerFrom(text);
  if (text.length > maxNumberLength || !decimal.test(text) || /^-?\d+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? new Typed("double", number) : undefined;
}

function integerFrom(text: string): number | bigint | undefined {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  const whole = BigInt(text);
  return whole >= -(2n ** 63n) && whole < 2n ** 64n ? whole : undefined;
}

/**
 * A number of a property with all its digits, which {@link numberFrom} reads as the same value; `undefined` if there is
 * no such text.
 */
export function numberText(value: ApplicationPropertyValue | undefined): string | undefined {
  const plain = value instanceof Typed ? value.value : value;
  if (typeof plain === "bigint") return String(plain);
  if (typeof plain !== "number" || !Number.isFinite(plain)) return undefined;
  const isDouble = value instanceof Typed && (value.type === "double" || value.type === "float");
  return isDouble || !Number.isSafeInteger(plain) || Object.is(plain, -0) ? doubleText(plain) : String(plain);
}

/** A double that is read as one again: with a point or an exponent. */
function doubleText(value: number): string {
  const text = Object.is(value, -0) ? "-0" : String(value).replace("e+", "e");
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/**
 * Reads JSON in UTF-8; a number that JavaScript writes in another way is what `exact` makes of its text.
 *
 * @throws SobreError `InvalidArgument` when the text is not JSON.
 */
export function parseExactly(body: Uint8Array, what: string, exact: (text: string) => unknown): unknown {
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    return typeof value !== "number" || source === undefined || source === String(value) ? value : exact(source);
  };
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body), revive);
  } catch (error) {
    if (error instanceof SobreError) throw error;
    throw new SobreError("InvalidArgument", `The ${what} is not JSON in UTF-8.`);
  }
}
