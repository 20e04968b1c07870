import { SobreError } from "../errors/sobre-error.ts";
import type { JsonObject } from "./json.ts";
import { NamedText } from "./named-text.ts";

const form = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/i;

/** A decimal number as text, so that no digit and no trailing zero is lost: `12.30`. */
export class Decimal extends NamedText {
  /** @throws SobreError `InvalidArgument` for text that is not a decimal number. */
  constructor(text: string) {
    super(text);
    if (!isDecimalText(text)) throw new SobreError("InvalidArgument", "A Decimal needs a string, e.g. -12.30 or 1E+5.");
  }

  /** The nearest number. */
  toNumber(): number {
    return Number(this.text);
  }

  override toTagged(): JsonObject {
    return { $decimal: this.text };
  }
}

/** Whether text is a decimal number, with or without an exponent. */
export function isDecimalText(text: unknown): boolean {
  return typeof text === "string" && form.test(text);
}
