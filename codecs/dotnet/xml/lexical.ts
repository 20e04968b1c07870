import { toBase64 } from "../../../src/core/values/base64.ts";
import { Typed } from "../../../src/core/values/typed.ts";
import { isXmlList, type XmlScalar, type XmlScalarType } from "./node.ts";

/** The text that .NET writes for a scalar, as in text XML. */
export function lexical(value: XmlScalar | readonly XmlScalar[], type: XmlScalarType | undefined): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return type === "Single" ? singleText(value) : type === "Double" ? doubleText(value) : `${value}`;
    case "boolean":
    case "bigint":
      return `${value}`;
    default:
      if (value instanceof Uint8Array) return toBase64(value);
      return isXmlList(value)
        ? value.map((item) => lexical(item, undefined)).join(" ")
        : value instanceof Typed
          ? value.value
          : value.toString();
  }
}

/** `R` format of System.Double: 15 digits if they suffice, otherwise 17. */
export function doubleText(value: number): string {
  return (
    special(value) ?? netForm(Number(value.toPrecision(15)) === value ? value.toPrecision(15) : value.toPrecision(17))
  );
}

/** `R` format of System.Single: 7 digits if they suffice, otherwise 9. */
function singleText(value: number): string {
  const short = value.toPrecision(7);
  return special(value) ?? netForm(Math.fround(Number(short)) === value ? short : value.toPrecision(9));
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "INF" : "-INF";
  return value === 0 ? (Object.is(value, -0) ? "-0" : "0") : undefined;
}

/** .NET writes an exponent of at least two digits from 1E+15 up and below 1E-05. */
function netForm(text: string): string {
  const [mantissa = "", exponentText] = text.split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const leading = /^0*/.exec(whole + fraction)?.[0].length ?? 0;
  const digits = (whole + fraction).slice(leading).replace(/0+$/, "");
  const exponent = whole.length - 1 - leading + Number(exponentText ?? 0);
  if (exponent >= -5 && exponent < 15) {
    if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
    const integer = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
    const rest = digits.slice(exponent + 1);
    return `${sign}${integer}${rest === "" ? "" : `.${rest}`}`;
  }
  const tail = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${sign}${digits.charAt(0)}${tail}E${exponent < 0 ? "-" : "+"}${`${Math.abs(exponent)}`.padStart(2, "0")}`;
}
