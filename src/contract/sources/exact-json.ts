import { SobreError } from "../../core/errors/sobre-error.ts";

/** Only a number of more than 15 digits, or with an exponent, may be another one as a double. */
const mayBeInexact = /[\d.]{16}|\d[eE]/;

/**
 * Parses a JSON schema whose numbers a double holds exactly: rounding would change what the schema says.
 *
 * @throws SobreError `InvalidArgument` when the text is not JSON, or naming a number that a double does not hold.
 */
export function parseExactJson(text: string, file: string): unknown {
  const refused = new Set<string>();
  const checked = (_: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    if (typeof value === "number" && source !== undefined && isRounded(source, value)) refused.add(source);
    return value;
  };
  const value = parseJson(text, file, mayBeInexact.test(text) ? checked : undefined);
  const [number] = refused;
  if (number === undefined) return value;
  throw roundedNumber(number, file);
}

/** The error of a number that a double cannot hold. */
export function roundedNumber(source: string, file: string): SobreError {
  return new SobreError(
    "InvalidArgument",
    `${file} has the number ${source.slice(0, 40)}, which a double cannot hold. Write at most 15 digits; the bounds of 64-bit integers are the format int64.`,
  );
}

/** Whether a number is another one than its decimal source. */
export function isRounded(source: string, value: number): boolean {
  return decimalOf(source) !== decimalOf(String(value));
}

/** The value of a JSON file. @throws SobreError `InvalidArgument` when it is not JSON. */
export function parseJson(text: string, file: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    throw new SobreError("InvalidArgument", `${file} is not JSON.`, { cause: error });
  }
}

/** A text that is equal for equal decimal numbers. */
function decimalOf(source: string): string {
  const [digits = "", exponent = "0"] = source.replace(/^[-+]/, "").split(/e/i);
  const [whole = "", fraction = ""] = digits.split(".");
  const significant = (whole + fraction).replace(/^0+/, "");
  const short = significant.replace(/0+$/, "");
  if (short === "") return "0";
  const shift = Number(exponent) - fraction.length + significant.length - short.length;
  return `${source.startsWith("-") ? "-" : ""}${short}e${shift}`;
}
