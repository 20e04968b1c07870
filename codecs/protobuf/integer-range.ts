import type { ProtobufFieldKind } from "./shape.ts";

/**
 * Whether an integer kind holds the value; numbers must be safe integers other than `-0`, and bigints are for 64 bits.
 */
export function holdsInteger(kind: ProtobufFieldKind, value: number | bigint): boolean {
  if (typeof value === "bigint") return holdsBigint(kind, value);
  if (Object.is(value, -0)) return false;
  switch (kind) {
    case "int32":
    case "sint32":
    case "sfixed32":
      return (value | 0) === value;
    case "uint32":
    case "fixed32":
      return value >>> 0 === value;
    case "uint64":
    case "fixed64":
      return Number.isSafeInteger(value) && value >= 0;
    default:
      return Number.isSafeInteger(value);
  }
}

function holdsBigint(kind: ProtobufFieldKind, value: bigint): boolean {
  switch (kind) {
    case "uint64":
    case "fixed64":
      return BigInt.asUintN(64, value) === value;
    case "int64":
    case "sint64":
    case "sfixed64":
      return BigInt.asIntN(64, value) === value;
    default:
      return false;
  }
}

/** Whether the text is an integer of the kind in the decimal digits that the format's JSON form uses. */
export function holdsDigits(kind: ProtobufFieldKind, text: string): boolean {
  if (!/^(0|-?[1-9]\d{0,19})$/.test(text)) return false;
  return kind.endsWith("64") ? holdsBigint(kind, BigInt(text)) : holdsInteger(kind, Number(text));
}

/** As `a 32-bit unsigned integer`. */
export function integerWords(kind: ProtobufFieldKind): string {
  const unsigned = kind === "uint32" || kind === "fixed32" || kind === "uint64" || kind === "fixed64";
  return `a ${kind.slice(-2)}-bit ${unsigned ? "unsigned" : "signed"} integer`;
}
