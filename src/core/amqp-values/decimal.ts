import { typed } from "../values/typed-makers.ts";
import { Typed } from "../values/typed.ts";
import { SobreError } from "../errors/sobre-error.ts";

/** The AMQP types of decimal floating point. */
export type DecimalType = "decimal32" | "decimal64" | "decimal128";

/** A format of IEEE 754-2008 section 3.5.2 in binary integer encoding, as .NET and azure-amqp write it. */
interface DecimalFormat {
  /** Bits of the exponent field; the coefficient has the rest but the sign. */
  readonly exponentBits: bigint;
  readonly coefficientBits: bigint;
  readonly bias: number;
  /** Most decimal digits. */
  readonly precision: number;
}

const formats: Readonly<Record<DecimalType, DecimalFormat>> = {
  decimal32: { exponentBits: 8n, coefficientBits: 23n, bias: 101, precision: 7 },
  decimal64: { exponentBits: 10n, coefficientBits: 53n, bias: 398, precision: 16 },
  decimal128: { exponentBits: 14n, coefficientBits: 113n, bias: 6176, precision: 34 },
};

const isDecimalType = (type: unknown): type is DecimalType => typeof type === "string" && Object.hasOwn(formats, type);

/**
 * The decimal as text, e.g. `-12.30`, `1.5E+20`, `Infinity` or `NaN`; trailing zeros are kept, since they are part of the value.
 */
export function toDecimalString(decimal: Typed<DecimalType>): string {
  if (!(decimal instanceof Typed && isDecimalType(decimal.type) && decimal.value instanceof Uint8Array))
    throw new SobreError("InvalidArgument", "decimal must be a typed decimal32, decimal64 or decimal128.");
  const { exponentBits, coefficientBits, bias, precision } = formats[decimal.type];
  let bits = 0n;
  for (const byte of decimal.value) bits = (bits << 8n) | BigInt(byte);
  const sign = bits >> (exponentBits + coefficientBits) === 1n ? "-" : "";
  const field = bits & ((1n << (exponentBits + coefficientBits)) - 1n);
  const top = field >> (exponentBits + coefficientBits - 5n);
  if (top === 0b11111n) return "NaN";
  if (top === 0b11110n) return `${sign}Infinity`;
  // Two leading ones move the exponent two bits down, to make room for coefficients that begin with 100.
  const long = top >> 3n === 0b11n;
  const shift = long ? coefficientBits - 2n : coefficientBits;
  const exponent = Number((field >> shift) & ((1n << exponentBits) - 1n)) - bias;
  const low = field & ((1n << shift) - 1n);
  const coefficient = long ? low | (0b100n << shift) : low;
  // A coefficient of too many digits stands for zero (IEEE 754-2008 section 3.5.2).
  return sign + scientific(coefficient < 10n ** BigInt(precision) ? coefficient : 0n, exponent);
}

/** The to-scientific-string of the General Decimal Arithmetic specification. */
function scientific(coefficient: bigint, exponent: number): string {
  const digits = coefficient.toString();
  const adjusted = exponent + digits.length - 1;
  if (exponent <= 0 && adjusted >= -6) {
    if (exponent === 0) return digits;
    const padded = digits.padStart(1 - exponent, "0");
    return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
  }
  const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return `${mantissa}E${adjusted < 0 ? "" : "+"}${adjusted}`;
}

const form = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,5}))?$/;

/**
 * The decimal of a text as `12.30` or `-1.5E+20`; the scale is kept.
 *
 * @throws SobreError `InvalidArgument` for anything else and for more digits or a larger exponent than the type has:
 *   nothing is rounded.
 */
export function fromDecimalString<T extends DecimalType>(text: string, type: T): ReturnType<(typeof typed)[T]>;
export function fromDecimalString(text: string, type: DecimalType): Typed {
  if (!isDecimalType(type))
    throw new SobreError("InvalidArgument", "type must be decimal32, decimal64 or decimal128.", { path: "$.type" });
  if (typeof text !== "string") throw invalid(type, 'be written as "12.30" or "1.5E+20"');
  const { exponentBits, coefficientBits, bias, precision } = formats[type];
  const parts = form.exec(text);
  if (parts === null) throw invalid(type, 'be written as "12.30" or "1.5E+20"');
  const [, sign = "", whole = "", fraction = "", power = "0"] = parts;
  const coefficient = BigInt(whole + fraction);
  const exponent = Number(power) - fraction.length + bias;
  if (coefficient >= 10n ** BigInt(precision)) throw invalid(type, `have at most ${precision} digits`);
  // The two highest values of the exponent's leading bits are taken.
  if (exponent < 0 || exponent >= 3 * 2 ** Number(exponentBits - 2n))
    throw invalid(type, "have an exponent within the range of the type");
  const long = coefficient >> coefficientBits !== 0n;
  const shift = long ? coefficientBits - 2n : coefficientBits;
  const field = (BigInt(exponent) << shift) | (coefficient & ((1n << shift) - 1n));
  const lead = long ? 0b11n << (exponentBits + coefficientBits - 2n) : 0n;
  let bits = field | lead | (sign === "-" ? 1n << (exponentBits + coefficientBits) : 0n);
  const bytes = new Uint8Array(Number((exponentBits + coefficientBits + 1n) / 8n));
  for (let index = bytes.length - 1; index >= 0; index--, bits >>= 8n) bytes[index] = Number(bits & 0xffn);
  return typed[type](bytes);
}

function invalid(type: DecimalType, wanted: string): SobreError {
  return new SobreError("InvalidArgument", `The text of a ${type} must ${wanted}.`);
}
